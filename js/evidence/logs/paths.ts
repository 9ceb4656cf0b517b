import { parent } from './growth.js'

/** Returns the node over a complete subtree, by its level above the leaves and its place in the level. */
export type TileNodeAt = (height: number, index: number) => Promise<Uint8Array>

/** Returns the hashes that lead from a leaf up to the root over so many leaves: RFC 9162 §2.1.3.1. */
export async function inclusionOf(
  node: TileNodeAt,
  index: number,
  size: number,
  from = 0,
): Promise<Uint8Array[]> {
  if (size === 1) return []
  const left = largestPower(size)
  return index < from + left
    ? [...(await inclusionOf(node, index, left, from)), await rootOver(node, from + left, size - left)]
    : [...(await inclusionOf(node, index, size - left, from + left)), await rootOver(node, from, left)]
}

/** Returns the hashes that show that a log of this size begins with one of that size: RFC 9162 §2.1.4.1. */
export async function consistencyOf(node: TileNodeAt, older: number, size: number): Promise<Uint8Array[]> {
  return older === 0 || older === size ? [] : subproof(node, older, { from: 0, size, isKnown: true })
}

interface Subtree {
  readonly from: number
  readonly size: number
  /** True if the verifier has its root already. */
  readonly isKnown: boolean
}

async function subproof(
  node: TileNodeAt,
  older: number,
  { from, size, isKnown }: Subtree,
): Promise<Uint8Array[]> {
  if (older === size) return isKnown ? [] : [await rootOver(node, from, size)]
  const left = largestPower(size)
  if (older <= left) {
    const below = await subproof(node, older, { from, size: left, isKnown })
    return [...below, await rootOver(node, from + left, size - left)]
  }
  const below = await subproof(node, older - left, { from: from + left, size: size - left, isKnown: false })
  return [...below, await rootOver(node, from, left)]
}

async function rootOver(node: TileNodeAt, from: number, size: number): Promise<Uint8Array> {
  const left = largestPower(size)
  if (size === 1 || left * 2 === size) return node(Math.log2(size), from / size)
  return parent(await rootOver(node, from, left), await rootOver(node, from + left, size - left))
}

/** Returns the largest power of two that is smaller; for 1, 1. */
function largestPower(size: number): number {
  let power = 1
  while (power * 2 < size) power *= 2
  return power
}
