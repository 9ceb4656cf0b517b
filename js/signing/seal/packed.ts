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

/** Calls in the binary layout that the core and the workers read: see crate/src/crossing.rs. */
export interface PackedCalls {
  readonly numbers: Uint32Array
  readonly bytes: Uint8Array
}

/** Splits a group into single calls, each a view of the group's memory. */
export function splitCalls({ numbers, bytes }: PackedCalls): PackedCalls[] {
  let end = 0
  return Array.from({ length: numbers.length / Numbers }, (_, call) => {
    const one = numbers.subarray(Numbers * call, Numbers * (call + 1))
    const start = end
    end += lengthAt(one, Length) + lengthAt(one, PreviousLength) + lengthAt(one, TagLength)
    return { numbers: one, bytes: bytes.subarray(start, end) }
  })
}

/** Fields for each of a call's two payloads: its length, and the flag for a digest in place of its bytes. */
const PAYLOADS = [
  [Length, Digest],
  [PreviousLength, PreviousDigest],
] as const

/** Length of a digest in bytes. The core hashes shorter payloads, because a digest does not fit into their place. */
const DIGEST_BYTES = 32

/** Replaces payloads of at least `least` bytes by their digests, each at the beginning of its payload's bytes. */
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
