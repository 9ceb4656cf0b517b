/// <reference lib="esnext.disposable" preserve="true" />
// `alvarium-sdk/store`: what was verified, in PostgreSQL, and what can be asked of it.

import { describe, expected } from '../base/errors.js'
import { safeLogger } from '../base/logger.js'
import { readOptions } from '../base/options/schema.js'
import type { PayloadName } from '../judge/confidence.js'
import type { Dossier } from '../judge/dossier.js'
import type { JudgingPolicy } from '../judge/policy.js'
import { judge, type Verdict } from '../judge/verdict.js'
import { keyringOf } from '../keys/keyring.js'
import type { SignerInput } from '../keys/signer.js'
import { isTrustPolicy } from '../keys/trust-policy.js'
import type { StreamProvider } from '../streams/stream.js'
import { type AboutPayload, aboutDatum, nothingAbout } from './about.js'
import { type AuditOptions, type AuditReport, audit } from './audit/audit.js'
import { type Connection, openingOf } from './connection.js'
import { Database, type Session } from './database.js'
import { type ExportedMessage, exported } from './exporting.js'
import {
  type AnswersOptions,
  answersIn,
  type HourOfAnswers,
  type LastHeard,
  readAnswersOptions,
  readSilentOptions,
  type SilentOptions,
  type StoreStats,
  silentIn,
  statsOf,
} from './figures.js'
import { grouped, type Message } from './gathering.js'
import { type Groups, type Ingested, Ingester, nothingIngested } from './ingest.js'
import { dossierOf, logPosition } from './judging/dossier.js'
import { readScoreOptions, type ScoreOptions, usualPolicy } from './judging/options.js'
import { Lexicon } from './lexicon.js'
import { aloneIn, type Lineage, type LineageOptions, lineageOf, readLineageOptions } from './lineage.js'
import type { LogCheckpoint } from './log/checkpoint.js'
import { logSigner } from './log/key.js'
import { growthSince, proofOf, SigningStoreLog } from './log/log.js'
import { migrate } from './migrations.js'
import { type IngestOptions, ingestSchema, type StoreOptions, schema } from './options.js'
import {
  assertFilter,
  type BundleFilter,
  conditionsOf,
  type Page,
  type PageOptions,
  pageOf,
  readPageOptions,
} from './pages.js'
import { datumName, namedPayload } from './payload-name.js'
import { Quarantine } from './quarantine.js'
import { datumId } from './stored.js'
import { evidenceOf, type Reading } from './verifying.js'

export type { AboutPayload } from './about.js'
export type { AuditOptions, AuditReport } from './audit/audit.js'
export type { Difference } from './audit/findings.js'
export type { Connection } from './connection.js'
export type { ExportedMessage } from './exporting.js'
export type { AnswersOptions, HourOfAnswers, LastHeard, SilentOptions, StoreStats } from './figures.js'
export type { Message } from './gathering.js'
export type { Groups, Ingested, Rejected } from './ingest.js'
export type { ScoreOptions } from './judging/options.js'
export type { Lineage, LineageOptions, Relative } from './lineage.js'
export type { LogCheckpoint } from './log/checkpoint.js'
export type { LogOptions } from './log/log.js'
export { type VerifiedInclusion, verifyLogConsistency, verifyLogProof } from './log/verify-proof.js'
export type { IngestOptions, QuarantineOptions, StoreOptions } from './options.js'
export type { BundleFilter, Page, PageOptions } from './pages.js'
export type { StoredBundle } from './stored.js'

/**
 * Opens a store in PostgreSQL 15 or newer, or in PGlite. Its tables are in the schema `alvarium`, which is made, or brought up to date,
 * if it has to be. Several processes may open it at the same time.
 *
 * @param database - one connection that nobody else uses: a connected `Client` of `pg`, `await pool.connect()`, or a `PGlite`. You close
 * it. Or a URL, `postgres://…`, for which the package `pg` must be installed, and of which a connection is opened again when it was lost;
 * `folder:./path` for a store in a folder, which one process has at a time; or `memory:` for one that ends with the process. For these
 * two, `@electric-sql/pglite` must be installed
 * @throws AlvariumError `CONFIG_INVALID` naming the option, or the package that is missing; `KEY_INVALID`; `STORE_LOCKED` when another
 * process has the folder open; `STORE_FAILED` when the database does not answer, or its tables are of a newer version
 *
 * @example
 * ```ts
 * import { openStore } from 'alvarium-sdk/store'
 *
 * const store = await openStore('memory:', { keyring })
 * const { bundles, copies } = await store.ingest([message])
 * console.log(bundles, copies) // 1 0
 * await store.close()
 * ```
 */
export async function openStore(database: Connection | string, options: StoreOptions): Promise<Store> {
  const {
    keyring,
    codec,
    classic,
    quarantine,
    queryTimeoutMs,
    policy = usualPolicy(),
    log: logged,
    logger: given,
  } = readOptions(schema, options)
  const reading = { keyring: isTrustPolicy(keyring) ? keyring : keyringOf(keyring), codec, classic }
  const logger = safeLogger(given)
  const signer = logged && (await logSigner(logged.origin, logged.signingKey as SignerInput))
  const opened = new Database(openingOf(database), { queryTimeoutMs, logger })
  try {
    await migrate(opened)
  } catch (error) {
    await opened.close().catch(() => undefined)
    throw error
  }
  const log = signer && new SigningStoreLog(opened, signer, { ...logged, logger })
  return new Store({ database: opened, reading, quarantine: new Quarantine(quarantine), policy, log })
}

/** What a store is made of. */
interface Parts {
  readonly database: Database
  readonly reading: Reading
  readonly quarantine: Quarantine
  readonly policy: JudgingPolicy
  readonly log: SigningStoreLog | undefined
}

/**
 * Verified bundles, the messages that they came in, and what can be asked of them: what {@link openStore} has opened. One call after the
 * other has the connection; open a second store beside a long {@link Store.ingest}, and ask that one.
 *
 * @example
 * ```ts
 * const { answers, signers } = await store.about(payload)
 * console.log(answers, signers)
 * ```
 */
export class Store {
  readonly #database: Database
  readonly #reading: Reading
  readonly #ingester: Ingester
  readonly #policy: JudgingPolicy
  readonly #log: SigningStoreLog | undefined
  readonly #lexicon = new Lexicon()

  /** @internal */
  constructor({ database, reading, quarantine, policy, log }: Parts) {
    this.#database = database
    this.#reading = reading
    this.#policy = policy
    this.#log = log
    this.#ingester = new Ingester(database, this.#lexicon, quarantine, async (count) => log?.added(count))
  }

  /**
   * Stores bundles, each once, with the messages that they came in. What it returns counts is committed.
   *
   * Of a subscription it is the loop: it stores what the subscription has verified, in groups of at most 1,000 bundles or 50 ms, and
   * acknowledges a group when it is committed. It ends when the subscription does. Give the subscription `deadLetter:
   * store.deadLetters()` to keep what may be verified later, and a `prefetch` of 1,000 or more for full groups.
   *
   * Messages are verified by the store's `keyring`. Those whose signer it does not have are kept apart: see {@link judge}. Others that do
   * not verify are counted, and not kept.
   *
   * @param source - a subscription of `subscribe`, or messages in any iterable. A source is asked for more when what came before is stored
   * @throws AlvariumError `STORE_FAILED` when the database does not answer, `STREAM_CLOSED` when the store is closed, and what the source
   * throws. What was counted before is stored; a broker redelivers the rest, and what is stored already is a copy then
   * @throws TypeError for what is no message
   *
   * @example
   * ```ts
   * const deadLetter = store.deadLetters()
   * const bundles = subscribe({ url, topic, clientId: 'store-1', keyring, prefetch: 1_000, deadLetter })
   * process.once('SIGTERM', () => bundles.close())
   * const done = store.ingest(bundles) // settles when they are closed
   * ```
   */
  async ingest(
    source: Groups | Iterable<Message> | AsyncIterable<Message>,
    options: IngestOptions = {},
  ): Promise<Ingested> {
    const { onRejected } = readOptions(ingestSchema, options, 'ingest')
    this.#database.assertOpen()
    if (isSubscription(source)) return this.#ingester.fromSubscription(source)
    assertMessages(source)
    const done = nothingIngested()
    let at = 0
    for await (const group of grouped(source)) {
      const some = group.map((one) => evidenceOf(one, at++))
      await this.#ingester.messages(some, this.#reading, done, onRejected)
    }
    return done
  }

  /**
   * Tries again what was kept apart, of signers that nobody knew, or rows that the database had refused: call it after
   * `trust.update()`. What verifies is stored, by when it was received; what is bad after all is let go; the rest waits on.
   *
   * @throws AlvariumError as {@link ingest}
   */
  judge(): Promise<Ingested> {
    return this.#ingester.judge(this.#reading)
  }

  /**
   * A stream for the option `deadLetter` of `subscribe`: it keeps messages apart whose signers the store does not know yet. It stores
   * those that it can verify, and lets go of the others, of which the subscription tells.
   *
   * @example
   * ```ts
   * const bundles = subscribe({ url, topic, clientId: 'store-1', keyring: trust, deadLetter: store.deadLetters() })
   * ```
   */
  deadLetters(): StreamProvider {
    return {
      publish: async (message) => {
        const evidence = { message, receivedAt: Date.now() }
        await this.#ingester.messages([evidence], this.#reading, nothingIngested())
      },
    }
  }

  /**
   * What is known about a payload. If nothing is, it has 0 bundles.
   *
   * @param payload - the payload, which is looked for by its SHA-256; or `{ key, hash }`
   * @throws TypeError when it is neither
   * @throws AlvariumError `CONFIG_INVALID` for a name that cannot be one, `STORE_FAILED`
   */
  about(payload: Uint8Array | PayloadName): Promise<AboutPayload> {
    return this.#of(payload, nothingAbout, (session, id, name) =>
      aboutDatum(session, this.#lexicon, id, name),
    )
  }

  /**
   * The bundles about a payload, in the order in which they were stored.
   *
   * @throws as {@link about}
   *
   * @example
   * ```ts
   * let next: string | undefined
   * do {
   *   const page = await store.history(payload, { after: next })
   *   for (const { action, signer, timestamp } of page.bundles) console.log(action, signer, timestamp)
   *   next = page.next
   * } while (next !== undefined)
   * ```
   */
  history(payload: Uint8Array | PayloadName, options?: PageOptions): Promise<Page> {
    const settings = readPageOptions(options)
    return this.#of(
      payload,
      (): Page => ({ bundles: [] }),
      (session, id) => pageOf(session, this.#lexicon, [['bundle.datum = ?::bigint', id]], settings),
    )
  }

  /**
   * The bundles that have something in common, in the order in which they were stored.
   *
   * @throws TypeError for what is no time
   * @throws AlvariumError `CONFIG_INVALID` naming the option, or for a filter without any; `STORE_FAILED`
   *
   * @example
   * ```ts
   * const { bundles } = await store.by({ host: 'edge-7', kind: 'tls', at: { from: Date.now() - 3_600_000 } }, { limit: 50 })
   * console.log(bundles.length)
   * ```
   */
  async by(filter: BundleFilter, options?: PageOptions): Promise<Page> {
    const settings = readPageOptions(options)
    const conditions = conditionsOf(filter)
    assertFilter(conditions, filter)
    return this.#read((session) => pageOf(session, this.#lexicon, conditions, settings))
  }

  /**
   * What a payload was made from, and what that was made from; or what was made from it. By what signers say in `mutate`.
   *
   * @throws as {@link about}
   *
   * @example
   * ```ts
   * const { payloads, isWhole } = await store.lineage(payload, { direction: 'down', limit: 100 })
   * for (const { key, depth } of payloads) console.log(depth, key)
   * if (!isWhole) console.log('and more')
   * ```
   */
  async lineage(payload: Uint8Array | PayloadName, options?: LineageOptions): Promise<Lineage> {
    const settings = readLineageOptions(options)
    return this.#of(payload, aloneIn, (session, id) => lineageOf(session, id, settings))
  }

  /**
   * How far a payload can be trusted, by a policy: a whole number of ten-thousandths, or `unknown`. If nothing is known about it, it is 0.
   *
   * @throws as {@link about}
   *
   * @example
   * ```ts
   * import { readPolicy } from 'alvarium-sdk/judge'
   *
   * const { score, policy } = await store.score(payload, { policy: readPolicy({ version: 1, required: ['src'] }) })
   * console.log(score === 'unknown' || score < 9_000 ? 'not good enough' : 'good', policy)
   * ```
   */
  async score(payload: Uint8Array | PayloadName, options?: ScoreOptions): Promise<Omit<Verdict, 'why'>> {
    const { why: _, ...score } = await this.why(payload, options)
    return score
  }

  /**
   * The same with what is behind it: answers, signers and ancestors. `verdictBytes` of `alvarium-sdk/judge` makes bytes of it, which are the same
   * wherever it is computed again from as much of the log.
   *
   * @throws as {@link about}
   *
   * @example
   * ```ts
   * const { score, why } = await store.why(payload)
   * for (const { signer, kind, isSatisfied } of why.voices) console.log(score, signer, kind, isSatisfied)
   * ```
   */
  async why(payload: Uint8Array | PayloadName, options?: ScoreOptions): Promise<Verdict> {
    const { policy = this.#policy, limit } = readScoreOptions(options)
    const dossier = await this.#of<Promise<Dossier> | Dossier>(
      payload,
      async (name, session) => ({
        payload: { ...name, statements: [] },
        log: await logPosition(session, this.#log?.signer.origin),
      }),
      async (session, id, name) => {
        const asking = { session, lexicon: this.#lexicon, policy, limit }
        return dossierOf(asking, id, name, await logPosition(session, this.#log?.signer.origin))
      },
    )
    return judge(dossier, policy)
  }

  /**
   * The messages that the bundles about a payload came in, each once and as it was received: they verify anywhere. Without a payload, all
   * messages. The store can be used meanwhile.
   *
   * @throws as {@link about}, in the loop
   *
   * @example
   * ```ts
   * for await (const { message, receivedAt } of store.export(payload)) {
   *   const bundles = await verifyBatch(message, { keyring, receivedAt })
   *   console.log(bundles.length)
   * }
   * ```
   */
  async *export(payload?: Uint8Array | PayloadName): AsyncGenerator<ExportedMessage, void> {
    if (payload === undefined) {
      yield* exported(this.#database)
      return
    }
    const id = await this.#of(
      payload,
      () => undefined,
      async (_, found) => found,
    )
    if (id !== undefined) yield* exported(this.#database, id)
  }

  /**
   * Who has stopped: signers with the last that was stored of each, the longest silent first. By when it was received; where that is
   * not known, by the signer's clock.
   *
   * @throws TypeError for what is no time
   * @throws AlvariumError `CONFIG_INVALID` naming the option, `STORE_FAILED`
   *
   * @example
   * ```ts
   * for (const { signer, host } of await store.silent({ since: Date.now() - 3_600_000 })) console.log(signer, host)
   * ```
   */
  async silent(options?: SilentOptions): Promise<LastHeard[]> {
    const settings = readSilentOptions(options)
    return this.#read((session) => silentIn(session, this.#lexicon, settings))
  }

  /**
   * How often annotations were satisfied, and how often not: by hour, host and kind, by the clocks of signers. The newest hour comes
   * first. It reads all bundles of that time, so ask for days and not for years.
   *
   * @throws TypeError for what is no time
   * @throws AlvariumError `CONFIG_INVALID` naming the option, `STORE_FAILED`
   *
   * @example
   * ```ts
   * const [newest] = await store.answers({ from: Date.now() - 86_400_000 })
   * if (newest && newest.no > 0) console.log(newest.host, newest.kind, newest.no)
   * ```
   */
  async answers(options: AnswersOptions): Promise<HourOfAnswers[]> {
    const settings = readAnswersOptions(options)
    return this.#read((session) => answersIn(session, this.#lexicon, settings))
  }

  /**
   * How much there is: for metrics.
   *
   * @throws AlvariumError `STORE_FAILED`
   *
   * @example
   * ```ts
   * const { bundles, payloads } = await store.stats()
   * console.log(bundles, payloads)
   * ```
   */
  stats(): Promise<StoreStats> {
    return this.#read(statsOf)
  }

  /**
   * The public key of the store's log, as tools for signed notes take it (C2SP signed-note): `origin+id+key`. It is there with the option
   * `log`.
   */
  get vkey(): string | undefined {
    return this.#log?.signer.vkey
  }

  /**
   * Signs now how many entries the log has, and the root over them (C2SP tlog-checkpoint). Keep its `note` where the database's owner cannot
   * alter it, for {@link audit}.
   *
   * @throws AlvariumError `CONFIG_INVALID` without the option `log`; `SIGNER_FAILED`; `STORE_DAMAGED` when the log is not what was signed
   * before, `SIGNATURE_INVALID` or `MESSAGE_MALFORMED` when its newest checkpoint is not by this key; `STORE_FAILED`
   *
   * @example
   * ```ts
   * const { size, note } = await store.checkpoint()
   * await writeFile(`checkpoint-${size}.txt`, note)
   * ```
   */
  async checkpoint(): Promise<LogCheckpoint> {
    if (this.#log) return this.#log.checkpoint()
    throw expected('CONFIG_INVALID', 'log', 'an origin and a signing key in openStore', undefined)
  }

  /**
   * Proves that a bundle is in the log, by its newest checkpoint: a text (C2SP tlog-proof) that `verifyLogProof` verifies without the store.
   *
   * @param id - the bundle's id
   * @returns nothing if no checkpoint has it yet, or the store does not have it
   * @throws AlvariumError `CONFIG_INVALID` for what is no id, `STORE_FAILED`
   *
   * @example
   * ```ts
   * const proof = await store.prove(bundle.id)
   * if (proof !== undefined) await writeFile('in-the-log.txt', proof)
   * ```
   */
  prove(id: string): Promise<string | undefined> {
    return this.#read((session) => proofOf(session, id))
  }

  /**
   * Proves that the log has only grown since a checkpoint, by its newest one, for `verifyLogConsistency`.
   *
   * @param older - the signed note
   * @returns nothing if there is no newer checkpoint; `path` has 64 hexadecimal digits each
   * @throws AlvariumError `MESSAGE_MALFORMED`, `STORE_FAILED`
   *
   * @example
   * ```ts
   * const { note } = await store.checkpoint()
   * const growth = await store.proveGrowth(note)
   * console.log(growth?.path.length) // 0, as nothing has come since
   * ```
   */
  proveGrowth(
    older: string,
  ): Promise<{ readonly checkpoint: string; readonly path: readonly string[] } | undefined> {
    return this.#read((session) => growthSince(session, older))
  }

  /**
   * Reads everything back and verifies it again: the evidence, the columns and edges that were made of it, the log, its tiles and its
   * checkpoints; and whether the log has only grown since a checkpoint that was kept elsewhere. It names each difference. When messages were
   * received is the store's word alone.
   *
   * It takes about as long as storing did, and has the connection meanwhile: open a second store for it.
   *
   * @throws AlvariumError `MESSAGE_MALFORMED` or `SIGNATURE_INVALID` for a checkpoint that is none of this log, `CONFIG_INVALID`, `STORE_FAILED`
   *
   * @example
   * ```ts
   * const { note } = await store.checkpoint() // keep it where nobody who may change the database can change it
   * const { verdict, differences } = await store.audit({ checkpoint: note })
   * for (const { table, row, what, expected, got } of differences) console.log(table, row, what, expected, got)
   * if (verdict !== 'proved') process.exitCode = 1
   * ```
   */
  audit(options: AuditOptions = {}): Promise<AuditReport> {
    return this.#database.exclusive((session) => audit(session, this.#reading, options, this.#log?.signer))
  }

  /**
   * Waits for what is running, and signs the last checkpoint of the log. A connection that was given stays open. Later calls are `STREAM_CLOSED`.
   */
  async close(): Promise<void> {
    await this.#log?.close()
    await this.#database.close()
  }

  /** Closes it, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Asks about a payload, if anybody has spoken of it. */
  async #of<T>(
    payload: Uint8Array | PayloadName,
    unknown: (name: PayloadName, session: Session) => T,
    known: (session: Session, id: number, name: PayloadName) => Promise<T>,
  ): Promise<T> {
    const name = namedPayload(payload)
    const datum = datumName(name)
    return this.#read(async (session) => {
      const id = await datumId(session, datum)
      return id === undefined ? unknown(name, session) : known(session, id, name)
    })
  }

  #read<T>(run: (session: Session) => Promise<T>): Promise<T> {
    return this.#database.read((session) => {
      this.#lexicon.forgetSome()
      return run(session)
    })
  }
}

function isSubscription(source: unknown): source is Groups {
  return typeof Object(source)['groups'] === 'function'
}

/** A text is an iterable too, and so are bytes. */
function assertMessages(source: unknown): void {
  const isIterable = Symbol.iterator in Object(source) || Symbol.asyncIterator in Object(source)
  if (isIterable && typeof source === 'object' && !ArrayBuffer.isView(source)) return
  throw expected('CONFIG_INVALID', 'source', 'a subscription, or messages in an iterable', describe(source))
}
