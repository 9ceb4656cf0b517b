import { loadAlgorithms } from '../algorithms/load-algorithms.js'
import { inTurns } from '../base/time/steps.js'
import type { Codec } from '../codecs/codec.js'
import type { Keyring } from '../keys/keyring.js'
import type { Address } from '../keys/recovery.js'
import {
  closeTrusted,
  type IdentityOf,
  type JudgedKeyring,
  type LoggedMessages,
  openTrusted,
  type SignedBy,
  type Trusting,
  type TrustPolicy,
} from '../keys/trust-policy.js'
import type { VerifyingKeyInput } from '../keys/verifying.js'
import type { Bundle, IdentifiedBundle } from '../model/bundle.js'
import type { PayloadSource, SourceOptions } from '../model/payload.js'
import type { WorkerPool } from '../model/worker-pool.js'

/** A bundle whose signature has been checked. */
export interface VerifiedBundle extends Bundle {
  /**
   * Names exactly what this bundle says, and by whom: 64 hexadecimal digits, the same wherever the bundle comes from (alone,
   * in a batch or taken out of one, whatever the codec). Keep these where a message that comes twice matters.
   */
  readonly id: string
  /**
   * Whether the bundle was also checked to speak about a payload that was given. With hash `md5` somebody else's
   * payload can have the same key: look at `hash` where that matters.
   */
  readonly payloadChecked: boolean
  /** Whose key it is, and by which time that was judged. There when a trust policy judged the bundle, and not with a `Keyring`. */
  readonly signedBy?: SignedBy
}

/** Whom to trust, and about what. */
export interface VerifyOptions extends SourceOptions {
  /**
   * The keys to trust. Make one {@link Keyring} for many messages: it keeps their points at hand. Or a trust policy, which
   * says what each signer may say and until when: `readTrust` of `alvarium-sdk/trust`.
   */
  readonly keyring: Keyring | TrustPolicy | readonly (VerifyingKeyInput | Address)[]
  /** How messages are written; the SDK's own. Default JSON. */
  readonly codec?: Codec | undefined
  /**
   * The payload that the message should be about. Without it only the signature is checked. A source is read once the signature was
   * found to be good, and not before.
   */
  readonly payload?: Uint8Array | PayloadSource | undefined
  /** Verifies in the pool's workers, with all cores. See `alvarium-sdk/pool`. */
  readonly pool?: WorkerPool | undefined
  /**
   * Time at which the message was received, as a `Date` or in milliseconds since 1970: a trust policy judges by it. `leases` count as received with
   * it. Default: no one knows, and the time that the signer wrote counts.
   */
  readonly receivedAt?: Date | number | undefined
  /**
   * Leases by which keys that the trust policy does not have may sign, in the name of those that it has: messages of their own, as
   * `issueLease` of `alvarium-sdk/trust` makes them. At most 1,024, and 1,048,576 bytes. One that is not good counts as none.
   */
  readonly leases?: readonly Uint8Array[] | undefined
  /**
   * Checkpoints of the keys that have these leases, as `verifyCheckpoint` of `alvarium-sdk/completeness` gives them: what lies in a log that
   * a lease has stated is accepted after the end of its lease, and `signedBy.time` is then `'logged'`. It is not accepted after the end of the
   * issuer, unless another key has stated the log. If the trust policy has `witnesses`, checkpoints of its own keys count too: what lies in a log that a quorum has seen
   * counts as received by then, and `signedBy.time` is `'witnessed'`. They must not be changed.
   */
  readonly checkpoints?: readonly LoggedMessages[] | undefined
}

/** @internal What the options are called where no payload is looked at: who gives one believes that it is. */
export const WITHOUT_PAYLOAD: readonly string[] = [
  'keyring',
  'codec',
  'pool',
  'receivedAt',
  'leases',
  'checkpoints',
]
/** @internal What they are called where one is. */
export const WITH_PAYLOAD: readonly string[] = [...WITHOUT_PAYLOAD, 'payload', 'signal', 'onProgress']

/**
 * @internal The bundles of a message whose signature is good, if the policy lets their signer say them. They are the same objects,
 * which nobody else has yet: copying them took a fifth of the time of a batch.
 *
 * @throws AlvariumError `SIGNER_NOT_ALLOWED`, `SIGNER_EXPIRED`, `SIGNER_REVOKED`
 */
export function accepted(
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

/** A message of so many bytes can have texts that take long to compare with patterns. */
const LONG_BYTES = 4096

/**
 * @internal Compares what a long message says with the rules of a policy, in turns: {@link accepted} then has little left to do.
 *
 * @param bytes - the length of the message
 * @returns undefined if there is nothing to wait for
 */
export function compareInTurns(
  bundles: readonly IdentifiedBundle[],
  { judge }: JudgedKeyring,
  bytes: number,
): Promise<void> | undefined {
  return judge && bytes > LONG_BYTES ? inTurns(judge.comparingSteps(bundles)) : undefined
}

/**
 * @internal Runs on what is trusted now, or on a keyring of these keys that is closed afterwards; with keys of other algorithms
 * than Ed25519 when what they take has been loaded.
 */
export async function withTrusted<T>(
  { keyring, pool }: Pick<VerifyOptions, 'keyring' | 'pool'>,
  use: (trusting: Trusting) => T | Promise<T>,
): Promise<T> {
  const found = openTrusted(keyring)
  const trusting = found instanceof Promise ? await found : found
  const trusted = trusting.keyring
  try {
    if (trusted.needsAlgorithms) await loadAlgorithms()
    if (!pool && !trusted.isReady) await trusted.ready()
    const result = use(trusting)
    // Awaited only where there is something to wait for: every message passes here.
    return result instanceof Promise ? await result : result
  } finally {
    closeTrusted(keyring, trusting)
  }
}
