import { HASH_BYTES, parentsOf } from '../../core/hashed.js'
import { parent } from '../../logs/growth.js'
import { bytesIn } from '../columns.js'
import type { Session } from '../database.js'
import { TILE_HEIGHT, TILE_WIDTH } from './tiles.js'

/** A node over a complete subtree: how many levels above the leaves, and which of that level. */
export type TileNodeAt = (height: number, index: number) => Promise<Uint8Array>

/** The hashes that lead from a leaf up to the root over so many leaves: RFC 9162 §2.1.3.1. */
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

/** The hashes that show that a log of this size begins with one of that size: RFC 9162 §2.1.4.1. */
export async function consistencyOf(node: TileNodeAt, older: number, size: number): Promise<Uint8Array[]> {
  return older === 0 || older === size ? [] : subproof(node, older, { from: 0, size, isKnown: true })
}

interface Subtree {
  readonly from: number
  readonly size: number
  /** Whether who verifies it has its root already. */
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

/** The largest power of two that is smaller; of 1 it is 1. */
function largestPower(size: number): number {
  let power = 1
  while (power * 2 < size) power *= 2
  return power
}

/** The nodes that the stored tiles have. */
export function nodesIn(session: Session): TileNodeAt {
  const tiles = new Map<string, Promise<Uint8Array>>()
  const tileAt = (level: number, at: number) => {
    const key = `${level} ${at}`
    const tile = tiles.get(key) ?? readTile(session, level, at)
    tiles.set(key, tile)
    return tile
  }
  return async (height, index) => {
    const [level, above] = [Math.floor(height / TILE_HEIGHT), height % TILE_HEIGHT]
    const [first, count] = [index * 2 ** above, 2 ** above]
    const hashes = await tileAt(level, Math.floor(first / TILE_WIDTH))
    const begin = (first % TILE_WIDTH) * HASH_BYTES
    let nodes = hashes.subarray(begin, begin + count * HASH_BYTES)
    for (let step = 0; step < above; step++) nodes = parentsOf(nodes)
    return nodes.slice()
  }
}

async function readTile(session: Session, level: number, at: number): Promise<Uint8Array> {
  const [row] = await session.query(TILE, [level, at])
  return row ? bytesIn(row, 'hashes') : new Uint8Array()
}

const TILE = 'select hashes from alvarium.tile where level = $1::smallint and at = $2::bigint'
