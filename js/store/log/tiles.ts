import { LogTree } from '../../evidence/logs/log-tree.js'
import type { TileNodeAt } from '../../evidence/logs/paths.js'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { expected } from '../../foundation/base/errors.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import { EMPTY_ROOT, HASH_BYTES, leavesOf, parentsOf } from '../../foundation/core/tree.js'
import { oneRow, type Session } from '../database/database.js'
import { byteColumn, bytesIn, numberIn, numbers } from '../rows/columns.js'

/*
 * C2SP tlog-tiles: a tile is 256 hashes of one level, and a hash of the level above is the root over a full
 * tile. Each row of the table has one tile. The last tile of a level grows with each checkpoint.
 */

/** Levels of the Merkle tree per level of tiles. */
export const TILE_HEIGHT = 8
export const TILE_WIDTH = 2 ** TILE_HEIGHT
const TILE_BYTES = TILE_WIDTH * HASH_BYTES

interface Edge {
  readonly at: number
  readonly hashes: Uint8Array
}

/** Computes the tiles of a growing log. Keeps only the last tile of each level in memory. */
export class Tiles {
  readonly #edges: Edge[]
  readonly #changed = new Map<string, { level: number } & Edge>()

  constructor(edges: readonly Edge[] = []) {
    this.#edges = [...edges]
  }

  static async of(session: Session): Promise<Tiles> {
    const rows = await session.query(EDGES)
    return new Tiles(rows.map((row) => ({ at: numberIn(row, 'at'), hashes: bytesIn(row, 'hashes') })))
  }

  get size(): number {
    return countOf(this.#edges[0])
  }

  /** Root of the tree: 64 lower-case hexadecimal digits. */
  get root(): string {
    // Skip full tiles, because the level above has their hash.
    const peaks = [...this.#edges]
      .reverse()
      .flatMap(({ hashes }) => (hashes.length === TILE_BYTES ? [] : peaksOf(hashes)))
    const root = LogTree.of(this.size, peaks)?.root
    return root ? toHex(root) : EMPTY_ROOT
  }

  /** Appends leaf hashes, which are joined without separators. */
  append(leaves: Uint8Array): void {
    this.#append(0, leaves)
  }

  takeChanged(): ({ level: number } & Edge)[] {
    const changed = [...this.#changed.values()]
    this.#changed.clear()
    return changed
  }

  #append(level: number, hashes: Uint8Array): void {
    if (hashes.length === 0) return
    const last = this.#edges[level]
    const isWhole = last?.hashes.length === TILE_BYTES
    let at = last ? last.at + (isWhole ? 1 : 0) : 0
    const all = last && !isWhole ? new Uint8Array([...last.hashes, ...hashes]) : hashes
    for (let from = 0; from < all.length; from += TILE_BYTES, at++) {
      const tile = { level, at, hashes: all.slice(from, from + TILE_BYTES) }
      this.#changed.set(`${level} ${at}`, tile)
      this.#edges[level] = tile
    }
    let roots = all.subarray(0, all.length - (all.length % TILE_BYTES))
    for (let height = 0; height < TILE_HEIGHT; height++) roots = parentsOf(roots)
    this.#append(level + 1, roots)
  }
}

function countOf(edge: Edge | undefined): number {
  return edge ? edge.at * TILE_WIDTH + edge.hashes.length / HASH_BYTES : 0
}

function peaksOf(hashes: Uint8Array): Uint8Array[] {
  const tree = new LogTree()
  tree.append(hashes)
  return tree.peaks
}

/** Reads the last tile of each level for the first `size` entries. Stored tiles may be altered: compare the root. */
export async function tilesAt(session: Session, size: number): Promise<Tiles> {
  const edges: Edge[] = []
  for (let count = size; count > 0; count = Math.floor(count / TILE_WIDTH)) {
    const at = Math.ceil(count / TILE_WIDTH) - 1
    const hashes = await readTile(session, edges.length, at)
    const hashCount = Math.floor(hashes.length / HASH_BYTES)
    edges.push({ at, hashes: hashes.slice(0, Math.min(hashCount, count - at * TILE_WIDTH) * HASH_BYTES) })
  }
  return new Tiles(edges)
}

/** Returns the hashes of a stored tile, or no bytes if the tile is missing. */
export async function readTile(session: Session, level: number, at: number): Promise<Uint8Array> {
  const [row] = await session.query(TILE, [level, at])
  return row ? bytesIn(row, 'hashes') : new Uint8Array()
}

const TILE = 'select hashes from alvarium.tile where level = $1::smallint and at = $2::bigint'

/** Leaves per page. Their ids take 2 MB. */
export const LEAVES_TOGETHER = 65_536

export async function logSize(session: Session): Promise<number> {
  const [row, ...more] = await session.query('select leaves from alvarium.head')
  if (row && more.length === 0) return numberIn(row, 'leaves')
  throw expected('STORE_DAMAGED', 'store', 'one row in the table head', `${row ? 1 + more.length : 0}`)
}

export async function extendTiles(session: Session, tiles: Tiles, size: number): Promise<void> {
  for (let from = tiles.size; from < size; from = tiles.size) {
    await callTurns.yieldIfDueLong()
    const until = Math.min(size, from + LEAVES_TOGETHER)
    tiles.append(leavesOf(bytesIn(await oneRow(session, LEAVES, [from, until]), 'ids')))
    const changed = tiles.takeChanged()
    const places = [numbers(changed.map(({ level }) => level)), numbers(changed.map(({ at }) => at))]
    await session.query(STORE, [...places, ...byteColumn(changed.map(({ hashes }) => hashes))])
  }
}

const EDGES = 'select distinct on (level) level, at, hashes from alvarium.tile order by level, at desc'
export const LEAVES = `
  select coalesce(string_agg(id, ''::bytea order by seq), ''::bytea) as ids
  from alvarium.leaf where seq >= $1::bigint and seq < $2::bigint`
const STORE = `
  insert into alvarium.tile (level, at, hashes)
  select level, at, substring($3::bytea from start for length)
  from unnest($1::text::smallint[], $2::text::bigint[], $4::text::integer[], $5::text::integer[])
    as given (level, at, start, length)
  on conflict (level, at) do update set hashes = excluded.hashes`

/** Returns a function that computes nodes of the tree from the stored tiles. */
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
