import { toHex } from '../../base/bytes/hex.js'
import { textOf } from '../../base/errors.js'
import { callTurns } from '../../base/time/turns.js'
import { HASH_BYTES } from '../../completeness/hash.js'
import { bytesIn, numberIn, numbers } from '../columns.js'
import type { Row } from '../connection.js'
import type { Session } from '../database.js'
import { type LogCheckpoint, readCheckpoint } from '../log/checkpoint.js'
import type { LogVerifier } from '../log/key.js'
import { LEAVES_TOGETHER, leafHashes, TILE_WIDTH, Tiles } from '../log/tiles.js'
import type { Findings } from './findings.js'

/** A checkpoint, and where it is from. */
interface Stated {
  readonly checkpoint: LogCheckpoint
  readonly row: string
}

const TILE_BYTES = TILE_WIDTH * HASH_BYTES

/**
 * Makes the log anew from its leaves, and compares it with the tiles, with each stored checkpoint, and with the one that was kept elsewhere.
 *
 * @returns up to where the store has signed it
 */
export async function auditLog(
  session: Session,
  findings: Findings,
  {
    size,
    kept,
    verifier,
  }: { size: number; kept: LogCheckpoint | undefined; verifier: LogVerifier | undefined },
): Promise<number> {
  const stated = await storedCheckpoints(session, findings, verifier)
  const signed = stated.reduce((most, { checkpoint }) => Math.max(most, checkpoint.size), 0)
  if (kept) stated.push({ checkpoint: kept, row: 'kept elsewhere' })
  for (const { checkpoint, row } of stated.filter((one) => one.checkpoint.size > size)) {
    findings.add({
      table: 'checkpoint',
      row,
      what: 'size',
      expected: `at least ${checkpoint.size} entries`,
      got: `${size}`,
    })
  }
  const cuts = new Set([...stated.map(({ checkpoint }) => checkpoint.size), size])
  const tiles = new Tiles()
  const pending = new Map<string, Tile>()
  for (const until of [...cuts].filter((cut) => cut <= size).sort((one, other) => one - other)) {
    await grow(session, findings, tiles, until, async () => {
      if (tiles.size > signed) return
      for (const tile of tiles.takeChanged()) pending.set(`${tile.level} ${tile.at}`, tile)
      const due = [...pending.values()].filter(
        ({ hashes }) => hashes.length === TILE_BYTES || tiles.size === signed,
      )
      await compareTiles(session, findings, due)
      for (const { level, at } of due) pending.delete(`${level} ${at}`)
    })
    for (const { checkpoint, row } of stated.filter((one) => one.checkpoint.size === until)) {
      findings.compare(
        { table: 'checkpoint', row, what: `root of ${until} entries` },
        checkpoint.root,
        tiles.root,
      )
    }
  }
  await findSurplusTiles(session, findings, signed)
  return signed
}

interface Tile {
  readonly level: number
  readonly at: number
  readonly hashes: Uint8Array
}

async function storedCheckpoints(
  session: Session,
  findings: Findings,
  verifier: LogVerifier | undefined,
): Promise<Stated[]> {
  const rows = await session.query(
    'select size::text as size, note from alvarium.checkpoint order by checkpoint.size',
  )
  return rows.flatMap((row) => {
    const size = String(row['size'])
    try {
      const checkpoint = readCheckpoint(new TextDecoder().decode(bytesIn(row, 'note')), verifier)
      findings.compare({ table: 'checkpoint', row: size, what: 'size' }, String(checkpoint.size), size)
      return [{ checkpoint, row: size }]
    } catch (error) {
      findings.add({
        table: 'checkpoint',
        row: size,
        what: 'note',
        expected: 'a signed checkpoint',
        got: textOf(error),
      })
      return []
    }
  })
}

/** Appends the leaves up to there. A missing one is named, and stands for zeros. */
async function grow(
  session: Session,
  findings: Findings,
  tiles: Tiles,
  until: number,
  grown: () => Promise<void>,
): Promise<void> {
  while (tiles.size < until) {
    await callTurns.takeLong()
    const [from, to] = [tiles.size, Math.min(until, tiles.size + LEAVES_TOGETHER)]
    const rows = await session.query(LEAVES, [from, to])
    const ids = new Uint8Array((to - from) * HASH_BYTES)
    let next = from
    for (const row of rows) {
      for (const seq = numberIn(row, 'seq'); next < seq; next++) missing(findings, next)
      const id = bytesIn(row, 'id')
      findings.compare({ table: 'leaf', row: `${next}`, what: 'bytes of its id' }, HASH_BYTES, id.length)
      ids.set(id.subarray(0, HASH_BYTES), (next++ - from) * HASH_BYTES)
    }
    for (; next < to; next++) missing(findings, next)
    tiles.append(leafHashes(ids))
    await grown()
  }
  await grown()
}

function missing(findings: Findings, seq: number): void {
  findings.add({ table: 'leaf', row: `${seq}`, what: 'row', expected: 'an entry', got: 'nothing' })
}

const LEAVES = 'select seq, id from alvarium.leaf where seq >= $1::bigint and seq < $2::bigint order by seq'

async function compareTiles(session: Session, findings: Findings, tiles: readonly Tile[]): Promise<void> {
  if (tiles.length === 0) return
  const rows = await session.query(TILES, [
    numbers(tiles.map(({ level }) => level)),
    numbers(tiles.map(({ at }) => at)),
  ])
  const found = new Map<number, Row>(rows.map((row) => [numberIn(row, 'place') - 1, row]))
  for (const [place, { level, at, hashes }] of tiles.entries()) {
    const row = found.get(place)
    const where = { table: 'tile', row: `${level} ${at}` } as const
    if (row) compareHashes(findings, where, hashes, bytesIn(row, 'hashes'))
    else findings.add({ ...where, what: 'row', expected: 'a tile', got: 'nothing' })
  }
}

const TILES = `
  select place, hashes from unnest($1::text::smallint[], $2::text::bigint[]) with ordinality as given (level, at, place)
  join alvarium.tile using (level, at)`

function compareHashes(
  findings: Findings,
  where: { table: 'tile'; row: string },
  made: Uint8Array,
  stored: Uint8Array,
): void {
  findings.compare({ ...where, what: 'bytes' }, made.length, stored.length)
  for (let from = 0; from < Math.min(made.length, stored.length); from += HASH_BYTES) {
    const [one, other] = [made, stored].map((hashes) => toHex(hashes.subarray(from, from + HASH_BYTES)))
    findings.compare({ ...where, what: `hash ${from / HASH_BYTES}` }, one, other)
  }
}

/** Tiles that no log of this size has. */
async function findSurplusTiles(session: Session, findings: Findings, signed: number): Promise<void> {
  const counts: number[] = []
  for (let hashes = signed; hashes > 0; hashes = Math.floor(hashes / TILE_WIDTH))
    counts.push(Math.ceil(hashes / TILE_WIDTH))
  const rows = await session.query(SURPLUS, [numbers(counts)])
  for (const row of rows) {
    findings.add({
      table: 'tile',
      row: `${row['level']} ${row['at']}`,
      what: 'row',
      expected: 'nothing',
      got: 'a tile',
    })
  }
}

const SURPLUS = `
  select level, at from alvarium.tile
  where at < 0 or at >= coalesce(($1::text::bigint[])[level + 1], 0) order by level, at limit 1000`
