import { join } from '../../foundation/base/bytes/join.js'
import { AlvariumError, isVerdict, malformed } from '../../foundation/base/errors.js'
import { MaxCount, withCore } from '../../foundation/core/core.js'

/**
 * Limit in bytes of a text that is read as a whole, in a few milliseconds. A part of a longer text has about as many
 * bytes of bundles.
 */
export const LARGE_BYTES = 256 * 1024
/**
 * Bytes where one bundle of a batch ends and the next begins, in most encodings. Inside of a string, the quotation mark
 * would be escaped or have another text behind it, and no other array has objects with this member.
 */
const BUNDLE_BORDER = new TextEncoder().encode('},{"action":')
/** Length in bytes that bundles seldom exceed. */
const USUAL_BUNDLE_BYTES = 64 * 1024
/**
 * Limit in bytes of one bundle. A text with a longer one is verified at once, because searching on would take
 * longer.
 */
const MAX_BUNDLE_BYTES = 2 * 1024 * 1024

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Parts of a large batch, each a batch of some of its bundles with everything around them; or parts of a bundle, by its
 * inputs.
 */
export interface BatchParts {
  /** Smallest part, with only the first bundle. */
  readonly first: Uint8Array
  readonly count: number
  /** @param at - from 0 */
  part(at: number): Uint8Array
  /** Returns the text with something else in place of the array. */
  with(instead: Uint8Array): Uint8Array
}

/**
 * Cuts the JSON of a batch of more than `LARGE_BYTES` into parts. Returns undefined if no array ends, or if so much is
 * around it or in one item that reading all at once takes less time. Checks nothing: a text that is not a batch, or not
 * JSON, makes invalid parts.
 *
 * A text and its parts have the same beginning and the same end, and are cut at commas between items. Therefore,
 * reading all parts strictly reads the text strictly. The caller may pause between two cuts.
 */
export function* cutSteps(text: Uint8Array): Generator<undefined, BatchParts | undefined> {
  // Take the first array: a batch has none before its bundles, and our own bundles none before their inputs
  // (`areOfInputs`).
  const begin = beginOfArray(text) + 1
  if (begin === 0) return undefined
  const cuts = [begin - 1]
  for (let at = begin; at < text.length; at = (cuts.at(-1) as number) + 1) {
    yield
    const cut = nextCut(text, at, LARGE_BYTES)
    if (cut === undefined) return undefined
    cuts.push(cut)
    if (text[cut] !== COMMA) break
  }
  const end = cuts.at(-1) as number
  if (begin + text.length - end > LARGE_BYTES) return undefined
  const between = (from: number, to: number) =>
    join([text.subarray(0, begin), text.subarray(from, to), text.subarray(end)]).bytes
  return {
    first: between(begin, nextCut(text, begin, 0) as number),
    count: cuts.length - 1,
    part: (at) => between((cuts[at] as number) + 1, cuts[at + 1] as number),
    with: (instead) => join([text.subarray(0, begin - 1), instead, text.subarray(end + 1)]).bytes,
  }
}

/** Placeholder for any inputs. */
const SHORT = new TextEncoder().encode(JSON.stringify({ size: 1, root: '0'.repeat(64) }))

/**
 * Returns whether the array that was cut holds a bundle's inputs: members may be in any order, and its annotations may
 * come first.
 */
export function areOfInputs(parts: BatchParts): boolean {
  try {
    withCore((core) => core.identityOf(parts.with(SHORT), true))
    return true
  } catch (error) {
    if (isVerdict(error)) return false
    throw error
  }
}

function beginOfArray(text: Uint8Array): number {
  const most = Math.min(text.length, LARGE_BYTES)
  for (let at = 0; at < most; at++) {
    if (text[at] === QUOTE) at = endOfString(text, at)
    else if (text[at] === OPEN_ARRAY) return at
  }
  return -1
}

/**
 * Returns the position of the comma behind a bundle, at least so many bytes on, or of the end of the array; undefined
 * if it is far. Uses loops without callbacks: anyone can send 16 MiB without a comma, for which a callback for each
 * byte took more than a second.
 */
function nextCut(text: Uint8Array, from: number, least: number): number | undefined {
  const near = commaNear(text, from + least)
  if (near !== undefined) return near
  const most = Math.min(text.length, from + MAX_BUNDLE_BYTES)
  let depth = 0
  for (let at = from; at < most; at++) {
    const byte = text[at]
    if (byte === QUOTE) at = endOfString(text, at)
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--
    else if (byte === COMMA && depth === 0 && at - from >= least) return at
    if (depth < 0) return at
  }
  return undefined
}

function commaNear(text: Uint8Array, from: number): number | undefined {
  const some = text.subarray(from, from + USUAL_BUNDLE_BYTES)
  for (let at = some.indexOf(CLOSE_OBJECT); at >= 0; at = some.indexOf(CLOSE_OBJECT, at + 1)) {
    if (BUNDLE_BORDER.every((byte, next) => some[at + next] === byte)) return from + at + 1
  }
  return undefined
}

/** Returns the position of the quotation mark that ends the string that begins here, or the end of the text. */
function endOfString(text: Uint8Array, begin: number): number {
  for (let at = begin + 1; at < text.length; at++) {
    if (text[at] === QUOTE) return at
    if (text[at] === BACKSLASH) at++
  }
  return text.length
}

/** @throws AlvariumError `MESSAGE_MALFORMED` for more bundles than a batch may have */
export function assertMaxBundles(count: number): void {
  if (count <= MaxCount.Bundles) return
  throw malformed('message: bundles', `at most ${MaxCount.Bundles}`, 'more')
}

/** Adds the place of the part to an error, whose places count from the beginning of the part. */
export function inPart<T>(before: number, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (before === 0 || !(error instanceof AlvariumError) || error.code !== 'MESSAGE_MALFORMED') throw error
    const text = `${error.message}, counted in the part that begins with bundle ${before}`
    throw new AlvariumError('MESSAGE_MALFORMED', text)
  }
}
