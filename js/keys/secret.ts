import { withoutMark } from '../base/text/text.js'

/**
 * Memory for a secret, to be wiped with `fill(0)`. V8 keeps the bytes of small arrays with the objects of its heap, and
 * copies them out of there when somebody asks for their buffer, to transfer it for example: the first copy stays,
 * and nobody can reach it any more.
 */
export function secretBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(length))
}

/** A copy, in memory of its own. */
export function secretCopy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = secretBytes(bytes.length)
  copy.set(bytes)
  return copy
}

const encoder = new TextEncoder()

/** A text as bytes, as many as it has characters: those of ASCII. Others end as bytes that no form of key has. */
export function secretText(text: string): Uint8Array<ArrayBuffer> {
  const bytes = secretBytes(text.length)
  encoder.encodeInto(text, bytes)
  return bytes
}

/** Whether a text of ASCII stands there. Of the bytes, which may be a key, no string is made. */
export function stands(expected: string, bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < expected.length; index++) {
    if (bytes[at + index] !== expected.charCodeAt(index)) return false
  }
  return true
}

/** What stands between white space, behind the mark that UTF-8 can begin with. */
export function trimmed(marked: Uint8Array): Uint8Array {
  const bytes = withoutMark(marked)
  let [start, end] = [0, bytes.length]
  while (start < end && isSpace(bytes[start] as number)) start++
  while (start < end && isSpace(bytes[end - 1] as number)) end--
  return bytes.subarray(start, end)
}

/** White space of ASCII: a space, or what breaks lines and tabulates. */
export function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}

/** Calls within each other: at 50 to 200 bytes each they take several times the stack that a call of the core does. */
const DEPTH = 600
/** The other algorithms' functions call each other deeper, and Firefox' first code for them has large frames. */
const MORE_DEPTH = 1200

/**
 * To be called before a private key enters WebAssembly: there a call that ends for want of stack leaves the key where it is, and
 * at the end of the stack nothing can be called that would wipe it. (Not one call with many arguments: Firefox keeps those elsewhere.)
 *
 * @throws RangeError (in Firefox an InternalError), the engine's own, where little is left of the stack
 */
export function assertStack(): void {
  nest(DEPTH)
}

/** The same before a key of another algorithm does. */
export function assertDeepStack(): void {
  nest(MORE_DEPTH)
}

/** The sum keeps each call waiting for the next: no engine makes a loop of it. */
function nest(depth: number): number {
  return depth === 0 ? 0 : 1 + nest(depth - 1)
}
