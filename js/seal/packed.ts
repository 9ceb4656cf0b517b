import {
  Digest,
  flagsAt,
  Length,
  lengthAt,
  Numbers,
  PreviousDigest,
  PreviousLength,
  setFlag,
  TagLength,
} from './layout.js'

/** Calls as the core and the workers take them: crate/src/crossing.rs has the layout. */
export interface PackedCalls {
  readonly numbers: Uint32Array
  readonly bytes: Uint8Array
}

/** Each of the calls on its own, as views on the group. */
export function apiece({ numbers, bytes }: PackedCalls): PackedCalls[] {
  let end = 0
  return Array.from({ length: numbers.length / Numbers }, (_, call) => {
    const one = numbers.subarray(Numbers * call, Numbers * (call + 1))
    const start = end
    end += lengthAt(one, Length) + lengthAt(one, PreviousLength) + lengthAt(one, TagLength)
    return { numbers: one, bytes: bytes.subarray(start, end) }
  })
}

/** The payloads of a call: where their lengths are, and which flag says that they are digests. */
const PAYLOADS = [
  [Length, Digest],
  [PreviousLength, PreviousDigest],
] as const

/** A digest takes the place of its payload, so what is shorter is left to the core. */
const DIGEST_BYTES = 32

/**
 * Hashes payloads from `least` bytes on, in a group's own memory: a digest stands at the beginning of what was its payload.
 */
export function digestInPlace(
  { numbers, bytes }: PackedCalls,
  least: number,
  digest: (payload: Uint8Array) => Uint8Array,
): void {
  const from = Math.max(least, DIGEST_BYTES)
  let at = 0
  for (let call = 0; call < numbers.length; call += Numbers) {
    for (const [field, flag] of PAYLOADS) {
      const length = lengthAt(numbers, call + field)
      if (length >= from && !(flagsAt(numbers, call) & flag)) {
        bytes.set(digest(bytes.subarray(at, at + length)), at)
        setFlag(numbers, call, flag)
      }
      at += length
    }
    at += lengthAt(numbers, call + TagLength)
  }
}
