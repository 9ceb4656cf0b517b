import { loadAlgorithms } from '../../foundation/algorithms/load-algorithms.js'
import { runYielding } from '../../foundation/base/time/turns.js'
import type { Bundle, IdentifiedBundle } from '../../foundation/model/bundle.js'
import type { PayloadSource, SourceOptions } from '../../foundation/model/payload.js'
import type { WorkerPool } from '../../foundation/model/worker-pool.js'
import type { Address } from '../../signing/keys/ec/recovery.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import { type LeaseOptions, leasesFor, leaseTrustOf } from '../../signing/keys/lease-options.js'
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

/** Bundle with a verified signature. */
export interface VerifiedBundle extends Bundle {
  /**
   * Id of this statement and its signer: 64 hexadecimal digits. The id is the same for a single bundle, in a
   * batch, extracted from a batch, and with any codec. Store the ids to detect redelivered messages.
   */
  readonly id: string
  /**
   * True if the bundle's payload key was also compared with a given payload. With hash `md5`, another payload
   * can have the same payload key: check `hash` if that matters.
   */
  readonly payloadChecked: boolean
  /** Signer that the trust policy permitted, and the source of the time for this check. Absent with a `Keyring`. */
  readonly signedBy?: SignedBy
}

/** Options of {@link verifyMessage}: trusted keys or trust policy, and the expected payload. */
export interface VerifyOptions extends SourceOptions {
  /**
   * Trusted keys, or a trust policy (`readTrust` of `alvarium-sdk/trust`), which says what each signer may
   * sign and until when. Reuse one {@link Keyring} for many messages, because reading keys takes time.
   */
  readonly keyring: Keyring | TrustPolicy | readonly (VerifyingKeyInput | Address)[]
  /** Codec of the message. Default JSON. */
  readonly codec?: Codec | undefined
  /** Payload that the message must be about. A source is read only after the signature is verified. */
  readonly payload?: Uint8Array | PayloadSource | undefined
  /** Worker pool that verifies the message; see `alvarium-sdk/pool`. Default: verify in this thread. */
  readonly pool?: WorkerPool | undefined
  /**
   * Time of receipt of the message and of `leases`, as a `Date` or in milliseconds since 1970. Only trust
   * policies use it. Default: unknown, so the time that the signer wrote counts.
   */
  readonly receivedAt?: Date | number | undefined
  /**
   * Leases that permit keys outside of the trust policy: messages from `issueLease` of `alvarium-sdk/trust`.
   * At most 1,024 leases with 1,048,576 bytes in total. Invalid leases are ignored.
   */
  readonly leases?: readonly Uint8Array[] | undefined
  /**
   * Checkpoints from `verifyCheckpoint` of `alvarium-sdk/completeness`. Do not change them.
   *
   * With a checkpoint of a leased key, a message in its log is also accepted after the end of the key's
   * lease. For this, a lease must contain the size and root of a log with the message. `signedBy.time` is
   * then `'logged'`. If the issuer of the key's lease has expired too, the size and root must be in a lease
   * of another issuer.
   *
   * If the trust policy has `witnesses`, checkpoints of the policy's own keys count, too. If a quorum of
   * witnesses has seen a log with the message, the message counts as received by the time when they had seen
   * the log. `signedBy.time` is then `'witnessed'`.
   */
  readonly checkpoints?: readonly LoggedMessages[] | undefined
}

/** @internal Names of the options of functions that refuse `payload`, because they do not compare it. */
export const WITHOUT_PAYLOAD = ['keyring', 'codec', 'pool', 'receivedAt', 'leases', 'checkpoints']
/** @internal Names of the options of functions that check a payload. */
export const WITH_PAYLOAD: readonly string[] = [...WITHOUT_PAYLOAD, 'payload', 'signal', 'onProgress']

/**
 * @internal Returns the bundles of a validly signed message if the trust policy permits them. Modifies the
 * given objects, because copying them took a fifth of the time for a batch.
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

/** Length of a message in bytes above which comparing its bundles with a trust policy may take long. */
const LONG_BYTES = 4096

/**
 * @internal Compares the bundles of a long message with the trust policy in steps, and caches the result for
 * {@link permit}.
 *
 * @param bytes - length of the message
 * @returns undefined for a short message, or without a trust policy
 */
export function compareWithRules(
  bundles: readonly IdentifiedBundle[],
  { judge }: JudgedKeyring,
  bytes: number,
): Promise<void> | undefined {
  return judge && bytes > LONG_BYTES ? runYielding(judge.comparingSteps(bundles)) : undefined
}

/**
 * @internal Calls a function with the current trusted keys. Closes a keyring that was made for the call.
 * First loads the algorithms other than Ed25519 if a key needs them.
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
    // Await only a promise, because an unneeded await would delay every message.
    return result instanceof Promise ? await result : result
  } finally {
    closeTrusted(keyring, trusting)
  }
}

/**
 * Calls `use` with the trusted keys, like `withTrusted`. If the signer of the message is unknown, calls it
 * again with the keys of the leases.
 *
 * @throws AlvariumError `CONFIG_INVALID` for leases without a trust policy, and for too many leases
 */
export function withLeases<T>(
  options: Pick<VerifyOptions, 'keyring' | 'pool' | 'checkpoints'>,
  leases: LeaseOptions['leases'],
  use: (judging: JudgedKeyring) => T | Promise<T>,
): Promise<T> {
  const { checkpoints } = options
  return withTrusted(options, (trusting) => {
    const given = leasesFor(leases, checkpoints, trusting)
    return given ? leaseTrustOf(trusting).verifyOne(given, use, checkpoints) : use(trusting)
  })
}
