import { toBytes, toHex } from '../../base/bytes/hex.js'
import { join } from '../../base/bytes/join.js'
import { callTurns } from '../../base/time/turns.js'
import type { PayloadName } from '../../judge/judge.js'
import { ACTIONS, type Input } from '../../model/bundle.js'
import type { Evidence } from '../adding.js'
import { bitAt, toBits } from '../bits.js'
import { bytesIn, numberIfAny, numberIn, numbers, textsIn } from '../columns.js'
import type { Row } from '../connection.js'
import type { Session } from '../database.js'
import type { Entry } from '../entry.js'
import { momentOf } from '../moment.js'
import { datumName, sha256, sha256All } from '../payload-name.js'
import { type Reading, verified } from '../verifying.js'
import type { Findings } from './findings.js'

/** Rows that are read and compared together. */
const TOGETHER = 1024

interface Stored extends Evidence {
  readonly seq: number
}

/** What evidence says, by its numbers. */
type Said = ReadonlyMap<number, readonly Entry[]>

/**
 * Verifies the evidence of all bundles again, and compares what it says with their columns.
 *
 * @returns how many messages were verified
 */
export async function auditRows(session: Session, findings: Findings, reading: Reading): Promise<number> {
  let count = 0
  let [after, before]: [string, Said] = [SMALLEST, new Map()]
  for (;;) {
    await callTurns.takeLong()
    const rows = await session.query(BUNDLES, [after, TOGETHER])
    if (rows.length === 0) return count
    const known = before
    const seqs = [...new Set(rows.map((row) => numberIn(row, 'evidence')))]
    const added = await saidBy(
      session,
      findings,
      seqs.filter((seq) => !known.has(seq)),
      reading,
    )
    count += added.size
    // A batch goes on in the next rows.
    before = new Map(seqs.flatMap((seq) => [[seq, added.get(seq) ?? known.get(seq) ?? []] as const]))
    compareRows(findings, rows, before)
    await findUnstored(session, findings, added)
    after = String((rows.at(-1) as Row)['seq'])
  }
}

/** Of a `bigint`. */
const SMALLEST = '-9223372036854775808'

/** Verifies evidence. What is not there says nothing. */
async function saidBy(
  session: Session,
  findings: Findings,
  seqs: readonly number[],
  reading: Reading,
): Promise<Said> {
  if (seqs.length === 0) return new Map()
  const rows = await session.query(EVIDENCE, [numbers(seqs)])
  const some = rows.map((row): Stored => {
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
  some: readonly Stored[],
  reading: Reading,
  findings: Findings,
): Promise<Map<number, Entry[]>> {
  const { found, refused } = await verified(some, reading)
  const entries = new Map<number, Entry[]>(some.map(({ seq }) => [seq, []]))
  const seqs = new Map(some.map(({ seq, message }) => [message, seq]))
  for (const { entry, evidence } of found) entries.get(seqs.get(evidence.message) as number)?.push(entry)
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
  return entries
}

function compareRows(findings: Findings, rows: readonly Row[], said: Said): void {
  for (const row of rows) {
    const [evidence, place] = [numberIn(row, 'evidence'), numberIn(row, 'place')]
    const entry = said.get(evidence)?.find((one) => one.place === place)
    const where = { table: 'bundle', row: String(row['seq']) } as const
    if (!entry) {
      findings.add({
        ...where,
        what: 'row',
        expected: 'nothing',
        got: `place ${place} of evidence ${evidence}`,
      })
      continue
    }
    const [made, stored] = [columnsOf(entry), columnsIn(row)]
    for (const [what, value] of Object.entries(made)) {
      findings.compare({ ...where, what }, value, Reflect.get(stored, what))
    }
  }
}

/** What evidence says is in the log: by this evidence, or by other evidence that came before it. */
async function findUnstored(session: Session, findings: Findings, said: Said): Promise<void> {
  const all = [...said].flatMap(([seq, entries]) => entries.map(({ id }) => ({ seq, id })))
  if (all.length === 0) return
  const rows = await session.query(UNKNOWN, [`{${all.map(({ id }) => id).join(',')}}`])
  for (const row of rows) {
    const { id, seq } = all[numberIn(row, 'place') - 1] as (typeof all)[number]
    findings.add({
      table: 'leaf',
      row: `id ${id}`,
      what: 'row',
      expected: `an entry, by evidence ${seq}`,
      got: 'nothing',
    })
  }
}

const UNKNOWN = `
  select place from unnest($1::text::text[]) with ordinality as given (id, place)
  where not exists (select from alvarium.leaf where leaf.id = decode(given.id, 'hex'))`

/** The columns as they should be. */
function columnsOf(entry: Entry) {
  const { at, spelled } = momentOf(entry.timestamp)
  return {
    id: entry.id,
    action: entry.action,
    signer: entry.signer,
    'signer in the trust policy': entry.signedBy,
    host: entry.host,
    layer: entry.layer,
    time: at,
    'spelling of the time': spelled,
    payload: datumText(entry.payload),
    'previous payload': entry.previous && datumText(entry.previous),
    inputs: entry.inputs && inputsText(entry.inputs),
    'implied payload': entry.implied && datumText(entry.implied),
    kinds: entry.annotations.map(({ kind }) => kind),
    tags: entry.annotations.map(({ tag }) => tag),
    answers: entry.annotations.map(({ isSatisfied }) => isSatisfied),
    bits: toHex(toBits(entry.annotations)),
  }
}

function columnsIn(row: Row): ReturnType<typeof columnsOf> {
  const word = (name: string) =>
    row[name] === null ? 'nothing' : new TextDecoder().decode(bytesIn(row, name))
  const text = (name: string) => (row[name] === null ? undefined : String(row[name]))
  const [kinds, tags] = [textsIn(row, 'kinds'), textsIn(row, 'tags')]
  const [action, ok] = [numberIfAny(row, 'action'), bytesIn(row, 'ok')]
  return {
    id: text('id') ?? 'nothing',
    action: action === undefined ? undefined : (ACTIONS[action] ?? (String(action) as never)),
    signer: word('signer'),
    'signer in the trust policy': row['signed_by'] === null ? undefined : word('signed_by_word'),
    host: word('host'),
    layer: word('layer'),
    time: text('at'),
    'spelling of the time': text('spelled'),
    payload: nameIn(row, 'datum_') ?? 'nothing',
    'previous payload': row['previous'] === null ? undefined : (nameIn(row, 'previous_') ?? 'nothing'),
    inputs:
      row['input_count'] === null
        ? undefined
        : shownInputs(row['input_count'], bytesIn(row, 'inputs_digest')),
    'implied payload': row['implied'] === null ? undefined : (nameIn(row, 'implied_') ?? 'nothing'),
    kinds,
    tags,
    answers: kinds.map((_, at) => bitAt(ok, at)),
    bits: toHex(ok),
  }
}

/** As the table of payloads should have it: two numbers of a hash can stand for the same name. */
function datumText(name: PayloadName): string {
  const { hash, digest, text } = datumName(name)
  return shownDatum(hash, digest, text)
}

/** There can be many: a digest stands for them, of what {@link INPUTS} makes of the rows. */
function inputsText(inputs: readonly Input[]): string {
  const parts = inputs.flatMap((input) => {
    const { hash, digest, text } = datumName(input)
    const bytes = toBytes(digest.toLowerCase()) as Uint8Array
    return [Uint8Array.of(0, hash), bytes, text ? bytes : NOTHING]
  })
  return shownInputs(inputs.length, sha256(join(parts).bytes))
}

const NOTHING = new Uint8Array()

function shownInputs(count: unknown, digest: Uint8Array): string {
  return `${count} with the digest ${toHex(digest)}`
}

function nameIn(row: Row, prefix: string): string | undefined {
  const hash = numberIfAny(row, `${prefix}hash`)
  if (hash === undefined) return undefined
  const text = row[`${prefix}text`] === null ? undefined : bytesIn(row, `${prefix}text`)
  return shownDatum(hash, toHex(bytesIn(row, `${prefix}digest`)).toUpperCase(), text)
}

function shownDatum(hash: number, digest: string, text: Uint8Array | undefined): string {
  return `hash ${hash} ${digest}${text ? `, the text ${new TextDecoder().decode(text)}` : ''}`
}

const WORDS = (list: string) => `
  (select array_agg(encode(word, 'hex') order by place)
   from alvarium.list cross join unnest(words) with ordinality as given (word_id, place) join alvarium.word on word.id = word_id
   where list.id = bundle.${list}) as ${list}`

/** A text has its own digest in place of itself. */
const INPUTS = `
  (select sha256(coalesce(string_agg(
     coalesce(int2send(hash) || digest || coalesce(sha256(text), ''), '\\xff'), '\\x'::bytea order by place), '\\x'))
   from unnest(bundle.inputs) with ordinality as given (id, place) left join alvarium.datum using (id)) as inputs_digest`

const BUNDLES = `
  select bundle.seq::text as seq, evidence, place, encode(leaf.id, 'hex') as id, action, at::text as at, spelled, ok,
    signer.word as signer, signed_by, signed.word as signed_by_word, host.word as host, layer.word as layer, previous, implied,
    ${WORDS('kinds')}, ${WORDS('tags')}, cardinality(inputs) as input_count, ${INPUTS},
    datum.hash as datum_hash, datum.digest as datum_digest, datum.text as datum_text,
    before.hash as previous_hash, before.digest as previous_digest, before.text as previous_text,
    source.hash as implied_hash, source.digest as implied_digest, source.text as implied_text
  from (select * from alvarium.bundle where seq > $1::text::bigint order by seq limit $2::integer) as bundle
  left join alvarium.leaf on leaf.seq = bundle.seq
  left join alvarium.word as signer on signer.id = bundle.signer
  left join alvarium.word as signed on signed.id = bundle.signed_by
  left join alvarium.word as host on host.id = bundle.host
  left join alvarium.word as layer on layer.id = bundle.layer
  left join alvarium.datum on datum.id = bundle.datum
  left join alvarium.datum as before on before.id = bundle.previous
  left join alvarium.datum as source on source.id = bundle.implied
  order by bundle.seq`
