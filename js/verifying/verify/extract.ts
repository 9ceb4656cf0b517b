import { messagesOf } from '../../foundation/base/bytes/join.js'
import { malformed, numberOr } from '../../foundation/base/errors.js'
import { assertNames } from '../../foundation/base/options/names.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import { type CoreObject, hold, MaxCount, type Tree, withCore } from '../../foundation/core/core.js'
import { encodeSync } from '../../transport/codecs/checked.js'
import type { Codec } from '../../transport/codecs/codec.js'
import { json } from '../../transport/codecs/json.js'
import type { VerifyOptions } from './options.js'
import { assertMaxBundles, type BatchParts, cutSteps, inPart, LARGE_BYTES } from './parts.js'
import { decodeToJson } from './readable.js'

/**
 * Extracts one bundle of a batch as a message. An inclusion proof (RFC 9162 §2.1.3) lets it verify without
 * the other bundles. Verifies nothing.
 *
 * @param index - index of the bundle in the batch, from 0
 * @throws TypeError when `message` is not a `Uint8Array`
 * @throws RangeError when `index` is not an integer of 0 or more
 * @throws AlvariumError `MESSAGE_MALFORMED` when the message is not a batch, or has no bundle at `index`;
 *   `CODEC_FAILED` for a codec that encodes asynchronously
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
  const text = decodeToJson(message, codec)
  if (!Number.isInteger(index) || index < 0)
    throw new RangeError(`index: expected 0 or more, got ${numberOr(index)}`)
  // Check the index here, because the core uses 32-bit numbers, in which 2³² becomes 0.
  if (index >= MaxCount.Bundles) throw malformed('index', `below ${MaxCount.Bundles}`, `${index}`)
  return encodeSync(
    codec,
    withCore((core) => core.extractBundle(text, index)),
  )
}

/**
 * Number of bytes after which the core ends a group of extracted bundles. A larger group would enlarge the
 * core's memory for good. For a part below 2 MiB, the number is {@link EXTRACTED_GROWTH} times the length
 * of the part.
 */
const MAX_GROUP_BYTES = 8 * 1024 * 1024
/** Upper bound for the growth of a bundle by extraction. Most bundles become about three times as long. */
const EXTRACTED_GROWTH = 4

/** Bundles of a batch. `for` reads them synchronously; `for await` yields to the event loop. */
export interface ExtractedBundles extends IterableIterator<Uint8Array>, AsyncIterable<Uint8Array> {}

/**
 * Extracts all bundles of a batch in order, each like {@link extractBundle}. Verifies nothing.
 *
 * With `for await`, reading a large batch yields to the event loop. With `for`, reading blocks for about 10
 * ms per MB before the first bundle. The message must not change until the loop ends.
 *
 * @throws TypeError when `message` is not a `Uint8Array`
 * @throws AlvariumError `MESSAGE_MALFORMED` when the message is not a batch (above 256 KiB, the loop throws
 *   this error); `CODEC_FAILED` for a codec that encodes asynchronously
 *
 * @example
 * ```ts
 * for await (const evidence of extractBundles(message)) await archive(evidence)
 * ```
 */
export function extractBundles(
  message: Uint8Array,
  options: Pick<VerifyOptions, 'codec'> = {},
): ExtractedBundles {
  assertNames(options, ['codec'])
  const { codec = json() } = options
  const steps = extractSteps(decodeToJson(message, codec), codec)
  // Take the first step now, so that this function, and not the loop, throws for short invalid messages.
  steps.next()
  const bundles = atOnce(steps)
  return Object.assign(bundles, { [Symbol.asyncIterator]: () => yielding(steps) })
}

function* atOnce(steps: Steps): Generator<Uint8Array, void> {
  try {
    for (let step = steps.next(); !step.done; step = steps.next()) if (step.value) yield step.value
  } finally {
    steps.return()
  }
}

async function* yielding(steps: Steps): AsyncGenerator<Uint8Array, void> {
  try {
    for (let step = steps.next(); !step.done; step = steps.next()) {
      if (step.value) yield step.value
      else await verifyTurns.yieldIfDueLong()
    }
  } finally {
    steps.return()
  }
}

/** Generator of bundles, and of undefined wherever the caller may pause. */
type Steps = Generator<Uint8Array | undefined, void>

/** Extracts the bundles of a batch in steps. The first step of a short text checks that it is a batch. */
function* extractSteps(text: Uint8Array, codec: Codec): Steps {
  const tree = hold((core) => new core.Tree())
  try {
    const parts = (text.length > LARGE_BYTES && (yield* cutSteps(text))) || { count: 1, part: () => text }
    const ends = yield* growSteps(tree, parts)
    let first = 0
    for (const [at, end] of ends.entries()) {
      for (const message of extractPart(tree, parts.part(at), first, end))
        yield message && encodeSync(codec, message)
      first = end
    }
  } finally {
    tree.release()
  }
}

/** Builds the Merkle tree over all parts. Returns the number of bundles up to the end of each part. */
function* growSteps(
  tree: CoreObject<Tree>,
  { count, part }: Pick<BatchParts, 'count' | 'part'>,
): Generator<undefined, number[]> {
  const ends: number[] = []
  for (let at = 0; at < count; at++) {
    const end = inPart(ends.at(-1) ?? 0, () => withCore(() => tree.object.push(part(at))))
    assertMaxBundles(end)
    ends.push(end)
    yield
  }
  withCore(() => tree.object.end())
  return ends
}

/** Extracts the bundles of a part: those with the indexes from `first` to `end - 1` in the batch. */
function* extractPart(tree: CoreObject<Tree>, part: Uint8Array, first: number, end: number): Steps {
  const maxBytes = Math.min(MAX_GROUP_BYTES, EXTRACTED_GROWTH * part.length)
  for (let from = first; from < end; ) {
    const messages = messagesOf(withCore(() => tree.object.extract(part, first, from - first, maxBytes)))
    yield* messages
    from += messages.length
    yield
  }
}

/**
 * Rebuilds the bytes that a message's signature covers (FORMAT.md, Identity bytes), for inspection or another
 * Ed25519 implementation. An extracted bundle has the identity bytes of its batch. Verifies nothing.
 *
 * @throws TypeError when `message` is not a `Uint8Array`
 * @throws AlvariumError `MESSAGE_MALFORMED`, `SIGNATURE_INVALID` for an invalid inclusion proof
 *
 * @example
 * ```ts
 * const { signature } = JSON.parse(new TextDecoder().decode(message)).content
 * verifyBytes(verifyingKey, identityBytes(message), Buffer.from(signature, 'hex')) // true
 * ```
 */
export function identityBytes(message: Uint8Array, options: Pick<VerifyOptions, 'codec'> = {}): Uint8Array {
  assertNames(options, ['codec'])
  const text = decodeToJson(message, options.codec)
  return withCore((core) => core.identityOf(text, false))
}
