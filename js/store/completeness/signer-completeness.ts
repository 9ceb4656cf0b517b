import { noteOfMessage } from '../../evidence/completeness/checkpoint/message.js'
import { readTextInTurns } from '../../evidence/completeness/checkpoint/read-text.js'
import type { LogEntry } from '../../evidence/completeness/checkpoint/text.js'
import type { KnownKey } from '../../evidence/completeness/known-key.js'
import { KnownSigner } from '../../evidence/completeness/known-signers.js'
import { type SignerReport, shownSigner, verdictOn } from '../../evidence/completeness/report.js'
import { Sightings, withSightings } from '../../evidence/completeness/sightings.js'
import { msOf } from '../../evidence/completeness/times.js'
import { readNote } from '../../evidence/logs/note.js'
import type { ReadQuorum } from '../../evidence/witness/options.js'
import { runYielding, verifyTurns } from '../../foundation/base/time/turns.js'
import { VERDICT_WORDS } from '../../foundation/model/verdict-words.js'
import type { Codec } from '../../transport/codecs/codec.js'
import type { Row } from '../database/connection.js'
import { type Database, oneRow } from '../database/database.js'
import { CHECKPOINT } from '../ingest/control-messages.js'
import { bytesIn, decodeHexes, numberIn } from '../rows/columns.js'
import { readPages } from '../rows/read-pages.js'
import { type OwnedKey, ownedKeys } from './owned-keys.js'
import { storedMessages } from './stored-messages.js'

/** Report on the missing messages of a signer. Each list has at most 1,000 entries. */
export interface MissingOfSigner extends SignerReport {
  /** Number of listed messages that may be missing or pruned. Above 0, the verdict is not `'complete'`. */
  readonly prunedOrMissing: number
  /** True if no list was cut off. False also for a signer with more than `maxMessages`. */
  readonly isWhole: boolean
}

/** Report on the checkpoints received since a time, if none of their listed messages is missing. */
export interface PartOfSigner extends Omit<MissingOfSigner, 'verdict'> {
  readonly verdict: 'complete in part'
  /** Value of the option `since`. */
  readonly since: Date
}

export interface SignerContext {
  readonly database: Database
  /** Codec that decodes batches. */
  readonly codec: Codec | undefined
  readonly toleranceMs: number
  readonly reader?: ReadQuorum | undefined
  readonly maxMessages: number
  /** Time until which messages may have been pruned, in milliseconds since 1970. Undefined if none were. */
  readonly prunedUntil: number | undefined
  readonly signal?: AbortSignal | undefined
}

const MAX_LISTED = 1_000
/** Number of checkpoints read in one query. A checkpoint is at most 2 MiB long. */
export const CHECKPOINT_PAGE = 16

/**
 * Reports on the missing messages of a signer. Does not verify stored messages again: messages of an older key,
 * unknown today, would then be reported as missing.
 */
export class SignerCompleteness {
  readonly #context: SignerContext
  readonly #signer: string
  readonly #state: KnownSigner
  #keys: ReadonlyMap<string, OwnedKey> = new Map()
  readonly #sightings: Sightings | undefined
  #listed = 0
  /**
   * Number of checkpoints, plus the number of ranges of pending and refused messages in them. One checkpoint
   * may have thousands of ranges.
   */
  #ranges = 0

  constructor(context: SignerContext, signer: string) {
    this.#context = context
    this.#signer = signer
    this.#state = new KnownSigner(signer, context.toleranceMs)
    this.#sightings = context.reader && new Sightings(context.reader)
  }

  async report(): Promise<MissingOfSigner> {
    this.#keys = await ownedKeys(this.#context.database, this.#signer)
    const isJudged = (await this.#addCheckpoints()) && (await this.#addMessages())
    if (!isJudged) return this.#unjudged()
    const prunedOrMissing = await this.#settlePruned()
    const report = await runYielding(this.#state.report())
    const judged = verdictOn(report, prunedOrMissing)
    const seen = this.#sightings ? withSightings(judged, this.#sightings) : judged
    return { ...seen, prunedOrMissing, ...cut(report) }
  }

  #unjudged(): MissingOfSigner {
    const { name, size, runs } = this.#state
    const signerName = shownSigner({ signer: this.#signer, name })
    const lists = { runs: runs.slice(0, MAX_LISTED), missing: [], gaps: [], forks: [], unlisted: [] }
    const counts = { missingInGaps: 0, refused: 0, pending: 0, unknown: size, prunedOrMissing: 0 }
    const says = `${signerName} has more messages here, or lists more, than ${this.#context.maxMessages}`
    return {
      signer: this.#signer,
      name,
      verdict: 'unknown',
      outcome: VERDICT_WORDS.unknown,
      says,
      needs: 'ask again with a larger maxMessages',
      messages: size,
      ...lists,
      ...counts,
      isWhole: false,
    }
  }

  async #addCheckpoints(): Promise<boolean> {
    const { maxMessages } = this.#context
    for await (const rows of this.#checkpoints()) {
      for (const row of rows) {
        if (!this.#keys.has(String(row['key']))) continue
        const note = noteOfMessage(bytesIn(row, 'message'))
        const checkpoint = await readTextInTurns(readNote(note).text)
        this.#state.add(checkpoint)
        this.#sightings?.add({ ...checkpoint, note })
        this.#listed += checkpoint.entries.length
        this.#ranges += 1 + checkpoint.pending.length + checkpoint.refused.length
      }
      if (Math.max(this.#listed, this.#ranges) > maxMessages) return false
    }
    return true
  }

  async #addMessages(): Promise<boolean> {
    for (const [key, owned] of this.#keys) {
      if (!(await addStored(this.#state, key, owned, this.#context))) return false
    }
    return true
  }

  /**
   * Takes messages off the list of missing ones if they may have been pruned. The store still has the ids of
   * pruned bundles, but not those of pruned batches.
   * @returns the number of messages for which the store cannot show whether they were pruned or are missing
   */
  async #settlePruned(): Promise<number> {
    const { prunedUntil, toleranceMs } = this.#context
    if (prunedUntil === undefined) return 0
    this.#state.prunedUntilMs = prunedUntil + toleranceMs
    let unknown = 0
    for (const key of this.#state.keys) unknown += await this.#settlePrunedOf(key)
    return unknown
  }

  async #settlePrunedOf({ checkpoints, seen }: KnownKey): Promise<number> {
    let unknown = 0
    for (const { from, entries } of checkpoints) {
      await verifyTurns.yieldIfDueLong()
      if (msOf(from.at) > this.#state.prunedUntilMs) continue
      const { snapshot } = seen
      const absent = entries.filter((entry) => snapshot.missingOf(entry) > 0)
      if (absent.length > 0) unknown += absent.length - (await this.#countOf(absent))
      for (const { id } of absent) seen.settle(id)
      this.#context.signal?.throwIfAborted()
    }
    return unknown
  }

  async #countOf(entries: readonly LogEntry[]): Promise<number> {
    const begins = decodeHexes(entries.map(({ id }) => id))
    const { database } = this.#context
    const row = await database.read((session) => oneRow(session, LEAVES, [begins, entries.length]))
    return numberIn(row, 'count')
  }

  /** Reads the signer's checkpoints, and those signed by the signer's keys under leases of other issuers. */
  async *#checkpoints(): AsyncGenerator<readonly Row[], void> {
    yield* this.#checkpointsBy(this.#signer)
    for (const [key, { otherIssuers }] of this.#keys) {
      for (const issuer of otherIssuers) yield* this.#checkpointsBy(issuer, key)
    }
  }

  async *#checkpointsBy(issuer: string, key?: string): AsyncGenerator<readonly Row[], void> {
    const { database, signal } = this.#context
    const paging = { statement: CHECKPOINTS, count: CHECKPOINT_PAGE, params: [issuer, key] }
    for await (const rows of readPages(database, paging)) {
      yield rows
      signal?.throwIfAborted()
    }
  }
}

/**
 * Adds a key's stored messages, starting at a given entry of the store's log.
 * @returns false if there are too many
 */
export async function addStored(
  state: KnownSigner,
  key: string,
  owned: OwnedKey | undefined,
  { database, codec, maxMessages, signal }: SignerContext,
  begin?: number,
): Promise<boolean> {
  const { seen } = state.key(key)
  for await (const { messages, name } of storedMessages(database, codec, key, begin)) {
    // If other issuers leased the key, too, ignore `name`, because it may be the name of another issuer.
    if (owned?.otherIssuers.length === 0) state.name ??= name
    for (const { leaf, bundles } of messages) seen.add(leaf, bundles)
    if (state.size > maxMessages) return false
    signal?.throwIfAborted()
  }
  return true
}

export function cut({ runs, missing, gaps, forks, unlisted }: SignerReport) {
  const isWhole = [runs, missing, gaps, forks, unlisted].every(({ length }) => length <= MAX_LISTED)
  const first = <T>(list: readonly T[]) => list.slice(0, MAX_LISTED)
  const lists = { runs: first(runs), missing: first(missing), gaps: first(gaps), forks: first(forks) }
  return { ...lists, unlisted: first(unlisted), isWhole }
}

const CHECKPOINTS = `
  select seq, encode(key, 'hex') as key, message from alvarium.beside
  where kind = ${CHECKPOINT} and signer = decode($3::text, 'hex') and seq > $1::bigint
    and ($4::text is null or key = decode($4::text, 'hex'))
  order by seq limit $2::integer`

/** Counts the given prefixes, of eight bytes each, with which the id of a leaf in the log begins. */
const LEAVES = `
  select count(*) as count from generate_series(0, $2::integer - 1) as given (place)
  cross join lateral (
    select substring($1::bytea from 8 * place + 1 for 8) as begins offset 0
  ) as one
  where exists (
    select from alvarium.leaf where id >= begins and id <= begins || '\\xffffffffffffffffffffffffffffffffffffffffffffffff'::bytea
  )`
