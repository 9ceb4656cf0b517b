import { stripBom } from '../../foundation/base/text/text.js'

/**
 * Allocates memory for a secret, to be wiped with `fill(0)`. V8 keeps the bytes of small arrays in its heap, and copies
 * them out when their buffer is requested, for example to transfer it. The first copy then stays, out of reach.
 */
export function secretBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(length))
}

/** Copies bytes into separate memory for secrets. */
export function secretCopy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = secretBytes(bytes.length)
  copy.set(bytes)
  return copy
}

const encoder = new TextEncoder()

/** Converts ASCII text to as many bytes as it has characters. Other characters become bytes that no form of a key has. */
export function secretText(text: string): Uint8Array<ArrayBuffer> {
  const bytes = secretBytes(text.length)
  encoder.encodeInto(text, bytes)
  return bytes
}

/** Returns whether ASCII text stands at a position. Makes no string of the bytes, which may be a key. */
export function hasTextAt(expected: string, bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < expected.length; index++) {
    if (bytes[at + index] !== expected.charCodeAt(index)) return false
  }
  return true
}

/** Returns the bytes without white space at both ends, and without the byte order mark of UTF-8. */
export function trimBytes(marked: Uint8Array): Uint8Array {
  const bytes = stripBom(marked)
  let [start, end] = [0, bytes.length]
  while (start < end && isSpace(bytes[start] as number)) start++
  while (start < end && isSpace(bytes[end - 1] as number)) end--
  return bytes.subarray(start, end)
}

/** Returns whether a character is white space of ASCII: a space, a tab, or a line break. */
export function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}

/** Depth of nested calls: at 50 to 200 bytes each, they need several times the stack of a call of the core. */
const CORE_DEPTH = 600
/** Depth for the other algorithms: their functions nest deeper, and Firefox' first code for them has large frames. */
const ALGORITHMS_DEPTH = 1200

/**
 * Asserts that enough of the stack is left. Call it before a private key enters WebAssembly: a call that exhausts the
 * stack leaves the key in memory, and no further call could wipe it. A single call with many arguments would not do,
 * because Firefox keeps those elsewhere.
 *
 * @throws RangeError (in Firefox an InternalError), the engine's own, when little is left of the stack
 */
export function assertStack(): void {
  nest(CORE_DEPTH)
}

/** Asserts the same before a private key of another algorithm enters WebAssembly. */
export function assertDeepStack(): void {
  nest(ALGORITHMS_DEPTH)
}

/** Nests calls. The sum keeps each call waiting for the next, so that no engine makes a loop of it. */
function nest(depth: number): number {
  return depth === 0 ? 0 : 1 + nest(depth - 1)
}
