import { AlvariumError } from '../base/errors.js'
import { messagesOf } from '../base/join.js'
import { assertNames } from '../base/names.js'
import { encoded } from '../codecs/checked.js'
import type { Codec } from '../codecs/codec.js'
import { json } from '../codecs/json.js'
import { withCore } from '../core/core.js'
import type { VerifyOptions } from './options.js'
import { readable } from './readable.js'

/** FORMAT.md, Limits. */
const MOST_BUNDLES = 65_536

/**
 * Takes one bundle out of a batch, as a message of its own: with its inclusion proof (RFC 9162 §2.1.3) it verifies
 * without the others. Nothing is verified here.
 *
 * @param index - the bundle's place in the batch, from 0
 * @throws RangeError when `index` is no whole number, or below 0
 * @throws AlvariumError `MESSAGE_MALFORMED` when the message is no batch, or has no bundle at `index`; `CODEC_FAILED` for a codec that
 * does not encode at once
 *
 * @example
 * ```ts
 * const { message, index } = await sdk.create(payload) // of an SDK with batches
 * const evidence = extractBundle(message, index)
 * await verifyMessage(evidence, { keyring, payload })
 * ```
 */
export function extractBundle(
  message: Uint8Array,
  index: number,
  options: Pick<VerifyOptions, 'codec'> = {},
): Uint8Array {
  assertNames(options, ['codec'])
  const { codec = json() } = options
  const text = readable(message, codec)
  if (!Number.isInteger(index) || index < 0) throw new RangeError(`index: expected 0 or more, got ${index}`)
  // The core counts in 32 bits, in which 2³² is 0.
  if (index >= MOST_BUNDLES) {
    throw new AlvariumError('MESSAGE_MALFORMED', `index: expected below ${MOST_BUNDLES}, got ${index}`)
  }
  return encoded(
    codec,
    withCore((core) => core.extractBundle(text, index)),
  )
}

/** As much as crosses at a time: enough that a batch is seldom read twice, little enough for memory that never shrinks. */
const GROUP_BYTES = 8 * 1024 * 1024

/**
 * Takes all bundles out of a batch, in order, each as {@link extractBundle} would; the batch is read once, or a few times
 * when it is large. Nothing is verified here.
 *
 * @throws TypeError when `message` is not a `Uint8Array`
 * @throws AlvariumError `MESSAGE_MALFORMED` when the message is no batch; `CODEC_FAILED` as {@link extractBundle}
 *
 * @example
 * ```ts
 * for (const evidence of extractBundles(message)) await archive(evidence)
 * ```
 */
export function extractBundles(
  message: Uint8Array,
  options: Pick<VerifyOptions, 'codec'> = {},
): IterableIterator<Uint8Array> {
  assertNames(options, ['codec'])
  const { codec = json() } = options
  const text = readable(message, codec)
  // At once, so that what is wrong with the message is said here and not in the loop.
  return extracted(text, groupFrom(text, 0), codec)
}

function* extracted(text: Uint8Array, first: Uint8Array, codec: Codec): Generator<Uint8Array, void> {
  let from = 0
  for (let group = first; group.length > 0; group = groupFrom(text, from)) {
    const messages = messagesOf(group)
    for (const message of messages) yield encoded(codec, message)
    if (group.length < GROUP_BYTES) return
    from += messages.length
  }
}

function groupFrom(text: Uint8Array, from: number): Uint8Array {
  return withCore((core) => core.extractFrom(text, from, GROUP_BYTES))
}

/**
 * The bytes that a message's signature is over, rebuilt from what the message says (FORMAT.md, Identity bytes): for
 * looking at them, or for verifying with another implementation of Ed25519. Nothing is verified here. A batch, and a
 * bundle taken out of it, have the same: those of the batch.
 *
 * @throws TypeError when `message` is not a `Uint8Array`
 * @throws AlvariumError `MESSAGE_MALFORMED`, and `SIGNATURE_INVALID` for a bundle out of a batch whose proof leads nowhere
 *
 * @example
 * ```ts
 * const { signature } = JSON.parse(new TextDecoder().decode(message)).content
 * verifyBytes(verifyingKey, identityBytes(message), Buffer.from(signature, 'hex')) // true
 * ```
 */
export function identityBytes(message: Uint8Array, options: Pick<VerifyOptions, 'codec'> = {}): Uint8Array {
  assertNames(options, ['codec'])
  const text = readable(message, options.codec)
  return withCore((core) => core.identityOf(text))
}
