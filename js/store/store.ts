/// <reference lib="esnext.disposable" preserve="true" />
// `alvarium-sdk/store`: what was verified, in PostgreSQL, and what can be asked of it.

import { describe, expected } from '../base/errors.js'
import { safeLogger } from '../base/logger.js'
import { readOptions } from '../base/options/schema.js'
import { type Dossier, type JudgingPolicy, judge, type PayloadName, type Verdict } from '../judge/judge.js'
import { keyringOf } from '../keys/keyring.js'
import { isTrustPolicy } from '../keys/trust-policy.js'
import type { StreamProvider } from '../streams/stream.js'
import { type AboutPayload, aboutDatum, nothingAbout } from './about.js'
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
export type { Connection } from './connection.js'
export type { ExportedMessage } from './exporting.js'
export type { AnswersOptions, HourOfAnswers, LastHeard, SilentOptions, StoreStats } from './figures.js'
export type { Message } from './gathering.js'
export type { Groups, Ingested, Rejected } from './ingest.js'
export type { ScoreOptions } from './judging/options.js'
export type { Lineage, LineageOptions, Relative } from './lineage.js'
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
    policy,
    logger: given,
  } = readOptions(schema, options)
  const reading = { keyring: isTrustPolicy(keyring) ? keyring : keyringOf(keyring), codec, classic }
  const logger = safeLogger(given)
  const opened = new Database(openingOf(database), { queryTimeoutMs, logger })
  try {
    await migrate(opened)
  } catch (error) {
    await opened.close().catch(() => undefined)
    throw error
  }
  return new Store(opened, reading, new Quarantine(quarantine), policy ?? usualPolicy())
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
  readonly #lexicon = new Lexicon()

  /** @internal */
  constructor(database: Database, reading: Reading, quarantine: Quarantine, policy: JudgingPolicy) {
    this.#database = database
    this.#reading = reading
    this.#policy = policy
    this.#ingester = new Ingester(database, this.#lexicon, quarantine)
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
        log: await logPosition(session, undefined),
      }),
      async (session, id, name) => {
        const asking = { session, lexicon: this.#lexicon, policy, limit }
        return dossierOf(asking, id, name, await logPosition(session, undefined))
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

  /** Waits for what is running. A connection that was given stays open. Later calls are `STREAM_CLOSED`. */
  close(): Promise<void> {
    return this.#database.close()
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
