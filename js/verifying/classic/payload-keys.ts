import { stringEnd } from '../../foundation/base/text/scan.js'
import { exactText, isJson, isWellFormed } from '../../foundation/base/text/text.js'
import { keyIfAny } from '../../foundation/core/hashing.js'
import type { HashName } from '../../foundation/model/bundle.js'
import type { Dialect } from './dialect.js'

/**
 * Returns the payload keys that annotations of the dialect's SDK may have for a payload. Rust has a second one
 * for payloads that it reads as a `Signable`. Returns none if the hash cannot represent the payload.
 */
export function payloadKeys(payload: Uint8Array, hash: HashName, dialect: Dialect): string[] {
  const seed = dialect.hashesSeed ? seedOf(payload) : undefined
  const hashed = seed ? [payload, seed] : [payload]
  return hashed.flatMap((bytes) => keyIfAny(bytes, hash) ?? []).map((key) => dialect.key(key, hash))
}

/**
 * Returns the seed of a payload that the Rust SDK reads as a `Signable`, or undefined. A `Signable` is an
 * array of seed and signature, or an object with both. Other members may be invalid UTF-8.
 */
function seedOf(payload: Uint8Array): Uint8Array | undefined {
  // Decode each byte as one character, because some members may not be UTF-8.
  const text = new TextDecoder('latin1').decode(payload)
  const [start] = /[^ \t\r\n]/.exec(text) ?? []
  if (start !== '{' && start !== '[') return undefined
  const read = (at: TextRange) => textAt(payload, at)
  const [seed, signature] = start === '[' ? inArray(text, read) : inObject(text, read)
  if (seed === undefined || signature === undefined || !isJson(text)) return undefined
  return new TextEncoder().encode(seed)
}

/** Range of a value in a JSON text, as offsets in bytes. */
type TextRange = readonly [start: number, end: number]
type Read = (at: TextRange) => string | undefined
type FoundMembers = [seed?: string | undefined, signature?: string | undefined]

function inArray(text: string, read: Read): FoundMembers {
  const found: FoundMembers = []
  for (const range of rangesOf(text)) if (found.push(read(range)) > 2) return []
  return found
}

/**
 * Returns the members `seed` and `signature` of an object. Returns no members if a name is not a string,
 * or if one of the two names is repeated.
 */
function inObject(text: string, read: Read): FoundMembers {
  const found = new Map<string, string | undefined>()
  const ranges = rangesOf(text)
  for (let name = ranges.next(); !name.done; name = ranges.next()) {
    const [member, value] = [read(name.value), ranges.next().value]
    if (member === undefined || !value || found.has(member)) return []
    if (member === 'seed' || member === 'signature') found.set(member, read(value))
  }
  return [found.get('seed'), found.get('signature')]
}

/** Yields the ranges between the commas and colons of the outermost object or array of a JSON text. */
function* rangesOf(text: string): Generator<TextRange, undefined> {
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') at = stringEnd(text, at) - 1
    else if ('[{'.includes(character)) start = depth++ === 0 ? at + 1 : start
    else if (']}'.includes(character) && --depth > 0) continue
    else if (depth < 2 && ',:]}'.includes(character)) {
      yield [start, at]
      start = at + 1
    }
  }
}

function textAt(payload: Uint8Array, [start, end]: TextRange): string | undefined {
  try {
    const value: unknown = JSON.parse(exactText(payload.subarray(start, end)))
    return typeof value === 'string' && isWellFormed(value) ? value : undefined
  } catch {
    return undefined
  }
}
