import { AlvariumError, withSigner } from '../../../foundation/base/errors.js'
import { withNoun } from '../../../foundation/base/text/text.js'
import type { Action, Bundle, Layer } from '../../../foundation/model/bundle.js'
import type {
  LoggedMessages,
  PolicyCheck,
  SignedAnnotation,
  SignedBy,
  StatedSet,
} from '../../../signing/keys/trust-policy.js'
import type { ReadQuorum } from '../../witness/options.js'
import type { ReadPolicy, ReadSigner } from '../policy/policy-schema.js'
import { compareSteps, type KeyWithLimits, type Limits, refusalOf } from './limits.js'
import { Rules } from './rules.js'
import { earlier } from './stated-logs.js'
import { Times } from './times.js'
import { asWitnessed, isOfTime, witnessedAt } from './witnessed-logs.js'

/**
 * Checks whether a trust policy permits the statements that its keys have signed. An updated policy needs a
 * new instance.
 */
export class PolicyPermits implements PolicyCheck {
  readonly #policy: Omit<ReadPolicy, 'signers'>
  /** Signers by key id. `#signers` has the same signers by name. */
  readonly #owners = new Map<string, ReadSigner>()
  readonly #signers = new Map<string, ReadSigner>()
  /**
   * Keys by id. The keys of a signer are made when one of them is first needed, because making all at once
   * would block the event loop.
   */
  readonly #keys = new Map<string, KeyWithLimits>()

  constructor({ signers, ...all }: ReadPolicy) {
    this.#policy = all
    for (const signer of signers) {
      this.#signers.set(signer.name, signer)
      for (const { id } of signer.keys) this.#owners.set(id, signer)
    }
  }

  bundles(bundles: readonly Bundle[], receivedAt: number | undefined): SignedBy {
    const { signer } = bundles[0] as Bundle
    return this.#permit(signer, receivedAt, (key) => assertAllowed(key, bundles, receivedAt))
  }

  *comparingSteps(bundles: readonly Bundle[]): Generator<void, void> {
    const { signer } = bundles[0] as Bundle
    if (this.knows(signer)) yield* compareSteps(this.keyOf(signer), bundles)
  }

  annotation(keyId: string, annotation: SignedAnnotation, receivedAt: number | undefined): SignedBy {
    return this.#permit(keyId, receivedAt, (key) => assertAnnotation(key, annotation, receivedAt))
  }

  request(keyId: string, signedAt: number | undefined, receivedAt: number): SignedBy {
    const time = timeOf(signedAt, receivedAt)
    return this.#permit(keyId, receivedAt, (key) => assertInTime(key, ...time, receivedAt))
  }

  mayRequest(keyId: string, signedAt: number | undefined, receivedAt: number): boolean {
    return this.keyOf(keyId).times.allow(signedAt ?? receivedAt, receivedAt)
  }

  /**
   * Returns the signer of a permitted checkpoint. For a late checkpoint, the time at which witnesses saw it counts
   * as the time of receipt.
   */
  checkpoint(checkpoint: LoggedMessages, signedAt: number, receivedAt: number | undefined): SignedBy {
    const { signer } = checkpoint
    const assert = (at: number | undefined) =>
      this.#permit(signer, at, (key) => assertInTime(key, signedAt, 'at', at))
    try {
      return assert(receivedAt)
    } catch (error) {
      const { witnesses } = this.#policy
      const at = witnesses && isOfTime(error) ? witnessedAt(witnesses, checkpoint) : undefined
      if (at === undefined) throw error
      return asWitnessed(assert(earlier(receivedAt, at)))
    }
  }

  get witnesses(): ReadQuorum | undefined {
    return this.#policy.witnesses
  }

  set(set: StatedSet, receivedAt: number | undefined): SignedBy {
    return this.#permit(set.signer, receivedAt, (key) => {
      const { rules, times } = key
      assertReceivedInTime(key, receivedAt)
      if (!times.include(set.timestamp)) throw times.refusal(set.timestamp, 'timestamp')
      rules.assertSet(set)
    })
  }

  #permit(keyId: string, receivedAt: number | undefined, assert: (key: KeyWithLimits) => void): SignedBy {
    const key = this.keyOf(keyId)
    withSigner(keyId, () => assert(key))
    return signedByOf(key, receivedAt)
  }

  owner(keyId: string, receivedAt: number | undefined): SignedBy {
    return signedByOf(this.keyOf(keyId), receivedAt)
  }

  grounds({ signer }: Bundle, receivedAt: number | undefined): DecidingLimits {
    const key = this.keyOf(signer)
    return { signedBy: signedByOf(key, receivedAt), limits: [key] }
  }

  keyIdsOf(nameOrId: string): readonly string[] {
    const keys = this.#signers.get(nameOrId)?.keys.map(({ id }) => id)
    return keys ?? (this.knows(nameOrId) ? [nameOrId] : [])
  }

  mayConfirm(keyId: string): boolean {
    return this.#owners.get(keyId)?.confirms === true
  }

  knows(keyId: string): boolean {
    return this.#owners.has(keyId)
  }

  /** Returns a key and its limits. @throws AlvariumError `SIGNER_UNKNOWN` */
  keyOf(keyId: string): KeyWithLimits {
    const key = this.#keys.get(keyId)
    if (key) return key
    const owner = this.#owners.get(keyId)
    if (!owner) {
      const text = `signer: expected one in the policy of ${withNoun(this.#owners.size, 'key')}, got ${keyId}`
      throw new AlvariumError('SIGNER_UNKNOWN', text, { signer: keyId })
    }
    for (const one of keysOf(owner, this.#policy)) this.#keys.set(one.id, one)
    return this.#keys.get(keyId) as KeyWithLimits
  }

  get signers(): string[] {
    return [...this.#signers.keys()]
  }
}

function keysOf(signer: ReadSigner, all: Omit<ReadPolicy, 'signers'>): KeyWithLimits[] {
  const { name, revokedLeases, acceptLateMs = all.acceptLateMs, maxLeaseMs = all.maxLeaseMs } = signer
  const rules = new Rules(name, signer)
  const leasing = { acceptLateMs, maxLeaseMs, revokedLeases }
  return signer.keys.map((key) => {
    const { id } = key
    const by = (time: SignedBy['time']): SignedBy => Object.freeze({ id, name, time })
    const times = new Times(`${name}, key ${id},`, [signer, key], acceptLateMs)
    return { id, signer: name, rules, times, leasing, signed: by('signed'), received: by('received') }
  })
}

/** Signer of a bundle, and the limits that decide about the bundle. */
export interface DecidingLimits {
  readonly signedBy: SignedBy
  /** Limits of the policy's key and, for a leased key, of the lease with the serial `lease`. */
  readonly limits: readonly (Limits & { readonly lease?: string })[]
}

/**
 * Asserts that the signer may state all bundles of a message.
 *
 * @param existedAt - time by which the message existed, according to someone other than the signer. A message
 * that existed in time is not late
 * @throws AlvariumError `SIGNER_REVOKED`, `SIGNER_EXPIRED`, `SIGNER_NOT_ALLOWED`
 */
export function assertAllowed(
  key: Limits,
  bundles: readonly Bundle[],
  receivedAt: number | undefined,
  existedAt = receivedAt,
): void {
  assertReceivedInTime(key, receivedAt, existedAt)
  const refusal = refusalOf(key, bundles)
  if (refusal) throw refusal
}

/**
 * Asserts that a checkpoint or a request was signed at an allowed time.
 *
 * @param field - name of the field that states the time
 * @throws AlvariumError `SIGNER_REVOKED`, `SIGNER_EXPIRED`
 */
export function assertInTime(
  key: Limits,
  signedAt: number,
  field: string,
  receivedAt: number | undefined,
  existedAt = receivedAt,
): void {
  assertReceivedInTime(key, receivedAt, existedAt)
  key.times.assertIncludes(signedAt, field)
}

/**
 * Asserts that a signer may state an annotation of another SDK, in which the signature does not cover the action.
 *
 * @throws as {@link assertAllowed}
 */
export function assertAnnotation(
  key: Limits,
  { host, layer, kind, tag, timestamp }: SignedAnnotation,
  receivedAt: number | undefined,
): void {
  const { rules, times } = key
  assertReceivedInTime(key, receivedAt)
  if (!times.include(timestamp)) throw times.refusal(timestamp, 'timestamp')
  if (rules.hasActions) throw rules.actionRefusal()
  // Use any action, because the rules do not restrict actions here. Other SDKs have different layers.
  const statement = { action: 'create' as Action, host, layer: layer as Layer, annotations: [{ kind, tag }] }
  const refused = rules.firstRefused(statement)
  if (refused) throw rules.refusal(refused, '')
}

/**
 * Returns the time of signing of a request, and the field that states it. If the request has no such field, its
 * time of receipt counts.
 */
export function timeOf(signedAt: number | undefined, receivedAt: number): [ms: number, field: string] {
  return signedAt === undefined ? [receivedAt, 'received'] : [signedAt, 'created']
}

/** Asserts that a message was received in time. One check covers all of its bundles. */
function assertReceivedInTime(
  { times }: Limits,
  receivedAt: number | undefined,
  existedAt = receivedAt,
): void {
  times.assertNotRevoked(receivedAt)
  times.assertNotLate(existedAt)
}

function signedByOf(key: KeyWithLimits, receivedAt: number | undefined): SignedBy {
  return receivedAt === undefined ? key.signed : key.received
}
