import { toHex } from '../../foundation/base/bytes/hex.js'
import { readIfValid } from '../../foundation/base/errors.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import { ACTIONS } from '../../foundation/model/bundle.js'
import type { Row } from '../database/connection.js'
import type { Session } from '../database/database.js'
import { claimedEntry, type Entry } from '../ingest/entry.js'
import { bytesIn, numberIn, optionalNumberIn, toBits } from '../rows/columns.js'
import { momentOf } from '../rows/moment.js'
import { readPagesIn } from '../rows/read-pages.js'
import { Dictionary } from './dictionary.js'
import { type MessageAudit, readStatements, type StatedMessage, type StatedMessages } from './evidence.js'
import { type Findings, type Place, placeIn } from './findings.js'
import { compareInputs, INPUTS } from './inputs.js'
import { datumIn } from './names.js'
import { References } from './references.js'

const BUNDLES_PER_PAGE = 1024

interface RowAudit extends MessageAudit {
  readonly references: References
}

export interface AuditedPart {
  readonly from: number
  readonly onEntries: (entries: number) => void
}

export async function auditRows(audit: MessageAudit, { from, onEntries }: AuditedPart): Promise<number> {
  const references = new References()
  const auditing = { ...audit, references }
  let count = 0
  let before: StatedMessages = new Map()
  for await (const rows of readPagesIn(audit.session, BUNDLES, BUNDLES_PER_PAGE, 'seq', from)) {
    await callTurns.yieldIfDueLong()
    const known = before
    const seqs = [...new Set(rows.map((row) => numberIn(row, 'evidence')))]
    const unknown = seqs.filter((seq) => !known.has(seq))
    const added = await readStatements(audit, unknown)
    count += added.size
    // Keep this page's messages, because a batch can continue on the next page. Drop earlier messages.
    before = new Map(
      seqs.flatMap((seq) => {
        const stated = added.get(seq) ?? known.get(seq)
        return stated ? [[seq, stated] as const] : []
      }),
    )
    await compareRows(auditing, rows, before)
    await findUnstored(audit, added)
    onEntries(Number(rows.at(-1)?.['seq']) + 1)
  }
  await references.settle(audit.session, audit.findings)
  return count
}

async function compareRows(
  auditing: RowAudit,
  rows: readonly Row[],
  statements: StatedMessages,
): Promise<void> {
  const { session, findings } = auditing
  const dictionary = await Dictionary.of(session, rows, { words: WORDS, lists: ['kinds', 'tags'] })
  const moved: MovedRow[] = []
  for (const row of rows) {
    const [evidence, place, seq] = [numberIn(row, 'evidence'), numberIn(row, 'place'), String(row['seq'])]
    const stated = statements.get(evidence)
    const verified = stated?.entries.get(place)
    const entry = verified ?? (stated && claimedIn(auditing, stated, place, signerIn(row, dictionary)))
    if (!entry) {
      findings.differ(placeOf(row, 'row'), 'nothing', `place ${place} of evidence ${evidence}`)
      continue
    }
    if (row['id'] !== null && row['id'] !== entry.id) moved.push({ seq, id: entry.id, got: `${row['id']}` })
    compareColumns(findings, row, entry)
    compareWords(auditing, dictionary, row, entry, verified !== undefined && stated?.isVerified === true)
    comparePayloads(auditing, row, entry)
    compareLists(auditing, dictionary, row, entry)
    await compareInputs(session, auditing, row, entry.inputs)
  }
  await reportMoved(auditing, moved)
}

function signerIn(row: Row, dictionary: Dictionary): string {
  return dictionary.text(numberIn(row, 'signer')) ?? ''
}

/** Reads an unverified annotation of another SDK. The message states no signer, so the row's counts. */
function claimedIn(
  { untrusted }: MessageAudit,
  { classic }: StatedMessage,
  place: number,
  signer: string,
): Entry | undefined {
  if (!classic) return undefined
  const entry = readIfValid(() => claimedEntry(classic, place, signer))
  if (entry) untrusted.add('SIGNER_UNKNOWN', signer)
  return entry
}

const WORDS = ['signer', 'signed_by', 'host', 'layer'] as const

function compareColumns(findings: Findings, row: Row, entry: Entry): void {
  const { at, spelled } = momentOf(entry.timestamp)
  const action = optionalNumberIn(row, 'action')
  const compare = (part: string, expected: unknown, got: unknown) =>
    findings.compare(placeOf(row, part), expected, got)
  compare('action', entry.action, action === undefined ? undefined : (ACTIONS[action] ?? action))
  compare('time', at, row['at'])
  compare('spelling of the time', spelled, row['spelled'])
  compare('answers', toHex(toBits(entry.annotations)), toHex(bytesIn(row, 'ok')))
}

function compareWords(
  { findings, references }: RowAudit,
  dictionary: Dictionary,
  row: Row,
  { signer, signedBy, host, layer }: Entry,
  isVerified: boolean,
): void {
  // Compare the signer's name only if the signature was verified: an unknown signer has no name in the
  // policy.
  const named = isVerified ? [['signed_by', 'signer in the trust policy', signedBy] as const] : []
  for (const [column, part, text] of [
    ['signer', 'signer', signer] as const,
    ...named,
    ['host', 'host', host] as const,
    ['layer', 'layer', layer] as const,
  ]) {
    const place = placeOf(row, part)
    compareNumber(findings, place, optionalNumberIn(row, column), text, (id, value) =>
      references.word(place, id, value, dictionary.text(id)),
    )
  }
}

function comparePayloads(
  { findings, references }: RowAudit,
  row: Row,
  { payload, previous, implied }: Entry,
): void {
  for (const [column, part, name] of [
    ['datum', 'payload', payload],
    ['previous', 'previous payload', previous],
    ['implied', 'implied payload', implied],
  ] as const) {
    const place = placeOf(row, part)
    compareNumber(findings, place, optionalNumberIn(row, column), name, (id, value) =>
      references.datum(place, id, value, datumIn(row, `${column}_`)),
    )
  }
}

/** Calls `compare` if there are both an id and an expected value, and reports a lone one. */
function compareNumber<T>(
  findings: Findings,
  place: Place,
  id: number | undefined,
  value: T | undefined,
  compare: (id: number, value: T) => void,
): void {
  if (id !== undefined && value !== undefined) compare(id, value)
  else findings.compare(place, isGiven(value), isGiven(id))
}

function isGiven(value: unknown): string {
  return value === undefined ? 'nothing' : 'a number'
}

function compareLists(auditing: RowAudit, dictionary: Dictionary, row: Row, { annotations }: Entry): void {
  const [kinds, tags] = [annotations.map(({ kind }) => kind), annotations.map(({ tag }) => tag)]
  dictionary.compareList(auditing, placeOf(row, 'kinds'), numberIn(row, 'kinds'), kinds)
  dictionary.compareList(auditing, placeOf(row, 'tags'), numberIn(row, 'tags'), tags)
}

function placeOf(row: Row, part: string): Place {
  return placeIn('bundle', row['seq'], part)
}

/** A row of `bundle` whose log entry has another id than the bundle in the row's message. */
interface MovedRow {
  readonly seq: string
  readonly id: string
  readonly got: string
}

/** Reports rows with another id than their log entry; or the entry, if the log lacks the id of the bundle. */
async function reportMoved({ session, findings }: MessageAudit, moved: readonly MovedRow[]): Promise<void> {
  const missing = new Set(await findUnlogged(session, moved))
  for (const one of moved) {
    findings.compare(placeIn(missing.has(one) ? 'leaf' : 'bundle', one.seq, 'id'), one.id, one.got)
  }
}

/**
 * Reports bundles that are in messages but not in the log. Other SDKs' annotations are listed in the record of
 * their message, because some did not verify on receipt.
 */
async function findUnstored({ session, findings }: MessageAudit, statements: StatedMessages): Promise<void> {
  const all = [...statements].flatMap(([seq, { entries, classic }]) =>
    classic ? [] : Array.from(entries.values(), ({ id }) => ({ seq, id })),
  )
  for (const { id, seq } of await findUnlogged(session, all)) {
    findings.differ(placeIn('leaf', `id ${id}`, 'row'), `an entry, by evidence ${seq}`, 'nothing')
  }
}

/** Returns the given bundles that are not in the log. */
async function findUnlogged<T extends { readonly id: string }>(
  session: Session,
  bundles: readonly T[],
): Promise<T[]> {
  if (bundles.length === 0) return []
  const ids = `{${bundles.map(({ id }) => id).join()}}`
  return (await session.query(UNKNOWN, [ids])).map((row) => bundles[numberIn(row, 'place') - 1] as T)
}

const UNKNOWN = `
  select place from unnest($1::text::text[]) with ordinality as given (id, place)
  where not exists (select from alvarium.leaf where leaf.id = decode(given.id, 'hex'))`

const BUNDLES = `
  select bundle.seq::text as seq, evidence, place, encode(leaf.id, 'hex') as id, action, at::text as at, spelled, ok,
    ${WORDS.join(', ')}, kinds, tags, bundle.datum, previous, implied, cardinality(inputs) as input_count,
    array_dims(inputs) as input_bounds, ${INPUTS},
    datum.hash as datum_hash, datum.digest as datum_digest, datum.text as datum_text,
    before.hash as previous_hash, before.digest as previous_digest, before.text as previous_text,
    source.hash as implied_hash, source.digest as implied_digest, source.text as implied_text
  from (select * from alvarium.bundle where seq > $1::text::bigint order by seq limit $2::integer) as bundle
  left join alvarium.leaf on leaf.seq = bundle.seq
  left join alvarium.datum on datum.id = bundle.datum
  left join alvarium.datum as before on before.id = bundle.previous
  left join alvarium.datum as source on source.id = bundle.implied
  order by bundle.seq`
