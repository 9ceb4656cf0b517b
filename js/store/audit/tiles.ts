import { toHex } from '../../foundation/base/bytes/hex.js'
import { HASH_BYTES } from '../../foundation/core/tree.js'
import type { Row } from '../database/connection.js'
import type { Session } from '../database/database.js'
import { TILE_WIDTH, type Tiles } from '../log/tiles.js'
import { bytesIn, numberIn, numbers } from '../rows/columns.js'
import { type Findings, MAX_DIFFERENCES, placeIn } from './findings.js'

const TILE_BYTES = TILE_WIDTH * HASH_BYTES

interface Tile {
  readonly level: number
  readonly at: number
  readonly hashes: Uint8Array
}

interface TileDifference extends Omit<Tile, 'hashes'> {
  /** Position of the hash in the tile; missing if the whole row differs. */
  readonly place?: number
  readonly what: string
  readonly expected: string
  readonly got: string
}

/** Compares the tiles of the rebuilt log with the stored ones. The store has tiles for the size that it last signed. */
export class TileComparison {
  readonly #session: Session
  readonly #signed: number
  readonly #pending = new Map<string, Tile>()
  readonly #differing: TileDifference[] = []
  #uncounted = 0

  constructor(session: Session, signed: number) {
    this.#session = session
    this.#signed = signed
  }

  /** Compares full tiles with the stored ones. When the log has its signed size, also compares the last tiles. */
  async take(tiles: Tiles): Promise<void> {
    if (tiles.size > this.#signed) return
    for (const tile of tiles.takeChanged()) this.#pending.set(`${tile.level} ${tile.at}`, tile)
    const due = [...this.#pending.values()].filter(
      ({ hashes }) => hashes.length === TILE_BYTES || tiles.size === this.#signed,
    )
    await this.#compare(due)
    for (const { level, at } of due) this.#pending.delete(`${level} ${at}`)
  }

  /**
   * Reports the differences. If the leaves hash to the signed root, tiles were altered. Otherwise leaves may
   * have been altered.
   *
   * @param isAsSigned - true if the leaves hash to the signed root
   * @returns the positions of leaves that differ from their tiles, if `isAsSigned` is false
   */
  async report(findings: Findings, isAsSigned: boolean): Promise<Set<number>> {
    const altered = new Set<number>()
    for (const { level, at, place, what, expected, got } of this.#differing) {
      if (level === 0 && place !== undefined && !isAsSigned) {
        const leaf = at * TILE_WIDTH + place
        altered.add(leaf)
        findings.differ(placeIn('leaf', leaf, 'hash'), got, expected)
      }
      findings.differ(placeIn('tile', `${level} ${at}`, what), expected, got)
    }
    findings.count += this.#uncounted
    await findSurplus(this.#session, findings, this.#signed)
    return altered
  }

  async #compare(tiles: readonly Tile[]): Promise<void> {
    if (tiles.length === 0) return
    const places = [numbers(tiles.map(({ level }) => level)), numbers(tiles.map(({ at }) => at))]
    const rows = await this.#session.query(TILES, places)
    const found = new Map<number, Row>(rows.map((row) => [numberIn(row, 'place') - 1, row]))
    for (const [place, tile] of tiles.entries()) {
      const row = found.get(place)
      if (row) this.#compareHashes(tile, bytesIn(row, 'hashes'))
      else this.#add({ ...tile, what: 'row', expected: 'a tile', got: 'nothing' })
    }
  }

  #compareHashes(tile: Tile, stored: Uint8Array): void {
    const { hashes } = tile
    if (hashes.length !== stored.length) {
      this.#add({ ...tile, what: 'bytes', expected: `${hashes.length}`, got: `${stored.length}` })
    }
    for (let from = 0; from < Math.min(hashes.length, stored.length); from += HASH_BYTES) {
      const place = from / HASH_BYTES
      const hexOf = (all: Uint8Array) => toHex(all.subarray(from, from + HASH_BYTES))
      const [expected, got] = [hexOf(hashes), hexOf(stored)]
      if (expected !== got) this.#add({ ...tile, place, what: `hash ${place}`, expected, got })
    }
  }

  #add(one: TileDifference): void {
    if (this.#differing.length < MAX_DIFFERENCES) this.#differing.push(one)
    else this.#uncounted++
  }
}

const TILES = `
  select place, hashes from unnest($1::text::smallint[], $2::text::bigint[]) with ordinality as given (level, at, place)
  join alvarium.tile using (level, at)`

async function findSurplus(session: Session, findings: Findings, signed: number): Promise<void> {
  const counts: number[] = []
  for (let hashes = signed; hashes > 0; hashes = Math.floor(hashes / TILE_WIDTH))
    counts.push(Math.ceil(hashes / TILE_WIDTH))
  for (const row of await session.query(SURPLUS, [numbers(counts)])) {
    findings.differ(placeIn('tile', `${row['level']} ${row['at']}`, 'row'), 'nothing', 'a tile')
  }
}

const SURPLUS = `
  select level, at from alvarium.tile
  where at < 0 or at >= coalesce(($1::text::bigint[])[level + 1], 0) order by level, at limit 1000`
