import { toHex } from '../../base/bytes/hex.js'
import { callTurns } from '../../base/time/turns.js'
import { ACTIONS } from '../../model/bundle.js'
import { toBits } from '../bits.js'
import { bytesIn, numberIfAny, numberIn, SMALLEST } from '../columns.js'
import type { Row } from '../connection.js'
import type { Session } from '../database.js'
import type { Entry } from '../entry.js'
import { momentOf } from '../moment.js'
import type { Reading } from '../verifying.js'
import { Dictionary } from './dictionary.js'
import { type Said, saidBy } from './evidence.js'
import type { Findings } from './findings.js'
import { compareInputs, INPUTS } from './inputs.js'
import { datumIn } from './names.js'
import { References } from './references.js'

/** Rows that are read and compared together. */
const TOGETHER = 1024

/** What every part of this needs. */
interface Auditing {
  readonly session: Session
  readonly findings: Findings
  readonly references: References
}

/**
 * Verifies the evidence of all bundles again, and compares what it says with their columns.
 *
 * @returns how many messages were verified
 */
export async function auditRows(session: Session, findings: Findings, reading: Reading): Promise<number> {
  const references = new References()
  const auditing = { session, findings, references }
  let count = 0
  let [after, before]: [string, Said] = [SMALLEST, new Map()]
  for (;;) {
    await callTurns.takeLong()
    const rows = await session.query(BUNDLES, [after, TOGETHER])
    if (rows.length === 0) break
    const known = before
    const seqs = [...new Set(rows.map((row) => numberIn(row, 'evidence')))]
    const unknown = seqs.filter((seq) => !known.has(seq))
    const added = await saidBy(session, findings, unknown, reading)
    count += added.size
    // A batch goes on in the next rows.
    before = new Map(seqs.map((seq) => [seq, added.get(seq) ?? known.get(seq) ?? new Map()] as const))
    await compareRows(auditing, rows, before)
    await findUnstored(auditing, added)
    after = String((rows.at(-1) as Row)['seq'])
  }
  await references.settle(session, findings)
  return count
}

async function compareRows(auditing: Auditing, rows: readonly Row[], said: Said): Promise<void> {
  const { session, findings } = auditing
  const dictionary = await Dictionary.of(session, rows, { words: WORDS, lists: ['kinds', 'tags'] })
  const moved: Moved[] = []
  for (const row of rows) {
    const [evidence, place, seq] = [numberIn(row, 'evidence'), numberIn(row, 'place'), String(row['seq'])]
    const entry = said.get(evidence)?.get(place)
    const where = { table: 'bundle', row: seq, what: 'row' } as const
    if (!entry) {
      findings.add({ ...where, expected: 'nothing', got: `place ${place} of evidence ${evidence}` })
      continue
    }
    if (row['id'] !== null && row['id'] !== entry.id) moved.push({ seq, id: entry.id, got: `${row['id']}` })
    compareColumns(findings, row, entry)
    compareReferences(auditing, dictionary, row, entry)
    await compareInputs(session, auditing, row, entry.inputs)
  }
  await nameMoved(auditing, moved)
}

const WORDS = ['signer', 'signed_by', 'host', 'layer'] as const

function compareColumns(findings: Findings, row: Row, entry: Entry): void {
  const { at, spelled } = momentOf(entry.timestamp)
  const action = numberIfAny(row, 'action')
  const compare = (what: string, expected: unknown, got: unknown) =>
    findings.compare({ table: 'bundle', row: String(row['seq']), what }, expected, got)
  compare('action', entry.action, action === undefined ? undefined : (ACTIONS[action] ?? action))
  compare('time', at, row['at'])
  compare('spelling of the time', spelled, row['spelled'])
  compare('answers', toHex(toBits(entry.annotations)), toHex(bytesIn(row, 'ok')))
}

/** Numbers of other rows: where there should be none there must be none. */
function compareReferences(auditing: Auditing, dictionary: Dictionary, row: Row, entry: Entry): void {
  const { references, findings } = auditing
  const place = (what: string) => ({ table: 'bundle', row: String(row['seq']), what }) as const
  const each = <T>(
    name: string,
    what: string,
    value: T | undefined,
    compare: (id: number, value: T) => void,
  ) => {
    const id = numberIfAny(row, name)
    if (id !== undefined && value !== undefined) compare(id, value)
    else findings.compare(place(what), isGiven(value), isGiven(id))
  }
  for (const [name, what, text] of [
    ['signer', 'signer', entry.signer],
    ['signed_by', 'signer in the trust policy', entry.signedBy],
    ['host', 'host', entry.host],
    ['layer', 'layer', entry.layer],
  ] as const) {
    each(name, what, text, (id, value) => references.word(place(what), id, value, dictionary.text(id)))
  }
  for (const [name, what, payload] of [
    ['datum', 'payload', entry.payload],
    ['previous', 'previous payload', entry.previous],
    ['implied', 'implied payload', entry.implied],
  ] as const) {
    each(name, what, payload, (id, value) =>
      references.datum(place(what), id, value, datumIn(row, `${name}_`)),
    )
  }
  const { annotations } = entry
  const [kinds, tags] = [annotations.map(({ kind }) => kind), annotations.map(({ tag }) => tag)]
  dictionary.compareList(auditing, place('kinds'), numberIn(row, 'kinds'), kinds)
  dictionary.compareList(auditing, place('tags'), numberIn(row, 'tags'), tags)
}

function isGiven(value: unknown): string {
  return value === undefined ? 'nothing' : 'a number'
}

/** A row whose entry in the log is not the one that its evidence has. */
interface Moved {
  readonly seq: string
  readonly id: string
  readonly got: string
}

/** An entry that is elsewhere in the log was not altered: then it is the row that points to other evidence. */
async function nameMoved({ session, findings }: Auditing, moved: readonly Moved[]): Promise<void> {
  const gone = new Set(
    await unknownOf(
      session,
      moved.map(({ id }) => id),
    ),
  )
  for (const [at, { seq, id, got }] of moved.entries()) {
    findings.compare({ table: gone.has(at) ? 'leaf' : 'bundle', row: seq, what: 'id' }, id, got)
  }
}

/** What evidence says is in the log: by this evidence, or by other evidence that came before it. */
async function findUnstored({ session, findings }: Auditing, said: Said): Promise<void> {
  const all = [...said].flatMap(([seq, entries]) => Array.from(entries.values(), ({ id }) => ({ seq, id })))
  for (const at of await unknownOf(
    session,
    all.map(({ id }) => id),
  )) {
    const { id, seq } = all[at] as (typeof all)[number]
    const expected = `an entry, by evidence ${seq}`
    findings.add({ table: 'leaf', row: `id ${id}`, what: 'row', expected, got: 'nothing' })
  }
}

/** The places of those that are not in the log. */
async function unknownOf(session: Session, ids: readonly string[]): Promise<number[]> {
  if (ids.length === 0) return []
  return (await session.query(UNKNOWN, [`{${ids.join(',')}}`])).map((row) => numberIn(row, 'place') - 1)
}

const UNKNOWN = `
  select place from unnest($1::text::text[]) with ordinality as given (id, place)
  where not exists (select from alvarium.leaf where leaf.id = decode(given.id, 'hex'))`

const BUNDLES = `
  select bundle.seq::text as seq, evidence, place, encode(leaf.id, 'hex') as id, action, at::text as at, spelled, ok,
    ${WORDS.join(', ')}, kinds, tags, bundle.datum, previous, implied, cardinality(inputs) as input_count, ${INPUTS},
    datum.hash as datum_hash, datum.digest as datum_digest, datum.text as datum_text,
    before.hash as previous_hash, before.digest as previous_digest, before.text as previous_text,
    source.hash as implied_hash, source.digest as implied_digest, source.text as implied_text
  from (select * from alvarium.bundle where seq > $1::text::bigint order by seq limit $2::integer) as bundle
  left join alvarium.leaf on leaf.seq = bundle.seq
  left join alvarium.datum on datum.id = bundle.datum
  left join alvarium.datum as before on before.id = bundle.previous
  left join alvarium.datum as source on source.id = bundle.implied
  order by bundle.seq`
