import { loadAlgorithms } from '../../foundation/algorithms/load-algorithms.js'
import { runYielding } from '../../foundation/base/time/turns.js'
import type { Bundle, IdentifiedBundle } from '../../foundation/model/bundle.js'
import type { PayloadSource, SourceOptions } from '../../foundation/model/payload.js'
import type { WorkerPool } from '../../foundation/model/worker-pool.js'
import type { Address } from '../../signing/keys/ec/recovery.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import {
  closeTrusted,
  type IdentityOf,
  type JudgedKeyring,
  type LoggedMessages,
  type OpenTrust,
  openTrusted,
  type SignedBy,
  type TrustPolicy,
} from '../../signing/keys/trust-policy.js'
import type { VerifyingKeyInput } from '../../signing/keys/verifying.js'
import type { Codec } from '../../transport/codecs/codec.js'

/** Bundle whose signature was verified. */
export interface VerifiedBundle extends Bundle {
  /**
   * Name of exactly this statement and its signer: 64 hexadecimal digits, the same wherever the bundle comes from
   * (alone, in a batch or extracted from one, with any codec). Keep these ids to detect redelivered messages.
   */
  readonly id: string
  /**
   * True if the bundle was also checked against a given payload. With hash `md5`, another payload can have the same
   * key: check `hash` if that matters.
   */
  readonly payloadChecked: boolean
  /**
   * Signer with the key, and the source of the time by which it was permitted. Present if a trust policy permitted the
   * bundle, and not with a `Keyring`.
   */
  readonly signedBy?: SignedBy
}

/** Keys or policy to trust, and the inputs to check. */
export interface VerifyOptions extends SourceOptions {
  /**
   * Keys to trust. Make one {@link Keyring} for many messages: it remembers their points. Or a trust policy, which says
   * what each signer may sign and until when: `readTrust` of `alvarium-sdk/trust`.
   */
  readonly keyring: Keyring | TrustPolicy | readonly (VerifyingKeyInput | Address)[]
  /** Encoding of the SDK's own messages. Default JSON. */
  readonly codec?: Codec | undefined
  /**
   * Payload that the message should be about. Without it, only the signature is checked. A source is read only after
   * the signature was found valid.
   */
  readonly payload?: Uint8Array | PayloadSource | undefined
  /** Pool whose workers verify, with all cores. See `alvarium-sdk/pool`. */
  readonly pool?: WorkerPool | undefined
  /**
   * Time at which the message was received, as a `Date` or in milliseconds since 1970: a trust policy applies it.
   * `leases` count as received with the message. Default: unknown, and the time that the signer wrote counts.
   */
  readonly receivedAt?: Date | number | undefined
  /**
   * Leases by which keys outside of the trust policy may sign, in the name of its keys: messages from `issueLease` of
   * `alvarium-sdk/trust`. At most 1,024, and 1,048,576 bytes. An invalid lease is ignored.
   */
  readonly leases?: readonly Uint8Array[] | undefined
  /**
   * Checkpoints of the keys that have these leases, from `verifyCheckpoint` of `alvarium-sdk/completeness`. A message
   * in a log that a lease has stated is accepted after the end of its lease, and `signedBy.time` is then `'logged'`. It
   * is not accepted after the end of the issuer, unless another key has stated the log.
   *
   * If the trust policy has `witnesses`, checkpoints of its own keys count, too: a message in a log that a quorum has
   * seen counts as received by then, and `signedBy.time` is `'witnessed'`. The checkpoints must not be changed.
   */
  readonly checkpoints?: readonly LoggedMessages[] | undefined
}

/**
 * @internal Names of the options of functions that check no payload: they refuse one, because its caller
 * expects a check.
 */
export const WITHOUT_PAYLOAD: readonly string[] = [
  'keyring',
  'codec',
  'pool',
  'receivedAt',
  'leases',
  'checkpoints',
]
/** @internal Names of the options of functions that check a payload. */
export const WITH_PAYLOAD: readonly string[] = [...WITHOUT_PAYLOAD, 'payload', 'signal', 'onProgress']

/**
 * @internal Returns the bundles of a validly signed message if the policy permits them. Reuses the objects, which have
 * no other owner yet: copying them took a fifth of the time of a batch.
 *
 * @throws AlvariumError `SIGNER_NOT_ALLOWED`, `SIGNER_EXPIRED`, `SIGNER_REVOKED`
 */
export function permit(
  bundles: readonly IdentifiedBundle[],
  { judge }: JudgedKeyring,
  receivedAt: number | undefined,
  identityOf: IdentityOf,
  payloadChecked = false,
): VerifiedBundle[] {
  const signedBy = judge?.bundles(bundles, receivedAt, identityOf)
  const more = signedBy ? { payloadChecked, signedBy } : { payloadChecked }
  return bundles.map((bundle) => Object.assign(bundle, more))
}

/** Limit in bytes above which a message can have texts that take long to compare with patterns. */
const LONG_BYTES = 4096

/**
 * @internal Compares the statements of a long message with the rules of a policy, in turns: {@link permit} then has
 * little left to do.
 *
 * @param bytes - the length of the message
 * @returns undefined if there is nothing to wait for
 */
export function compareWithRules(
  bundles: readonly IdentifiedBundle[],
  { judge }: JudgedKeyring,
  bytes: number,
): Promise<void> | undefined {
  return judge && bytes > LONG_BYTES ? runYielding(judge.comparingSteps(bundles)) : undefined
}

/**
 * @internal Calls a function with the current trusted keys, or with a keyring of these keys that is closed afterwards.
 * Loads the module of algorithms other than Ed25519 first if a key needs it.
 */
export async function withTrusted<T>(
  { keyring, pool }: Pick<VerifyOptions, 'keyring' | 'pool'>,
  use: (trusting: OpenTrust) => T | Promise<T>,
): Promise<T> {
  const found = openTrusted(keyring)
  const trusting = found instanceof Promise ? await found : found
  const trusted = trusting.keyring
  try {
    if (trusted.needsAlgorithms) await loadAlgorithms()
    if (!pool && !trusted.isReady) await trusted.ready()
    const result = use(trusting)
    // Await only a promise: every message passes here.
    return result instanceof Promise ? await result : result
  } finally {
    closeTrusted(keyring, trusting)
  }
}
