import type { LogCheckpoint } from '../evidence/logs/checkpoint.js'
import type { AskedCheckpoint } from '../evidence/witness/log-witnesses.js'
import { needs } from '../foundation/base/errors.js'
import type { TrustPolicy } from '../signing/keys/trust-policy.js'
import type { PayloadName } from '../verifying/score/payload-name.js'
import type { ScoringPolicy } from '../verifying/score/policy.js'
import type { ScoringInput } from '../verifying/score/scoring-input.js'
import { scorePayloadInTurns, type Verdict } from '../verifying/score/verdict.js'
import type { Store } from './api/store.js'
import { type AuditOptions, audit } from './audit/audit.js'
import type { AuditReport } from './audit/report.js'
import { type MissingOptions, type MissingPage, missingIn } from './completeness/missing.js'
import type { Statement } from './database/connection.js'
import type { Database, Session, StatementRows } from './database/database.js'
import { Ingester } from './ingest/ingester.js'
import { OpenedIntake } from './ingest/opened-intake.js'
import type { Quarantine } from './ingest/quarantine.js'
import type { VerifySettings } from './ingest/verify-all.js'
import { growthSince, proofOf, type SigningStoreLog } from './log/log.js'
import { type Forgotten, forget } from './pruning/forget.js'
import { type Pruned, type PruneOptions, prune, readPruneOptions } from './pruning/prune.js'
import { assertUnknown, type ForgetSelection, readSelection } from './pruning/selection.js'
import {
  type AboutOptions,
  type AboutPayload,
  aboutDatum,
  aboutStatements,
  aboutTrusted,
  nothingAbout,
  readAboutOptions,
} from './questions/about.js'
import { type ExportedMessage, exportMessages } from './questions/export.js'
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
} from './questions/figures.js'
import { type BundleFilter, type Condition, conditionsOf } from './questions/filter.js'
import {
  aloneIn,
  type Lineage,
  type LineageOptions,
  lineageOf,
  readLineageOptions,
} from './questions/lineage.js'
import { lookupStatements, type PayloadLookup, readLookup } from './questions/payload-lookup.js'
import {
  type Page,
  type PageOptions,
  type PageSettings,
  pageOf,
  readPageOptions,
} from './questions/search.js'
import { datumName, namedPayload, otherNames } from './rows/payload-name.js'
import { StringTable } from './rows/string-table.js'
import { AcceptedBundles } from './scoring/accepted.js'
import { dossierOf, dossierOfUnknown, scoreStatements } from './scoring/dossier.js'
import { readScoreOptions, type ScoreOptions } from './scoring/options.js'
import { nothingRefused, TrustedReader } from './scoring/trusted.js'

export interface StoreParts {
  readonly database: Database
  readonly settings: VerifySettings
  readonly quarantine: Quarantine
  readonly policy: ScoringPolicy
  readonly log: SigningStoreLog | undefined
}

interface PayloadQuestion<T> {
  /** SQL statements that are sent together with the lookup of the payload. */
  readonly first?: readonly Statement[]
  /** Returns the answer for a payload that no bundle names. */
  readonly unknown: (asked: PayloadLookup) => T
  readonly answer: (id: number, asked: PayloadLookup) => Promise<T>
}

/** Store on PostgreSQL. Each query except `export` and `missing` is a transaction and sees one state. */
export class OpenedStore extends OpenedIntake implements Store {
  readonly #database: Database
  readonly #settings: VerifySettings
  readonly #policy: ScoringPolicy
  readonly #log: SigningStoreLog | undefined
  readonly #strings: StringTable
  #trusted: TrustedReader | undefined

  constructor({ database, settings, quarantine, policy, log }: StoreParts) {
    const strings = new StringTable()
    super(database, settings, new Ingester(database, strings, quarantine, async (count) => log?.added(count)))
    this.#strings = strings
    this.#database = database
    this.#settings = settings
    this.#policy = policy
    this.#log = log
    database.clearOnConnect(strings, { forget: () => this.#trusted?.forget() })
  }

  async about(payload: Uint8Array | PayloadName, options?: AboutOptions): Promise<AboutPayload> {
    const { trust } = readAboutOptions(options)
    return this.#of(payload, {
      first: trust ? [] : aboutStatements(),
      unknown: ({ name }) => ({ ...nothingAbout(name), ...(trust && { trust: nothingRefused(trust) }) }),
      answer: (id, { session, name, found }) => {
        const trusted = this.#trustedBy(trust)
        return trusted
          ? aboutTrusted(session, trusted, id, name)
          : aboutDatum(session, this.#strings, { id, name, found })
      },
    })
  }

  async history(payload: Uint8Array | PayloadName, options?: PageOptions): Promise<Page> {
    const settings = readPageOptions(options)
    return this.#of(payload, {
      unknown: (): Page => ({
        bundles: [],
        ...(settings.trust && { trust: nothingRefused(settings.trust) }),
      }),
      answer: (id, { session }) => this.#page(session, [['bundle.datum = ?::bigint', id]], settings),
    })
  }

  async by(filter: BundleFilter, options?: PageOptions): Promise<Page> {
    const settings = readPageOptions(options)
    const conditions = conditionsOf(filter)
    return this.#read((session) => this.#page(session, conditions, settings))
  }

  #page(session: Session, conditions: readonly Condition[], settings: PageSettings): Promise<Page> {
    const trusted = this.#trustedBy(settings.trust)
    return pageOf({ session, strings: this.#strings, trusted }, conditions, settings)
  }

  /** Returns the {@link TrustedReader} for a policy, and caches it. Call this in the query's transaction. */
  #trustedBy(policy: TrustPolicy | undefined): TrustedReader | undefined {
    if (!policy || this.#trusted?.isBy(policy)) return policy && this.#trusted
    this.#trusted?.close()
    this.#trusted = new TrustedReader(policy, this.#settings.codec)
    return this.#trusted
  }

  async lineage(payload: Uint8Array | PayloadName, options?: LineageOptions): Promise<Lineage> {
    const settings = readLineageOptions(options)
    return this.#of(payload, {
      unknown: ({ name }) => aloneIn(name),
      answer: (id, { session }) => lineageOf(session, id, settings),
    })
  }

  async score(payload: Uint8Array | PayloadName, options?: ScoreOptions): Promise<Omit<Verdict, 'why'>> {
    const { why: _, ...score } = await this.why(payload, options)
    return score
  }

  async why(payload: Uint8Array | PayloadName, options?: ScoreOptions): Promise<Verdict> {
    const { policy = this.#policy, limit, sets, trust } = readScoreOptions(options)
    const origin = this.#log?.signer.origin
    const question = { policy, limit, sets, trust, origin }
    const dossier = await this.#of<ScoringInput>(payload, {
      first: scoreStatements(question),
      unknown: (lookup) => dossierOfUnknown(lookup, question),
      answer: (id, lookup) => {
        const { session } = lookup
        const trusted = this.#trustedBy(trust)
        const accepted = trusted && new AcceptedBundles(session, trusted)
        return dossierOf({ ...question, session, strings: this.#strings, accepted }, id, lookup)
      },
    })
    return scorePayloadInTurns(dossier, policy)
  }

  async *export(payload?: Uint8Array | PayloadName): AsyncGenerator<ExportedMessage, void> {
    if (payload === undefined) return yield* exportMessages(this.#database)
    const id = await this.#of(payload, { unknown: () => undefined, answer: async (number) => number })
    if (id !== undefined) yield* exportMessages(this.#database, id)
  }

  async silent(options?: SilentOptions): Promise<LastHeard[]> {
    const settings = readSilentOptions(options)
    return this.#read((session) => silentIn(session, this.#strings, settings))
  }

  async answers(options: AnswersOptions): Promise<HourOfAnswers[]> {
    const settings = readAnswersOptions(options)
    return this.#read((session) => answersIn(session, this.#strings, settings))
  }

  stats(): Promise<StoreStats> {
    return this.#read(statsOf)
  }

  async missing(options: MissingOptions = {}): Promise<MissingPage> {
    return missingIn(this.#database, this.#settings, options)
  }

  get vkey(): string | undefined {
    return this.#log?.signer.vkey
  }

  async askWitnesses(): Promise<AskedCheckpoint> {
    if (this.#log) return this.#log.askWitnesses()
    throw needs('log', 'witnesses, an origin and a signing key in openStore')
  }

  async checkpoint(): Promise<LogCheckpoint> {
    if (this.#log) return this.#log.checkpoint()
    throw needs('log', 'an origin and a signing key in openStore')
  }

  prove(id: string): Promise<string | undefined> {
    return this.#read((session) => proofOf(session, id))
  }

  proveGrowth(
    older: string,
  ): Promise<{ readonly checkpoint: string; readonly path: readonly string[] } | undefined> {
    return this.#read((session) => growthSince(session, older))
  }

  audit(options: AuditOptions = {}): Promise<AuditReport> {
    return this.#database.readAll((session) => audit(session, this.#settings, options, this.#log?.signer))
  }

  async prune(options: PruneOptions): Promise<Pruned> {
    const settings = readPruneOptions(options)
    return this.#signed(() => prune(this.#database, settings))
  }

  async forget(given: Uint8Array | PayloadName | ForgetSelection): Promise<Forgotten> {
    const find = readSelection(given)
    return this.#signed(() => forget(this.#database, find, this.#settings.codec))
  }

  /** Prunes, and then signs a checkpoint that covers the prunings, even if the call failed halfway. */
  async #signed<Done extends Pruned>(prune: () => Promise<Done>): Promise<Done> {
    let done: Done
    try {
      done = await prune()
    } catch (error) {
      await this.#log?.tryCheckpoint()
      throw error
    }
    const checkpoint = done.bundles > 0 ? await this.#log?.tryCheckpoint() : undefined
    return { ...done, ...(checkpoint && { checkpoint }) }
  }

  override async close(): Promise<void> {
    await this.#log?.close()
    await this.#database.close()
    super.close()
    this.#trusted?.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Looks up a payload, and runs a query about it in the same transaction. */
  #of<T>(payload: Uint8Array | PayloadName, { first = [], unknown, answer }: PayloadQuestion<T>): Promise<T> {
    const name = namedPayload(payload)
    const run = async (session: Session, found: StatementRows) => {
      const lookup = { session, name, ...readLookup(found) }
      this.#strings.follow(session, String(lookup.head['naming']))
      if (lookup.id !== undefined) return answer(lookup.id, lookup)
      await assertUnknown(session, otherNames(payload))
      return unknown(lookup)
    }
    return this.#read(run, [...lookupStatements(datumName(name)), ...first])
  }

  #read<T>(
    run: (session: Session, found: StatementRows) => Promise<T>,
    first?: readonly Statement[],
  ): Promise<T> {
    return this.#database.read((session, found) => {
      this.#strings.forgetSome()
      return run(session, found)
    }, first)
  }
}
