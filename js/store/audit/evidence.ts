import { toHex } from '../../base/bytes/hex.js'
import type { Evidence } from '../adding.js'
import { bytesIn, numberIfAny, numberIn, numbers } from '../columns.js'
import type { Row } from '../connection.js'
import type { Session } from '../database.js'
import type { Entry } from '../entry.js'
import { sha256All } from '../payload-name.js'
import { type Reading, verified } from '../verifying.js'
import type { Findings } from './findings.js'

interface NumberedEvidence extends Evidence {
  readonly seq: number
}

/** What messages say, by their numbers: entries by their places, as a batch has up to 65,536. */
export type StatedEntries = ReadonlyMap<number, ReadonlyMap<number, Entry>>

/** Verifies evidence again. A message that is not there says nothing. */
export async function saidBy(
  session: Session,
  findings: Findings,
  seqs: readonly number[],
  reading: Reading,
): Promise<StatedEntries> {
  if (seqs.length === 0) return new Map()
  const rows = await session.query(EVIDENCE, [numbers(seqs)])
  const some = rows.map((row): NumberedEvidence => {
    return {
      seq: numberIn(row, 'seq'),
      message: bytesIn(row, 'message'),
      receivedAt: numberIfAny(row, 'received'),
    }
  })
  const digests = sha256All(some.map(({ message }) => message))
  for (const [at, { seq }] of some.entries()) {
    const where = { table: 'evidence', row: `${seq}`, what: 'digest' } as const
    findings.compare(where, toHex(digests[at] as Uint8Array), toHex(bytesIn(rows[at] as Row, 'digest')))
  }
  return entriesIn(some, reading, findings)
}

const EVIDENCE = `
  select seq, received, digest, message
  from unnest($1::text::bigint[]) as given (seq) join alvarium.evidence using (seq)`

/** What the messages say, by their numbers. */
async function entriesIn(
  some: readonly NumberedEvidence[],
  reading: Reading,
  findings: Findings,
): Promise<StatedEntries> {
  const { found, refused } = await verified(some, reading)
  const said = new Map(some.map(({ seq }) => [seq, new Map<number, Entry>()]))
  const seqs = new Map(some.map(({ seq, message }) => [message, seq]))
  for (const { entry, evidence } of found) {
    said.get(seqs.get(evidence.message) as number)?.set(entry.place, entry)
  }
  for (const { message, error } of refused) {
    const row = `${seqs.get(message)}`
    findings.add({
      table: 'evidence',
      row,
      what: 'message',
      expected: 'one that verifies',
      got: error.message,
    })
  }
  return said
}
