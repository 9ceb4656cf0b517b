import * as v from 'valibot'
import { integer, readOptions, strict } from '../base/options/schema.js'
import { inTurns } from '../base/time/steps.js'
import { verifyTurns } from '../base/time/turns.js'
import { KnownSigner } from '../completeness/known-signer.js'
import { leafOf } from '../completeness/leaf.js'
import { noteOfMessage } from '../completeness/message.js'
import { readNote } from '../completeness/note.js'
import type { SignerReport } from '../completeness/report.js'
import { type LogEntry, readTextInTurns } from '../completeness/text.js'
import { msOf } from '../completeness/times.js'
import { type Verification, verifyReceived } from '../verify/messages.js'
import { KINDS } from './beside.js'
import { bytesIn, fromHexes, numberIfAny, numberIn, numbers } from './columns.js'
import type { Row } from './connection.js'
import type { Database } from './database.js'
import { paged } from './paged.js'
import type { Reading } from './verifying.js'

/** Which signers are judged. */
export interface MissingOptions {
  /** Key id of one signer: 32 lower-case hexadecimal digits. Default: all signers with checkpoints in the store. */
  readonly signer?: string | undefined
  /** Most signers. Default `100`. */
  readonly limit?: number | undefined
  /** The `next` of the page before. Default: from the first. */
  readonly after?: string | undefined
  /** Milliseconds by which the time of a message may differ from those of the checkpoints around it. Default `60_000`. */
  readonly toleranceMs?: number | undefined
}

/** What is missing of a signer. Of each list, the first 1,000. */
export interface MissingOfSigner extends SignerReport {
  /** Listed messages that are not there, of which nobody can know whether they were pruned. Then the verdict is not `'complete'`. */
  readonly prunedOrMissing: number
  /** Whether all of the lists is here. */
  readonly isWhole: boolean
}

/** Some signers, in the order of their key ids. */
export interface MissingPage {
  readonly signers: readonly MissingOfSigner[]
  /** Where the next page begins; missing on the last one. */
  readonly next?: string
}

const keyId = v.pipe(v.string('a key id'), v.regex(/^[\da-f]{32}$/, 'a key id of 32 hexadecimal digits'))

/** The page of limits shows it. */
export const missingSchema = strict({
  signer: v.optional(keyId),
  limit: integer(1, 10_000, 100),
  after: v.optional(keyId),
  toleranceMs: integer(0, 86_400_000, 60_000),
})

/** Of each list of a report. */
const MOST = 1_000

/** Judges signers one after the other: others can use the store in between. */
export async function missingIn(
  database: Database,
  reading: Reading,
  options: MissingOptions,
): Promise<MissingPage> {
  const { signer, limit, after, toleranceMs } = readOptions(missingSchema, options, 'missing')
  const rows = await database.read((session) => session.query(SIGNERS, [signer, after, limit + 1]))
  const ids = rows.map((row) => String(row['signer']))
  const signers: MissingOfSigner[] = []
  for (const id of ids.slice(0, limit)) {
    signers.push(await new Judged(database, reading, id, toleranceMs).report())
  }
  const next = ids.length > limit ? ids[limit - 1] : undefined
  return { signers, ...(next !== undefined && { next }) }
}

const SIGNERS = `
  select distinct encode(signer, 'hex') as signer from alvarium.beside
  where kind = ${KINDS.indexOf('checkpoint')} and ($1::text is null or signer = decode($1::text, 'hex'))
    and ($2::text is null or signer > decode($2::text, 'hex'))
  order by 1 limit $3::integer`

/** Rows that are read together: a checkpoint has up to 2 MiB, and a batch more. */
const TOGETHER = { checkpoints: 16, bundles: 1024, messages: 64 }

/** One signer, with what the store has of it. */
class Judged {
  readonly #database: Database
  readonly #reading: Reading
  readonly #signer: string
  readonly #toleranceMs: number
  readonly #known: KnownSigner

  constructor(database: Database, reading: Reading, signer: string, toleranceMs: number) {
    this.#database = database
    this.#reading = reading
    this.#signer = signer
    this.#known = new KnownSigner(signer, toleranceMs)
    this.#toleranceMs = toleranceMs
  }

  async report(): Promise<MissingOfSigner> {
    await this.#addCheckpoints()
    await this.#addMessages()
    const prunedOrMissing = await this.#settlePruned()
    const report = await inTurns(this.#known.report())
    const verdict = report.verdict === 'complete' && prunedOrMissing > 0 ? 'unknown' : report.verdict
    const { runs, missing, gaps, forks, unlisted } = report
    const lists = { runs, missing, gaps, forks, unlisted }
    const isWhole = Object.values(lists).every((list) => list.length <= MOST)
    const cut = Object.entries(lists).map(([name, list]) => [name, list.slice(0, MOST)])
    return { ...report, ...Object.fromEntries(cut), verdict, prunedOrMissing, isWhole }
  }

  /** They were verified when they were stored. */
  async #addCheckpoints(): Promise<void> {
    for await (const rows of this.#pages(CHECKPOINTS, TOGETHER.checkpoints)) {
      for (const row of rows) {
        const { text } = readNote(noteOfMessage(bytesIn(row, 'message')))
        this.#known.add(await readTextInTurns(text))
      }
    }
  }

  async #addMessages(): Promise<void> {
    let before: ReadonlySet<number> = new Set()
    for await (const rows of this.#pages(BUNDLES, TOGETHER.bundles)) {
      const known = before
      // A batch goes on in the next rows.
      before = new Set(rows.map((row) => numberIn(row, 'evidence')))
      const added = [...before].filter((one) => !known.has(one))
      for (let at = 0; at < added.length; at += TOGETHER.messages) {
        await this.#addEvidence(added.slice(at, at + TOGETHER.messages))
      }
    }
  }

  /** Verified again: what a batch was signed as is in no column. */
  async #addEvidence(seqs: readonly number[]): Promise<void> {
    const rows = await this.#database.read((session) => session.query(EVIDENCE, [numbers(seqs)]))
    const messages = rows.map((row) => bytesIn(row, 'message'))
    const { keyring, codec } = this.#reading
    const received = (at: number) => numberIfAny(rows[at] as Row, 'received')
    const outcomes = await verifyReceived(messages, { keyring, codec }, received)
    for (const [at, outcome] of outcomes.entries()) this.#add(messages[at] as Uint8Array, outcome)
  }

  #add(message: Uint8Array, outcome: Verification): void {
    if (outcome.status === 'rejected') return
    const [first] = outcome.value
    if (!first) return
    this.#known.name ??= first.signedBy?.name
    this.#known.seen.add(leafOf(message, first, this.#reading.codec), outcome.value)
  }

  /** Of what was pruned, the ids of bundles are left, and not those of batches. @returns of how many nobody can know */
  async #settlePruned(): Promise<number> {
    const [row] = await this.#database.read((session) => session.query(PRUNED))
    const until = numberIfAny(row as Row, 'until')
    if (until === undefined) return 0
    this.#known.goneUntilMs = until + this.#toleranceMs
    let unknown = 0
    for (const { from, entries } of this.#known.checkpoints) {
      await verifyTurns.takeLong()
      if (msOf(from.at) > this.#known.goneUntilMs) continue
      const absent = entries.filter((entry) => this.#known.seen.missingOf(entry) > 0)
      if (absent.length > 0) unknown += absent.length - (await this.#countOf(absent))
      for (const { id } of absent) this.#known.seen.settle(id)
    }
    return unknown
  }

  async #countOf(entries: readonly LogEntry[]): Promise<number> {
    const begins = fromHexes(entries.map(({ id }) => id))
    const [row] = await this.#database.read((session) => session.query(LEAVES, [begins, entries.length]))
    return numberIn(row as Row, 'count')
  }

  #pages(statement: string, count: number): AsyncGenerator<readonly Row[], void> {
    return paged(this.#database, { statement, count, params: [this.#signer] })
  }
}

const CHECKPOINTS = `
  select seq, message from alvarium.beside
  where kind = ${KINDS.indexOf('checkpoint')} and signer = decode($3::text, 'hex') and seq > $1::bigint
  order by seq limit $2::integer`

const BUNDLES = `
  select seq, evidence from alvarium.bundle
  where signer = (select id from alvarium.word where word = convert_to($3::text, 'UTF8')) and action is not null
    and seq > $1::bigint order by seq limit $2::integer`

const EVIDENCE = `
  select received, message from unnest($1::text::bigint[]) as given (seq) join alvarium.evidence using (seq)`

/** Up to when something may have been pruned, by when it was received or signed; where a payload was forgotten, by when that was. */
const PRUNED = 'select max(coalesce(before, at)) as until from alvarium.pruning'

/** How many of the first eight bytes of leaf ids are in the log. */
const LEAVES = `
  select count(*) as count from generate_series(0, $2::integer - 1) as given (place)
  cross join lateral (
    select substring($1::bytea from 8 * place + 1 for 8) as begins offset 0
  ) as one
  where exists (
    select from alvarium.leaf where id >= begins and id <= begins || '\\xffffffffffffffffffffffffffffffffffffffffffffffff'::bytea
  )`
