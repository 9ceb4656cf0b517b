import type { StreamProvider } from '../../transport/streams/stream.js'
import type { Message } from '../ingest/group-messages.js'
import type { Groups, Ingested } from '../ingest/ingester.js'
import type { IngestOptions } from '../options.js'

/** Write side of a {@link Store}: the methods that add messages. */
export interface StoreIntake {
  /**
   * Stores bundles and their messages. A bundle that is already stored counts as a copy. The result counts
   * committed bundles.
   *
   * From a subscription, the store stores verified bundles in groups of at most 1,000 bundles or 50 ms, and
   * acknowledges a group when it is committed. The call ends when the subscription ends. Give the
   * subscription the option `deadLetter: store.deadLetters()`: the store then quarantines messages that may
   * verify later, and counts the others. Use a `prefetch` of 1,000 or more for full groups. The store also
   * stores leases and checkpoints of the subscribed topics (`alvarium-topic/#`, or `alvarium-topic/signers` in
   * addition), and acknowledges them with their group.
   *
   * The store verifies messages of an iterable by the option `keyring`, by the leases in the store, and by
   * the leases among the messages. It quarantines messages of unknown signers: see {@link
   * StoreIntake.retryQuarantine}. It counts other messages that do not verify, and does not store them.
   *
   * @param source - a subscription of `subscribe`, or messages in any iterable. The store requests more
   * messages when the previous ones are stored
   * @throws AlvariumError `STORE_FAILED` when the database does not answer, `STREAM_CLOSED` when the store
   * is closed, and errors of the source. Earlier messages of an iterable are stored. A broker redelivers
   * messages that are not stored; a redelivered message that is already stored counts as a copy
   * @throws TypeError for a value that is not a message
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
   * Retries quarantined messages. Their signers were unknown, or the database refused their rows. Call it
   * after `trust.update()`, or after a lease was stored. Messages that verify are stored, with their original
   * time of receipt. Messages that are invalid, or were quarantined for `maxDays`, are dropped; the others
   * stay quarantined.
   *
   * @throws AlvariumError as {@link ingest}
   */
  retryQuarantine(): Promise<Ingested>

  /**
   * Returns a stream for the option `deadLetter` of `subscribe`. The stream opens each dead letter, and
   * quarantines messages of signers that the store does not know yet. It stores messages that verify, and
   * drops the others, which the subscription reports.
   *
   * @example
   * ```ts
   * const bundles = subscribe({ url, topic, clientId: 'store-1', keyring: trust, deadLetter: store.deadLetters() })
   * ```
   */
  deadLetters(): StreamProvider
}
