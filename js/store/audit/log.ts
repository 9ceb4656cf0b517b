import { type LogCheckpoint, readCheckpoint } from '../../evidence/logs/checkpoint.js'
import type { LogVerifier } from '../../evidence/logs/key.js'
import type { ReadQuorum } from '../../evidence/witness/options.js'
import { WitnessedLog, type WitnessVerdict } from '../../evidence/witness/witnessed-log.js'
import { textOf } from '../../foundation/base/errors.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import { HASH_BYTES, leavesOf } from '../../foundation/core/tree.js'
import { oneRow, type Session } from '../database/database.js'
import { LEAVES_TOGETHER, type Tiles, tilesAt } from '../log/tiles.js'
import { bytesIn, numberIn } from '../rows/columns.js'
import { groupsOf } from '../rows/groups.js'
import { type Findings, MAX_DIFFERENCES, placeIn } from './findings.js'
import { TileComparison } from './tiles.js'

/** A checkpoint, and its name in reported differences: its size, or `kept elsewhere`. */
interface StatedCheckpoint {
  readonly checkpoint: LogCheckpoint
  readonly row: string
}

export interface AuditedLog {
  /** Size of the store's newest verified checkpoint, which is `newest`. */
  readonly signed: number
  readonly newest: LogCheckpoint | undefined
  /** Positions of entries that differ from their hashes in the stored tiles. Empty if the log has the signed root. */
  readonly altered: ReadonlySet<number>
  /** Verdict of the witnesses on the log's checkpoints. Undefined if the audit has no witnesses. */
  readonly witnessed?: WitnessVerdict | undefined
  /** Largest checkpoint that a quorum of the witnesses has cosigned. */
  readonly seen?: LogCheckpoint | undefined
}

/** Sizes up to which the log is signed, and its altered entries. */
export interface SignedLog extends Pick<AuditedLog, 'altered'> {
  /**
   * Size of the checkpoint that the caller kept or witnesses have seen, or 0. `storedSize` is the size of the
   * store's newest verified checkpoint.
   */
  readonly givenSize: number
  readonly storedSize: number
}

interface LogToAudit {
  readonly size: number
  readonly reference: LogCheckpoint | undefined
  readonly verifier: LogVerifier | undefined
  readonly reader: ReadQuorum | undefined
  readonly from: number
}

/**
 * Rebuilds the log from its leaves, and compares it with its tiles, the stored checkpoints and the caller's
 * checkpoint. With `from`, it takes the first `from` entries from the tiles, which must have the root of the
 * caller's checkpoint.
 */
export async function auditLog(
  session: Session,
  findings: Findings,
  { size, reference, verifier, reader, from }: LogToAudit,
): Promise<AuditedLog> {
  // Compare the whole log if it is shorter than `from`.
  const begin = from > size ? 0 : from
  const stated = await storedCheckpoints(session, findings, verifier, begin)
  const newest = stated.map(({ checkpoint }) => checkpoint).reduce(largerOf, undefined)
  const signed = newest?.size ?? 0
  if (reference) stated.push(checkGiven(findings, stated, reference))
  const witnessing = reader && verdictOfWitnesses(reader, findings, stated)
  reportShortened(findings, stated, size)
  const bySize = groupsOf(stated.map((one) => [one.checkpoint.size, one] as const))
  const end = Math.min(size, begin + (await countLeaves(session, begin)) + MAX_DIFFERENCES)
  const cuts = [...new Set([...bySize.keys(), end])].filter((cut) => cut >= begin && cut <= end)
  const tiles = await tilesAt(session, begin)
  const comparison = new TileComparison(session, signed)
  let isAsSigned = true
  for (const until of cuts.sort((one, other) => one - other)) {
    await appendLeaves(session, findings, tiles, until, () => comparison.take(tiles))
    for (const { checkpoint, row } of bySize.get(until) ?? []) {
      findings.compare(placeIn('checkpoint', row, `root of ${until} entries`), checkpoint.root, tiles.root)
      isAsSigned &&= checkpoint.root === tiles.root
    }
  }
  return { signed, newest, altered: await comparison.report(findings, isAsSigned), ...witnessing }
}

export function largerOf(
  one: LogCheckpoint | undefined,
  other: LogCheckpoint | undefined,
): LogCheckpoint | undefined {
  return (one?.size ?? -1) >= (other?.size ?? -1) ? one : other
}

function verdictOfWitnesses(
  reader: ReadQuorum,
  findings: Findings,
  stated: readonly StatedCheckpoint[],
): Pick<AuditedLog, 'witnessed' | 'seen'> {
  const log = new WitnessedLog(reader)
  for (const { checkpoint } of stated) log.add(checkpoint.note, checkpoint)
  const witnessed = log.verdict('the newest checkpoint')
  for (const fault of log.noteFaults) {
    findings.differ(placeIn('checkpoint', 'all', 'witnesses'), 'cosignatures of one log', fault)
  }
  const { largest } = log
  const seen = stated.find(
    ({ checkpoint: { size, root } }) => size === largest?.size && root === largest.root,
  )
  return { witnessed, seen: seen?.checkpoint }
}

/** Counts the log's rows from `from` on, because the database's owner can set `head.leaves` to any number. */
async function countLeaves(session: Session, from: number): Promise<number> {
  const count = 'select count(*) as count from alvarium.leaf where seq >= $1::bigint'
  return numberIn(await oneRow(session, count, [from]), 'count')
}

function reportShortened(findings: Findings, stated: readonly StatedCheckpoint[], size: number): void {
  for (const { checkpoint, row } of stated) {
    const place = placeIn('checkpoint', row, 'size')
    if (checkpoint.size > size) findings.differ(place, `at least ${checkpoint.size} entries`, `${size}`)
  }
}

async function storedCheckpoints(
  session: Session,
  findings: Findings,
  verifier: LogVerifier | undefined,
  from: number,
): Promise<StatedCheckpoint[]> {
  const rows = await session.query(
    'select size::text as size, note from alvarium.checkpoint where size >= $1::bigint order by checkpoint.size',
    [from],
  )
  return rows.flatMap((row) => {
    const size = String(row['size'])
    try {
      const checkpoint = readCheckpoint(new TextDecoder().decode(bytesIn(row, 'note')), verifier)
      findings.compare(placeIn('checkpoint', size, 'size'), String(checkpoint.size), size)
      return [{ checkpoint, row: size }]
    } catch (error) {
      findings.differ(placeIn('checkpoint', size, 'note'), 'a signed checkpoint', textOf(error))
      return []
    }
  })
}

/** Returns the caller's checkpoint. Reports it if the store lacks it, because stores keep all checkpoints they sign. */
function checkGiven(
  findings: Findings,
  stored: readonly StatedCheckpoint[],
  reference: LogCheckpoint,
): StatedCheckpoint {
  if (!stored.some(({ row }) => row === `${reference.size}`)) {
    const place = placeIn('checkpoint', reference.size, 'row')
    findings.differ(place, 'the checkpoint that was kept elsewhere', 'nothing')
  }
  return { checkpoint: reference, row: 'kept elsewhere' }
}

/** Appends the log's entries up to a size to the tree. Reports a missing entry, and uses an id of zeros for it. */
async function appendLeaves(
  session: Session,
  findings: Findings,
  tiles: Tiles,
  until: number,
  grown: () => Promise<void>,
): Promise<void> {
  while (tiles.size < until) {
    await callTurns.yieldIfDueLong()
    const [from, to] = [tiles.size, Math.min(until, tiles.size + LEAVES_TOGETHER)]
    const rows = await session.query(LEAVES, [from, to])
    const ids = new Uint8Array((to - from) * HASH_BYTES)
    let next = from
    for (const row of rows) {
      const seq = numberIn(row, 'seq')
      // Skip duplicate rows, which another check reports.
      if (seq < next) continue
      for (; next < seq; next++) reportMissing(findings, next)
      const id = bytesIn(row, 'id')
      findings.compare(placeIn('leaf', next, 'bytes of its id'), HASH_BYTES, id.length)
      ids.set(id.subarray(0, HASH_BYTES), (next++ - from) * HASH_BYTES)
    }
    for (; next < to; next++) reportMissing(findings, next)
    tiles.append(leavesOf(ids))
    await grown()
  }
  await grown()
}

function reportMissing(findings: Findings, seq: number): void {
  findings.differ(placeIn('leaf', seq, 'row'), 'an entry', 'nothing')
}

const LEAVES = 'select seq, id from alvarium.leaf where seq >= $1::bigint and seq < $2::bigint order by seq'
