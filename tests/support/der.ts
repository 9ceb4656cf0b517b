import { concat } from './bytes.js'

/** Returns a signature of two numbers in DER: without leading zeros, but with one before a bit that would make it negative. */
export function derOf(signature: Uint8Array): Uint8Array {
  const integers = [signature.slice(0, 32), signature.slice(32)].map((half) => {
    const number = half.slice(half.findIndex((byte) => byte !== 0))
    const padded = (number[0] as number) >= 0x80 ? concat(new Uint8Array(1), number) : number
    return concat(Uint8Array.of(2, padded.length), padded)
  })
  const inside = concat(...integers)
  return concat(Uint8Array.of(0x30, inside.length), inside)
}
