import type { StreamProvider } from '../../transport/streams/stream.js'
import type { Message } from '../ingest/group-messages.js'
import type { Groups, Ingested } from '../ingest/ingester.js'
import type { IngestOptions } from '../options.js'

/** Methods of {@link Store} that add messages. */
export interface StoreIntake {
  /**
   * Stores bundles, each once, with their messages. The result counts committed bundles.
   *
   * With a subscription, the store runs its loop. It stores verified bundles in groups of at most 1,000 bundles or 50 ms, and acknowledges a
   * group when it is committed. It ends when the subscription does. Give the subscription `deadLetter: store.deadLetters()`: the store then
   * quarantines messages that may verify later, and counts rejected ones. Give it a `prefetch` of 1,000 or more for full groups. The store also
   * keeps leases and checkpoints from its topics (`alvarium-topic/#`, or also `alvarium-topic/signers`), and acknowledges them with their group.
   *
   * The store verifies messages of an iterable by its `keyring`, by the leases in the store, and by the leases among the messages. It quarantines
   * messages of unknown signers: see {@link StoreIntake.retryQuarantine}. It counts other messages that do not verify, and does not keep them.
   *
   * @param source - a subscription of `subscribe`, or messages in any iterable. The store asks a source for more when the messages before are stored
   * @throws AlvariumError `STORE_FAILED` when the database does not answer, `STREAM_CLOSED` when the store is closed, and errors of the source.
   * Earlier messages of an iterable are stored. A broker redelivers messages that are not stored; a stored one is a copy then
   * @throws TypeError for a value that is no message
   *
   * @example
   * ```ts
   * const deadLetter = store.deadLetters()
   * const bundles = subscribe({ url, topic, clientId: 'store-1', keyring, prefetch: 1_000, deadLetter })
   * process.once('SIGTERM', () => bundles.close())
   * const done = store.ingest(bundles) // settles when they are closed
   * ```
   */
  ingest(
    source: Groups | Iterable<Message> | AsyncIterable<Message>,
    options?: IngestOptions,
  ): Promise<Ingested>

  /**
   * Retries quarantined messages: of signers that were unknown, or with rows that the database had refused. Call it after `trust.update()`, or
   * when a lease was stored. Messages that verify are stored, by their time of receipt. Messages that are invalid, or were quarantined for
   * `maxDays`, are dropped; the others stay quarantined.
   *
   * @throws AlvariumError as {@link ingest}
   */
  retryQuarantine(): Promise<Ingested>

  /**
   * Returns a stream for the option `deadLetter` of `subscribe`. The stream opens each dead letter, and quarantines messages whose signers the
   * store does not know yet. It stores messages that it can verify, and drops the others, which the subscription reports.
   *
   * @example
   * ```ts
   * const bundles = subscribe({ url, topic, clientId: 'store-1', keyring: trust, deadLetter: store.deadLetters() })
   * ```
   */
  deadLetters(): StreamProvider
}
