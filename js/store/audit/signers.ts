import { AlvariumError } from '../../foundation/base/errors.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import {
  isTrustPolicy,
  type JudgedKeyring,
  type LeaseTrust,
  type OpenTrust,
  type PolicyCheck,
  type SignedBy,
  TRUST,
  type TrustPolicy,
} from '../../signing/keys/trust-policy.js'

/** A signer that the reader's keys or trust policy refuse today. This is no evidence against the store. */
export interface UntrustedSigner {
  /** Key id of the signer: 32 lower-case hexadecimal digits. */
  readonly signer: string
  /** The signer's name in the trust policy. */
  readonly name?: string
  /**
   * Reason for the refusal. With `SIGNER_REVOKED`, `SIGNER_EXPIRED` or `SIGNER_NOT_ALLOWED`, the trust policy
   * has the key and the signatures were verified. With `SIGNER_UNKNOWN`, the reader does not have the key, so
   * no signature was verified.
   */
  readonly code: 'SIGNER_REVOKED' | 'SIGNER_EXPIRED' | 'SIGNER_NOT_ALLOWED' | 'SIGNER_UNKNOWN'
  /** Number of messages from the signer. Annotations of other SDKs count one by one. */
  readonly messages: number
}

/** Counts messages of signers that the reader's policy refuses today, or that the reader does not know. */
export class UntrustedSigners {
  readonly #signers = new Map<string, UntrustedSigner>()

  add(code: UntrustedSigner['code'], signer: string, name?: string): void {
    const key = `${code} ${signer}`
    const messages = (this.#signers.get(key)?.messages ?? 0) + 1
    this.#signers.set(key, { signer, ...(name !== undefined && { name }), code, messages })
  }

  get all(): UntrustedSigner[] {
    return [...this.#signers.values()].sort((one, other) => (one.signer < other.signer ? -1 : 1))
  }

  get messages(): number {
    return this.all.reduce((sum, { messages }) => sum + messages, 0)
  }

  get unknown(): number {
    return this.all.reduce((sum, { code, messages }) => sum + (code === 'SIGNER_UNKNOWN' ? messages : 0), 0)
  }
}

/**
 * Returns a policy with the same keys and leases that permits every message whose signature verifies. It counts
 * messages that the given policy refuses.
 */
export function lenient(trusted: Keyring | TrustPolicy, untrusted: UntrustedSigners): Keyring | TrustPolicy {
  if (!isTrustPolicy(trusted)) return trusted
  const { keyring, judge, leased } = trusted[TRUST]
  const trusting: OpenTrust = {
    keyring,
    ...(judge && { judge: { ...lenientJudge(judge, untrusted), ...asItIs(judge) } }),
    ...(leased && { leased: lenientLeases(leased, untrusted) }),
  }
  return { signers: trusted.signers, [TRUST]: trusting }
}

function asItIs(judge: PolicyCheck): Omit<PolicyCheck, keyof AnyJudge> {
  return {
    mayRequest: (...given) => judge.mayRequest(...given),
    set: (...given) => judge.set(...given),
    mayConfirm: (keyId) => judge.mayConfirm(keyId),
    keyIdsOf: (name) => judge.keyIdsOf(name),
  }
}

type AnyJudge = NonNullable<JudgedKeyring['judge']>

function lenientJudge(judge: AnyJudge, untrusted: UntrustedSigners): AnyJudge {
  const judged = (keyId: string, receivedAt: number | undefined, run: () => SignedBy): SignedBy => {
    try {
      return run()
    } catch (error) {
      if (!isRefusal(error)) throw error
      const owner = judge.owner(keyId, receivedAt)
      untrusted.add(error.code, keyId, owner.name)
      return owner
    }
  }
  return {
    bundles: (bundles, receivedAt, identityOf) =>
      judged(bundles[0]?.signer ?? '', receivedAt, () => judge.bundles(bundles, receivedAt, identityOf)),
    comparingSteps: (bundles) => judge.comparingSteps(bundles),
    annotation: (keyId, annotation, receivedAt) =>
      judged(keyId, receivedAt, () => judge.annotation(keyId, annotation, receivedAt)),
    checkpoint: (checkpoint, signedAt, receivedAt) =>
      judged(checkpoint.signer, receivedAt, () => judge.checkpoint(checkpoint, signedAt, receivedAt)),
    request: (...given) => judge.request(...given),
    owner: (...given) => judge.owner(...given),
  }
}

type Refusal = AlvariumError & { readonly code: Exclude<UntrustedSigner['code'], 'SIGNER_UNKNOWN'> }

function isRefusal(error: unknown): error is Refusal {
  return (
    error instanceof AlvariumError &&
    ['SIGNER_REVOKED', 'SIGNER_EXPIRED', 'SIGNER_NOT_ALLOWED'].includes(error.code)
  )
}

function lenientLeases(leases: LeaseTrust, untrusted: UntrustedSigners): LeaseTrust {
  const judging = <T extends JudgedKeyring>(given: T): T =>
    given.judge ? { ...given, judge: lenientJudge(given.judge, untrusted) } : given
  return {
    verifyOne: (given, use, checkpoints) =>
      leases.verifyOne(given, (found) => use(judging(found)), checkpoints),
    verifyMany: (given, count, use, checkpoints) =>
      leases.verifyMany(given, count, (found, places) => use(judging(found), places), checkpoints),
    keysOf: async (...given) => judging(await leases.keysOf(...given)),
    newBook: (...given) => leases.newBook(...given),
    addLease: (...given) => leases.addLease(...given),
  }
}
