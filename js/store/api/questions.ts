import type { PayloadName } from '../../verifying/score/payload-name.js'
import type { Verdict } from '../../verifying/score/verdict.js'
import type { MissingOptions, MissingPage } from '../completeness/missing.js'
import type { AboutOptions, AboutPayload } from '../questions/about.js'
import type { ExportedMessage } from '../questions/export.js'
import type {
  AnswersOptions,
  HourOfAnswers,
  LastHeard,
  SilentOptions,
  StoreStats,
} from '../questions/figures.js'
import type { BundleFilter } from '../questions/filter.js'
import type { Lineage, LineageOptions } from '../questions/lineage.js'
import type { Page, PageOptions } from '../questions/search.js'
import type { ScoreOptions } from '../scoring/options.js'

/** Read side of a {@link Store}: the methods that answer questions. */
export interface StoreQuestions {
  /**
   * Returns the answers about a payload. For an unknown payload, the number of bundles is 0. With `trust`,
   * the messages are verified again by that policy.
   *
   * @param payload - the payload, which is looked up by its SHA-256; or `{ key, hash }`
   * @throws TypeError for a value that is neither bytes nor a name
   * @throws AlvariumError `CONFIG_INVALID` for an invalid name, and for bytes that the store knows only by
   * hash `none` or `md5` (pass `{ key, hash }` instead); `STORE_FAILED`
   */
  about(payload: Uint8Array | PayloadName, options?: AboutOptions): Promise<AboutPayload>

  /**
   * Returns the bundles about a payload, in the order in which they were stored.
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
  history(payload: Uint8Array | PayloadName, options?: PageOptions): Promise<Page>

  /**
   * Returns the bundles that match a filter, in the order in which they were stored. With `trust`, each
   * bundle says whether that policy permits it.
   *
   * @throws TypeError for an invalid time
   * @throws AlvariumError `CONFIG_INVALID` naming the option, or for a filter without a condition;
   * `STORE_FAILED`
   *
   * @example
   * ```ts
   * const { bundles } = await store.by({ host: 'edge-7', kind: 'tls', at: { from: Date.now() - 3_600_000 } }, { limit: 50 })
   * console.log(bundles.length)
   * // after a theft: what came from a signer since then, and what the policy of today says of it
   * const { bundles: suspect } = await store.by({ signer: 'dev-7', received: { from: Date.now() - 86_400_000 } }, { trust })
   * for (const { key, trusted } of suspect) console.log(key, trusted?.says)
   * ```
   */
  by(filter: BundleFilter, options?: PageOptions): Promise<Page>

  /**
   * Returns a payload's ancestors, or its descendants, as signers stated them with the action `mutate`.
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
  lineage(payload: Uint8Array | PayloadName, options?: LineageOptions): Promise<Lineage>

  /**
   * Returns how far a payload can be trusted by a policy: a number from 0 to 1, or `unknown`. The score is 0
   * if nothing is known about the payload. Payloads that were made from a set (`sealSet`) are `unknown` without
   * the option `sets`.
   *
   * @throws as {@link about}; `CONFIG_INVALID` naming the option
   *
   * @example
   * ```ts
   * import { readPolicy } from 'alvarium-sdk/score'
   *
   * const { score, policy } = await store.score(payload, { policy: readPolicy({ version: 1, required: ['src'] }) })
   * console.log(score === 'unknown' || score < 0.9 ? 'not good enough' : 'good', policy)
   * ```
   */
  score(payload: Uint8Array | PayloadName, options?: ScoreOptions): Promise<Omit<Verdict, 'why'>>

  /**
   * Returns the score with its reasons: answers, signers and ancestors. `verdictBytes` of
   * `alvarium-sdk/score` encodes it. The same part of the log always yields equal bytes.
   *
   * @throws as {@link about}
   *
   * @example
   * ```ts
   * const { score, why } = await store.why(payload)
   * for (const { signer, kind, isSatisfied } of why.answers) console.log(score, signer, kind, isSatisfied)
   * ```
   */
  why(payload: Uint8Array | PayloadName, options?: ScoreOptions): Promise<Verdict>

  /**
   * Returns the messages of the bundles about a payload, each once and as received, so they verify anywhere.
   * Without a payload, it returns all leases and checkpoints, and then all messages. Other calls can use the
   * store during the loop.
   *
   * @throws as {@link about}, while the caller iterates
   *
   * @example
   * ```ts
   * for await (const { message, receivedAt } of store.export(payload)) {
   *   const bundles = await verifyBatch(message, { keyring, receivedAt })
   *   console.log(bundles.length)
   * }
   * ```
   */
  export(payload?: Uint8Array | PayloadName): AsyncGenerator<ExportedMessage, void>

  /**
   * Returns signers that have stopped sending, each with its last stored bundle. The signer that has been
   * silent longest comes first. The silence counts from that bundle's time of receipt, or from its signed
   * time if that is unknown.
   *
   * @throws TypeError for an invalid time
   * @throws AlvariumError `CONFIG_INVALID` naming the option, `STORE_FAILED`
   *
   * @example
   * ```ts
   * for (const { signer, host } of await store.silent({ since: Date.now() - 3_600_000 })) console.log(signer, host)
   * ```
   */
  silent(options?: SilentOptions): Promise<LastHeard[]>

  /**
   * Reports messages that signers signed, according to their checkpoints, and that the store lacks. See
   * `SignerReport` of `alvarium-sdk/completeness`. The signers are those with valid checkpoints in the store,
   * in the order of their key ids. A pruned message is not missing. The call does not verify messages again,
   * so it needs no keys. {@link StoreProofs.audit | audit} verifies them. The call takes about 400 bytes of
   * memory for each message of one signer.
   *
   * @throws AlvariumError `CONFIG_INVALID` naming the option, `STORE_FAILED`; `MESSAGE_MALFORMED` or
   * `CODEC_FAILED` if another `codec` wrote the messages; the reason of `signal`
   *
   * @example
   * ```ts
   * const { signers } = await store.missing()
   * for (const { signer, verdict, missing } of signers) {
   *   for (const { run, first, last } of missing) console.log(signer, verdict, run, first, last)
   * }
   * ```
   */
  missing(options?: MissingOptions): Promise<MissingPage>

  /**
   * Counts satisfied and unsatisfied annotations by hour, host and kind. The hour is by the signers' clocks.
   * The newest hour comes first. The call reads all bundles of the span, so pass a span of days rather than
   * years.
   *
   * @throws TypeError for an invalid time
   * @throws AlvariumError `CONFIG_INVALID` naming the option, `STORE_FAILED`
   *
   * @example
   * ```ts
   * const [newest] = await store.answers({ from: Date.now() - 86_400_000 })
   * if (newest && newest.no > 0) console.log(newest.host, newest.kind, newest.no)
   * ```
   */
  answers(options: AnswersOptions): Promise<HourOfAnswers[]>

  /**
   * Returns counts and sizes of the store, for metrics.
   *
   * @throws AlvariumError `STORE_FAILED`
   *
   * @example
   * ```ts
   * const { bundles, payloads } = await store.stats()
   * console.log(bundles, payloads)
   * ```
   */
  stats(): Promise<StoreStats>
}
