import { join } from '../base/join.js'
import { turns } from '../keys/turns.js'

/** About as many bytes of bundles as one part has: some milliseconds of work. */
const PART_BYTES = 256 * 1024
/**
 * Where one bundle of a batch ends and the next begins, as most write it. Inside of a string the quotation mark would be escaped
 * or followed by something else, and no other array has objects with this member.
 */
const BETWEEN = new TextEncoder().encode('},{"action":')
/** Bundles are seldom longer. */
const NEAR = 64 * 1024

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** A large batch, cut into parts: each a batch of some of its bundles, with all that stands around them. */
export interface Parts {
  /** The smallest part there is, with nothing but the first bundle. */
  readonly first: Uint8Array
  readonly count: number
  /** @param at - from 0 */
  part(at: number): Uint8Array
}

/**
 * Cuts the JSON of a batch into parts. Nothing is checked here: what is no batch, or no JSON, makes parts that are none.
 * As a text and its parts have the same beginning and the same end, and are cut at commas between items, whoever reads all
 * parts strictly has read the text strictly.
 */
export async function partsOf(text: Uint8Array): Promise<Parts> {
  // A batch has no array before that of its bundles.
  const begin = scan(text, 0, (byte) => byte === OPEN_ARRAY) + 1
  const cuts = [begin - 1]
  for (let at = begin; at < text.length; at = (cuts.at(-1) as number) + 1) {
    await turns.over
    cuts.push(nextCut(text, at, PART_BYTES))
    if (text[cuts.at(-1) as number] !== COMMA) break
  }
  const end = cuts.at(-1) as number
  const between = (from: number, to: number) =>
    join([text.subarray(0, begin), text.subarray(from, to), text.subarray(end)]).bytes
  return {
    first: between(begin, nextCut(text, begin, 0)),
    count: cuts.length - 1,
    part: (at) => between((cuts[at] as number) + 1, cuts[at + 1] as number),
  }
}

/** The comma behind a bundle, at least so many bytes on, or the end of them. */
function nextCut(text: Uint8Array, from: number, least: number): number {
  const near = commaNear(text, from + least)
  if (near !== undefined) return near
  let depth = 0
  return scan(text, from, (byte, at) => {
    if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++
    if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--
    return depth < 0 || (depth === 0 && byte === COMMA && at - from >= least)
  })
}

function commaNear(text: Uint8Array, from: number): number | undefined {
  const some = text.subarray(from, from + NEAR)
  for (let at = some.indexOf(CLOSE_OBJECT); at >= 0; at = some.indexOf(CLOSE_OBJECT, at + 1)) {
    if (BETWEEN.every((byte, next) => some[at + next] === byte)) return from + at + 1
  }
  return undefined
}

/** The place of the first byte outside of strings that is wanted, or the end. */
function scan(text: Uint8Array, from: number, isWanted: (byte: number, at: number) => boolean): number {
  let isText = false
  for (let at = from; at < text.length; at++) {
    const byte = text[at] as number
    if (byte === QUOTE) isText = !isText
    else if (isText) at += byte === BACKSLASH ? 1 : 0
    else if (isWanted(byte, at)) return at
  }
  return text.length
}
