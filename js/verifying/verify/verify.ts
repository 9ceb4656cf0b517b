import { copyBytes } from '../../foundation/base/bytes/join.js'
import { assertBytes, malformed, withSigner } from '../../foundation/base/errors.js'
import { assertNames } from '../../foundation/base/options/names.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import { withCore } from '../../foundation/core/core.js'
import type { Bundle, IdentifiedBundle } from '../../foundation/model/bundle.js'
import type { PayloadSource, SourceOptions } from '../../foundation/model/payload.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import { copyLeases } from '../../signing/keys/lease-options.js'
import { receivedMs, trustingIn } from '../../signing/keys/trust-policy.js'
import { digestSource, isSource } from '../../signing/sources/source.js'
import { identityOf, verifyLarge } from './large.js'
import { verifyOne } from './one.js'
import {
  compareWithRules,
  permit,
  type VerifiedBundle,
  type VerifyOptions,
  WITH_PAYLOAD,
  WITHOUT_PAYLOAD,
  withLeases,
} from './options.js'
import { LARGE_BYTES } from './parts.js'
import { checkPayload } from './payload.js'
import { decodeToJson } from './readable.js'

/**
 * Verifies a message with one bundle. Checks in this order: structure, signer, signature, `payload` if given,
 * and the trust policy if given. The bundle may be one that {@link extractBundle} has extracted from a batch.
 *
 * @returns the verified bundle, with only signed fields of the message
 * @throws TypeError when `message` is not a `Uint8Array`, or `payload` is neither bytes nor a source
 * @throws TypeError when a source yields something other than bytes, `leases` is no array of `Uint8Array`, or
 *   `receivedAt` is not a time
 * @throws AlvariumError `MESSAGE_MALFORMED`, `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`, `PAYLOAD_MISMATCH`;
 *   `PAYLOAD_INVALID` and `QUEUE_FULL` for a source, as in `keyOf`; with a trust policy `SIGNER_NOT_ALLOWED`,
 *   `SIGNER_EXPIRED`, `SIGNER_REVOKED`; `KEY_INVALID` for an unreadable key of the keyring; `CONFIG_INVALID`
 *   for an unknown option, for too many leases, and for leases without a trust policy; with a pool,
 *   `QUEUE_FULL` and `STREAM_CLOSED`
 *
 * @example
 * ```ts
 * const bundle = await verifyMessage(message, { keyring, payload })
 * const satisfied = bundle.annotations.filter((annotation) => annotation.isSatisfied)
 * ```
 */
export async function verifyMessage(message: Uint8Array, options: VerifyOptions): Promise<VerifiedBundle> {
  assertNames(options, WITH_PAYLOAD)
  const { codec, pool } = options
  const source = isSource(options.payload) ? options.payload : undefined
  const given = source ? undefined : (options.payload as Uint8Array | undefined)
  if (given !== undefined) assertBytes(given, 'payload')
  const receivedAt = receivedMs(options.receivedAt)
  const leases = copyLeases(options)
  const json = decodeToJson(message, codec)
  const turn = pool ? undefined : verifyTurns.yieldIfDue()
  const mayChange = turn !== undefined || mayWait(json, options)
  const [text, payload] = mayChange ? [copyBytes(json), given && copyBytes(given)] : [json, given]
  if (turn) await turn
  // Await here, because returning the promise would cost two more turns of the microtask queue.
  return await withLeases(options, leases, (trusting) => {
    const { keyring } = trusting
    const judged = (bundles: readonly IdentifiedBundle[]) => {
      const bundle = onlyBundleOf(bundles)
      // Check the payload before the caller can change it. In a pool, the workers check it.
      if (payload !== undefined && !pool) checkPayload(bundle, payload)
      const signed = () => identityOf(bundle, () => text)
      const isChecked = payload !== undefined || source !== undefined
      const accept = () => permit(bundles, trusting, receivedAt, signed, isChecked)[0] as VerifiedBundle
      const compare = () => compareWithRules(bundles, trusting, text.length)
      const waiting = source ? checkSource(bundle, source, options).then(compare) : compare()
      return waiting ? waiting.then(accept) : accept()
    }
    const bundles = pool ? pool.verify(keyring, text, payload) : verifyAll(text, keyring)
    return bundles instanceof Promise ? bundles.then(judged) : judged(bundles)
  })
}

/**
 * Verifies a message with one bundle, or a batch of bundles under one signature.
 *
 * @returns the verified bundles in order, with only signed fields of the message
 * @throws AlvariumError as {@link verifyMessage} does, if any bundle is altered or not permitted
 *
 * @example
 * ```ts
 * for (const { key, annotations } of await verifyBatch(message, { keyring })) record(key, annotations)
 * ```
 */
export async function verifyBatch(
  message: Uint8Array,
  options: Omit<VerifyOptions, 'payload' | keyof SourceOptions>,
): Promise<VerifiedBundle[]> {
  assertNames(options, WITHOUT_PAYLOAD)
  const { codec, pool } = options
  const receivedAt = receivedMs(options.receivedAt)
  const leases = copyLeases(options)
  const json = decodeToJson(message, codec)
  const text = mayWait(json, options) ? copyBytes(json) : json
  return withLeases(options, leases, async (trusting) => {
    const { keyring } = trusting
    const bundles = await (pool ? pool.verify(keyring, text) : verifyAll(text, keyring))
    await compareWithRules(bundles, trusting, text.length)
    return permit(bundles, trusting, receivedAt, () => identityOf(bundles[0], () => text))
  })
}

function onlyBundleOf([bundle, ...others]: readonly IdentifiedBundle[]): IdentifiedBundle {
  if (bundle === undefined || others.length > 0) {
    const got = `a batch of ${others.length + 1}: use verifyBatch or extractBundle`
    throw malformed('message', 'one bundle', got)
  }
  return bundle
}

/** Returns whether verifying may pause, so that the caller could change the message meanwhile. */
function mayWait(
  text: Uint8Array,
  { keyring, pool, leases, checkpoints }: Pick<VerifyOptions, 'keyring' | 'pool' | 'leases' | 'checkpoints'>,
): boolean {
  const known = trustingIn(keyring)?.keyring
  if (leases || checkpoints || !known || known.outside) return true
  return !pool && (text.length > LARGE_BYTES || !known.isReady)
}

function verifyAll(text: Uint8Array, trusted: Keyring): IdentifiedBundle[] | Promise<IdentifiedBundle[]> {
  return text.length > LARGE_BYTES ? verifyLarge(trusted, text) : JSON.parse(verifyOne(trusted, text))
}

/** @internal Compares a bundle with a payload source. Throws `PAYLOAD_MISMATCH`, and as `digestSource` does. */
async function checkSource(
  { hash, key, signer }: Bundle,
  source: PayloadSource,
  { signal, onProgress }: SourceOptions,
): Promise<void> {
  const { digest } = await digestSource(source, { hash, signal, onProgress })
  withSigner(signer, () => withCore((core) => core.checkPayload(hash, key, digest, true)))
}
