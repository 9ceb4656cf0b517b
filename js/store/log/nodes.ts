import type { TileNodeAt } from '../../evidence/logs/paths.js'
import { HASH_BYTES, parentsOf } from '../../foundation/core/hashed.js'
import type { Session } from '../database/database.js'
import { readTile, TILE_HEIGHT, TILE_WIDTH } from './tiles.js'

/** Returns a reader of the tree's nodes from the stored tiles. */
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
