import { join } from '../base/bytes/join.js'
import { AlvariumError, isVerdict, malformed } from '../base/errors.js'
import { Most, withCore } from '../core/core.js'

/** A text up to here takes a few milliseconds, and is read as a whole. Of a longer one, a part has about as many bytes of bundles. */
export const LARGE_BYTES = 256 * 1024
/**
 * Where one bundle of a batch ends and the next begins, as most write it. Inside of a string the quotation mark would be escaped
 * or followed by something else, and no other array has objects with this member.
 */
const BETWEEN = new TextEncoder().encode('},{"action":')
/** Bundles are seldom longer. */
const NEAR = 64 * 1024
/** Whoever has a longer one has the whole text verified at once: to look on would take longer than that. */
const FAR = 2 * 1024 * 1024

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** A large batch, cut into parts: each a batch of some of its bundles, with all that stands around them. Or a bundle, by its inputs. */
export interface BatchParts {
  /** The smallest part there is, with nothing but the first bundle. */
  readonly first: Uint8Array
  readonly count: number
  /** @param at - from 0 */
  part(at: number): Uint8Array
  /** The text with something else in the place of the array. */
  with(instead: Uint8Array): Uint8Array
}

/**
 * Cuts the JSON of a batch of more than `LARGE_BYTES` into parts; nothing where there is no array with an end, or so much
 * around it or in one item that reading all at once takes less time. Nothing is checked here: what is no batch, or no JSON, makes parts that are none.
 * As a text and its parts have the same beginning and the same end, and are cut at commas between items, whoever reads all
 * parts strictly has read the text strictly. It can be left alone between two cuts.
 */
export function* cutting(text: Uint8Array): Generator<undefined, BatchParts | undefined> {
  // A batch has no array before that of its bundles; nor has a bundle of ours one before that of its inputs (`areOfInputs`).
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

/** Stands for any inputs. */
const SHORT = new TextEncoder().encode(JSON.stringify({ size: 1, root: '0'.repeat(64) }))

/** Whether the array that was cut is that of a bundle's inputs: members may be in any order, and its annotations may come first. */
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
 * The comma behind a bundle, at least so many bytes on, or the end of them; nothing if it is far. (Loops without callbacks: anybody can send 16 MiB
 * without a comma, and with a callback for each byte they took more than a second.)
 */
function nextCut(text: Uint8Array, from: number, least: number): number | undefined {
  const near = commaNear(text, from + least)
  if (near !== undefined) return near
  const most = Math.min(text.length, from + FAR)
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
  const some = text.subarray(from, from + NEAR)
  for (let at = some.indexOf(CLOSE_OBJECT); at >= 0; at = some.indexOf(CLOSE_OBJECT, at + 1)) {
    if (BETWEEN.every((byte, next) => some[at + next] === byte)) return from + at + 1
  }
  return undefined
}

/** The quotation mark that ends the string that begins here, or the end. */
function endOfString(text: Uint8Array, begin: number): number {
  for (let at = begin + 1; at < text.length; at++) {
    if (text[at] === QUOTE) return at
    if (text[at] === BACKSLASH) at++
  }
  return text.length
}

/** @throws AlvariumError `MESSAGE_MALFORMED` for more bundles than a batch may have */
export function assertFew(count: number): void {
  if (count <= Most.Bundles) return
  throw malformed('message: bundles', `at most ${Most.Bundles}`, 'more')
}

/** What is wrong in a part counts from its beginning: says where that is. */
export function inPart<T>(before: number, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (before === 0 || !(error instanceof AlvariumError) || error.code !== 'MESSAGE_MALFORMED') throw error
    const text = `${error.message}, counted in the part that begins with bundle ${before}`
    throw new AlvariumError('MESSAGE_MALFORMED', text)
  }
}
