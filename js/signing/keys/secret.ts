import { fourBits } from '../../foundation/base/bytes/hex.js'
import { stripBom } from '../../foundation/base/text/text.js'

/**
 * Allocates memory for a secret, which the caller wipes with `fill(0)`. It allocates a buffer first, because V8 stores
 * small arrays in its heap, and copies them when their buffer is requested: the bytes in the heap could not be wiped.
 */
export function secretBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(length))
}

export function secretCopy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = secretBytes(bytes.length)
  copy.set(bytes)
  return copy
}

const encoder = new TextEncoder()

/** Converts ASCII text to bytes, one for each character. Other characters become bytes that no key contains. */
export function secretText(text: string): Uint8Array<ArrayBuffer> {
  const bytes = secretBytes(text.length)
  encoder.encodeInto(text, bytes)
  return bytes
}

/**
 * Decodes hexadecimal digits. Returns undefined for other characters, and for an odd number of digits. The
 * caller wipes the digits and the result.
 */
export function secretFromHex(digits: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  if (digits.length % 2 > 0 || digits.some((code) => fourBits(code) < 0)) return undefined
  const bytes = secretBytes(digits.length >> 1)
  for (const at of bytes.keys()) {
    bytes[at] = (fourBits(digits[2 * at] as number) << 4) | fourBits(digits[2 * at + 1] as number)
  }
  return bytes
}

/** Removes a UTF-8 byte order mark, and white space at the beginning and the end. */
export function trimBytes(marked: Uint8Array): Uint8Array {
  const bytes = stripBom(marked)
  let [start, end] = [0, bytes.length]
  while (start < end && isSpace(bytes[start] as number)) start++
  while (start < end && isSpace(bytes[end - 1] as number)) end--
  return bytes.subarray(start, end)
}

/** Returns whether a character code is ASCII white space: a space, a tab, or a line break. */
export function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}

/**
 * Depth of nested calls for {@link assertStack}. They need several times as much stack as one call of the
 * core.
 */
const CORE_DEPTH = 600
/** Depth of nested calls for {@link assertDeepStack}. In Firefox, the first calls have large stack frames. */
const ALGORITHMS_DEPTH = 1200

/**
 * Asserts that enough of the stack is left. Call it before a private key enters WebAssembly: a call that exhausts the
 * stack leaves the key in memory, and no further call could wipe it. The assertion nests calls, because Firefox stores
 * the arguments of a single call with many arguments outside of the stack.
 *
 * @throws the engine's own RangeError (in Firefox an InternalError) when too little of the stack is left
 */
export function assertStack(): void {
  probeStack(CORE_DEPTH)
}

/** Asserts that enough of the stack is left for ECDSA and SM2, like {@link assertStack} for Ed25519. */
export function assertDeepStack(): void {
  probeStack(ALGORITHMS_DEPTH)
}

/** Nests calls. The addition prevents engines from optimizing the recursion into a loop. */
function probeStack(depth: number): number {
  return depth === 0 ? 0 : 1 + probeStack(depth - 1)
}
