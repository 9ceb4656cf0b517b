import { AlvariumError, assertBytes } from '../base/errors.js'
import { assertNames } from '../base/names.js'
import type { Keyring } from '../keys/keyring.js'
import { turns } from '../keys/turns.js'
import type { IdentifiedBundle } from '../model/bundle.js'
import { LARGE_BYTES, verifyLarge } from './large.js'
import { verifyOne } from './one.js'
import {
  unchecked,
  type VerifiedBundle,
  type VerifyOptions,
  WITH_PAYLOAD,
  WITHOUT_PAYLOAD,
  withPayload,
  withTrusted,
} from './options.js'
import { checkPayload } from './payload.js'
import { readable } from './readable.js'

/**
 * Verifies a message with one bundle: structure, signer, signature and, where one is given, payload, in this order.
 * The bundle may have a signature of its own, or may have been taken out of a batch with {@link extractBundle}.
 *
 * @returns the bundle; every field in it was signed
 * @throws TypeError when `message` or `payload` is not a `Uint8Array`
 * @throws AlvariumError `MESSAGE_MALFORMED`, `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`, `PAYLOAD_MISMATCH`, and
 * `KEY_INVALID` for a key of the keyring that cannot be read, `CONFIG_INVALID` for an option that does not exist; with a
 * pool also its `QUEUE_FULL` and `STREAM_CLOSED`
 *
 * @example
 * ```ts
 * const bundle = await verifyMessage(message, { keyring, payload })
 * const satisfied = bundle.annotations.filter((annotation) => annotation.isSatisfied)
 * ```
 */
export async function verifyMessage(message: Uint8Array, options: VerifyOptions): Promise<VerifiedBundle> {
  assertNames(options, WITH_PAYLOAD)
  const { payload: given, codec, pool } = options
  if (given !== undefined) assertBytes(given, 'payload')
  const taken = readable(message, codec)
  const isPaced = !pool && turns.isOver
  const [text, payload] = isPaced ? [copied(taken), given && copied(given)] : [taken, given]
  if (isPaced) await turns.over
  const [bundle, ...others] = await withTrusted(options, (trusted) =>
    pool ? pool.verify(trusted, text, payload) : verifyAll(text, trusted),
  )
  if (bundle === undefined || others.length > 0) {
    const text = `message: expected one bundle, got a batch of ${others.length + 1}: use verifyBatch or extractBundle`
    throw new AlvariumError('MESSAGE_MALFORMED', text)
  }
  if (payload !== undefined && !pool) checkPayload(bundle, payload)
  return withPayload(bundle, payload !== undefined)
}

/**
 * Verifies a message with any number of bundles: one, or a batch under one signature.
 *
 * @returns its bundles, in order; every field in them was signed
 * @throws as {@link verifyMessage} does; when anything in a batch was altered, the whole batch is refused
 *
 * @example
 * ```ts
 * for (const { key, annotations } of await verifyBatch(message, { keyring })) record(key, annotations)
 * ```
 */
export async function verifyBatch(
  message: Uint8Array,
  options: Omit<VerifyOptions, 'payload'>,
): Promise<VerifiedBundle[]> {
  assertNames(options, WITHOUT_PAYLOAD)
  const { codec, pool } = options
  const text = readable(message, codec)
  const bundles = await withTrusted(options, (trusted) =>
    pool ? pool.verify(trusted, text) : verifyAll(text, trusted),
  )
  return bundles.map(unchecked)
}

/** Not slice(): a Buffer's slice is no copy. */
function copied(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}

function verifyAll(text: Uint8Array, trusted: Keyring): IdentifiedBundle[] | Promise<IdentifiedBundle[]> {
  return text.length > LARGE_BYTES ? verifyLarge(trusted, text) : JSON.parse(verifyOne(trusted, text))
}
