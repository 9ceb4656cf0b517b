import type { StreamProvider } from '../../streams/stream.js'
import type { Message } from '../gathering.js'
import type { Groups, Ingested } from '../ingest.js'
import type { IngestOptions } from '../options.js'

/** What a store takes: {@link Store} has it. */
export interface StoreIntake {
  /**
   * Stores bundles, each once, with their messages. What the result counts is committed.
   *
   * It is the loop of a subscription: it stores what the subscription has verified, in groups of at most 1,000 bundles or 50 ms, and
   * acknowledges a group when it is committed. It ends when the subscription does. Give the subscription `deadLetter:
   * store.deadLetters()` to keep what may be verified later, and to count what is rejected, and a `prefetch` of 1,000 or more for full groups. Leases and checkpoints that come to
   * its topics (`alvarium-topic/#`, or also `alvarium-topic/signers`) are kept too, and acknowledged with their group.
   *
   * Messages of an iterable are verified by the store's `keyring`, by the leases in the store, and by those among them. Those whose signer nobody
   * knows are quarantined: see {@link StoreIntake.judge}. Others that do not verify are counted, and not kept.
   *
   * @param source - a subscription of `subscribe`, or messages in any iterable. A source is asked for more when what came before is stored
   * @throws AlvariumError `STORE_FAILED` when the database does not answer, `STREAM_CLOSED` when the store is closed, and what the source
   * throws. What an iterable gave before is stored; a broker redelivers what is not, and what is stored already is a copy then
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
  ingest(
    source: Groups | Iterable<Message> | AsyncIterable<Message>,
    options?: IngestOptions,
  ): Promise<Ingested>

  /**
   * Tries again what was quarantined, of signers that nobody knew, or rows that the database had refused: call it after
   * `trust.update()`, or when a lease has come. What verifies is stored, by when it was received; what is bad after all, or has
   * waited for `maxDays`, is let go; the rest waits on.
   *
   * @throws AlvariumError as {@link ingest}
   */
  judge(): Promise<Ingested>

  /**
   * Returns a stream for the option `deadLetter` of `subscribe`: it opens each dead letter, and quarantines messages whose signers the store does not
   * know yet. It stores those that it can verify, and lets go of the others, of which the subscription tells.
   *
   * @example
   * ```ts
   * const bundles = subscribe({ url, topic, clientId: 'store-1', keyring: trust, deadLetter: store.deadLetters() })
   * ```
   */
  deadLetters(): StreamProvider
}
