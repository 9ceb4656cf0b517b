import { toBytes, toHex } from '../../foundation/base/bytes/hex.js'
import { HASH_BYTES, parentsOf } from '../../foundation/core/tree.js'
import type { LogSize } from './size.js'

/** Function that returns the hash of a complete subtree, by its height above the leaves and its index. */
export type TileNodeAt = (height: number, index: number) => Promise<Uint8Array>

/** Returns the hashes that lead from a leaf up to the root of `size` leaves: RFC 9162 §2.1.3.1. */
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

/** Returns the consistency proof between the first `older` leaves and all `size` leaves: RFC 9162 §2.1.4.1. */
export async function consistencyOf(node: TileNodeAt, older: number, size: number): Promise<Uint8Array[]> {
  return older === 0 || older === size ? [] : subproof(node, older, { from: 0, size, isKnown: true })
}

interface Subtree {
  readonly from: number
  readonly size: number
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

function largestPower(size: number): number {
  let power = 1
  while (power * 2 < size) power *= 2
  return power
}

export function parent(left: Uint8Array, right: Uint8Array): Uint8Array {
  return parentsOf(new Uint8Array([...left, ...right]))
}

export function isHash(bytes: Uint8Array | undefined): bytes is Uint8Array {
  return bytes?.length === HASH_BYTES
}

/**
 * Follows the path of an inclusion or consistency proof (RFC 9162 §2.1.3.2, §2.1.4.2) up to the root.
 *
 * @param given - index of the node at its height, and index of the last node at that height
 * @param take - receives each hash of the path, and true if the hash is a left child
 * @returns whether the path has the expected number of hashes
 */
export function followPath(
  given: readonly [number, number],
  path: readonly Uint8Array[],
  take: (hash: Uint8Array, isLeft: boolean) => void,
): boolean {
  let [first, last] = given
  for (const hash of path) {
    if (last === 0) return false
    const isLeft = first % 2 === 1 || first === last
    take(hash, isLeft)
    while (isLeft && first % 2 === 0 && first > 0) [first, last] = [half(first), half(last)]
    ;[first, last] = [half(first), half(last)]
  }
  return last === 0
}

/** Returns whether a path proves that the newer log extends the older one: RFC 9162 §2.1.4.2. */
export function hasOnlyGrown(older: LogSize, newer: LogSize, path: readonly Uint8Array[]): boolean {
  if (older.size === newer.size) return older.root === newer.root && path.length === 0
  if (older.size === 0) return path.length === 0
  if (older.size > newer.size) return false
  const isPower = Number.isInteger(Math.log2(older.size)) && 2 ** Math.log2(older.size) === older.size
  const [start, ...rest] = isPower ? [toBytes(older.root) as Uint8Array, ...path] : path
  if (!start) return false
  let [first, last] = [older.size - 1, newer.size - 1]
  while (first % 2 === 1) [first, last] = [half(first), half(last)]
  let [oldRoot, newRoot] = [start, start]
  const isWhole = followPath([first, last], rest, (hash, isLeft) => {
    if (isLeft) oldRoot = parent(hash, oldRoot)
    newRoot = isLeft ? parent(hash, newRoot) : parent(newRoot, hash)
  })
  return isWhole && toHex(oldRoot) === older.root && toHex(newRoot) === newer.root
}

function half(number: number): number {
  return Math.floor(number / 2)
}
