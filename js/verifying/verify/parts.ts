import { join } from '../../foundation/base/bytes/join.js'
import { AlvariumError, malformed, readIfValid } from '../../foundation/base/errors.js'
import { hasTextAt } from '../../foundation/base/text/text.js'
import { MaxCount, withCore } from '../../foundation/core/core.js'

/**
 * Size in bytes up to which a text is always parsed as a whole. Longer texts are cut into parts of about this
 * size, if {@link cutSteps} can cut them.
 */
export const LARGE_BYTES = 256 * 1024
/**
 * Bytes between two bundles of a batch, in most encodings. They cannot occur inside of a string, because
 * strings escape quotation marks, and only bundles have the member `action`.
 */
const BUNDLE_BORDER = '},{"action":'
/** Size in bytes that few bundles exceed. The search for a border first looks at this many bytes. */
const USUAL_BUNDLE_BYTES = 64 * 1024
/**
 * Maximum size in bytes of one bundle in a text that is cut. A text with a longer bundle is parsed as a
 * whole, because searching for the bundle's end would take longer than parsing.
 */
const MAX_BUNDLE_BYTES = 2 * 1024 * 1024

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Parts of a message. Each is a message with some bundles of a batch, or some inputs of a bundle. */
export interface BatchParts {
  /** Smallest part, which has only the first bundle or input. */
  readonly first: Uint8Array
  readonly count: number
  /** Returns a part by its index, from 0. */
  part(at: number): Uint8Array
  /** Returns the JSON of the message, with the given bytes instead of the array from which the parts were cut. */
  with(instead: Uint8Array): Uint8Array
}

/**
 * Cuts the JSON of a message of more than `LARGE_BYTES` into parts at the items of its first array. Returns
 * undefined if no array begins in the first `LARGE_BYTES`, if the array has no end, if one item exceeds about
 * `MAX_BUNDLE_BYTES`, or if the text around the array exceeds `LARGE_BYTES`. Validates nothing: invalid JSON
 * results in invalid parts.
 *
 * All parts begin and end like the text, and are cut at commas between items. Therefore, strict parsing of
 * all parts is as strict as parsing the whole text. The caller may pause before each cut.
 */
export function* cutSteps(text: Uint8Array): Generator<undefined, BatchParts | undefined> {
  // Cut the first array. It contains the bundles of a batch, or the inputs of a bundle if this SDK wrote the bundle.
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

const SHORT = new TextEncoder().encode(JSON.stringify({ size: 1, root: '0'.repeat(64) }))

/** Returns whether the parts were cut from a bundle's inputs. Other writers may put the annotations first. */
export function areOfInputs(parts: BatchParts): boolean {
  return readIfValid(() => withCore((core) => core.identityOf(parts.with(SHORT), true))) !== undefined
}

function beginOfArray(text: Uint8Array): number {
  const end = Math.min(text.length, LARGE_BYTES)
  for (let at = 0; at < end; at++) {
    if (text[at] === QUOTE) at = endOfString(text, at)
    else if (text[at] === OPEN_ARRAY) return at
  }
  return -1
}

/**
 * Returns the offset of the next comma between items, at least `least` bytes away, or of the array's end;
 * undefined if there is none within MAX_BUNDLE_BYTES. Calls no callback for each byte, because 16 MiB without
 * a comma would then take a second.
 */
function nextCut(text: Uint8Array, from: number, least: number): number | undefined {
  const near = commaNear(text, from + least)
  if (near !== undefined) return near
  const end = Math.min(text.length, from + MAX_BUNDLE_BYTES)
  let depth = 0
  for (let at = from; at < end; at++) {
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
  const slice = text.subarray(from, from + USUAL_BUNDLE_BYTES)
  for (let at = slice.indexOf(CLOSE_OBJECT); at >= 0; at = slice.indexOf(CLOSE_OBJECT, at + 1)) {
    if (hasTextAt(BUNDLE_BORDER, slice, at)) return from + at + 1
  }
  return undefined
}

/** Returns the offset of the closing quote of the string at `begin`, or the length of the text. */
function endOfString(text: Uint8Array, begin: number): number {
  for (let at = begin + 1; at < text.length; at++) {
    if (text[at] === QUOTE) return at
    if (text[at] === BACKSLASH) at++
  }
  return text.length
}

export function assertMaxBundles(count: number): void {
  if (count <= MaxCount.Bundles) return
  throw malformed('message: bundles', `at most ${MaxCount.Bundles}`, 'more')
}

/**
 * Calls `run` for a part of a message. Adds the number of the part's first bundle to the text of a
 * `MESSAGE_MALFORMED` error, because the indexes in this text count from that bundle.
 */
export function inPart<T>(before: number, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (before === 0 || !(error instanceof AlvariumError) || error.code !== 'MESSAGE_MALFORMED') throw error
    const text = `${error.message} (indexes count from bundle ${before}, where this part of the message begins)`
    throw new AlvariumError('MESSAGE_MALFORMED', text)
  }
}
