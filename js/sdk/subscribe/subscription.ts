import type { ListenerOptions } from '../../foundation/base/events.js'
import type { CompletenessStats, IncompleteEvent } from '../../verifying/consume/findings.js'
import type { Group, GroupOptions } from '../../verifying/consume/group.js'
import type { Received, ReceivedBundle, RejectedEvent } from '../../verifying/consume/received.js'

/** Types of the events that a subscription dispatches, by the names that `addEventListener` accepts. */
export interface SubscriptionEventMap {
  /** Dispatched for a message that does not verify, instead of a delivery. See {@link RejectedEvent}. */
  rejected: RejectedEvent
  /** Dispatched when the option `completeness` finds a missing message or a fork. See {@link IncompleteEvent}. */
  incomplete: IncompleteEvent
  /** Dispatched when the broker has confirmed the subscription: at first, and after each lost connection. */
  online: Event
  /**
   * Dispatched for a lost or closed connection, and for a broker that has not restored the subscription. The
   * SDK subscribes again. `detail` is the reason. With `durable: false`, messages are missed until `online`.
   */
  offline: Event & { readonly detail: Error }
}

/** Figures of a subscription since it was opened. */
export interface SubscriptionStats {
  /** Number of skipped messages, see {@link Subscription.skipped}. */
  readonly skipped: number
  /** Numbers of missing messages, forks and other findings, if `completeness` is set. */
  readonly completeness?: CompletenessStats | undefined
}

/** Subscription that delivers verified bundles to one loop, until `close()`, `break`, or the signal. */
export interface Subscription<Given extends Received = ReceivedBundle>
  extends AsyncIterable<Given>,
    AsyncDisposable {
  /**
   * Opens the subscription, and waits until the broker has confirmed it. No later message is missed.
   *
   * @throws AlvariumError `STREAM_UNREACHABLE`. `STREAM_REFUSED` when the broker rejects the subscription,
   *   or grants less (a lower QoS, no session, no groups). `STREAM_UNAVAILABLE` when it rejects the
   *   subscription for now (not authorized, over a quota). `STREAM_CLOSED` when the subscription is closed
   *   first
   * @throws the reason of `signal` when the signal aborts first; no connection is left
   */
  open(): Promise<void>
  /**
   * Returns bundles in the order of their receipt. After `break`, or an error in the loop, the broker
   * redelivers the last bundle. If you have processed that bundle, call its `ack()` before you leave the loop.
   *
   * @throws AlvariumError `STREAM_LOCKED` when the subscription already has a loop
   */
  [Symbol.asyncIterator](): AsyncGenerator<Given, void>
  /**
   * Returns bundles in groups, for operations that take about as long for a thousand bundles as for one, such
   * as a database statement. A group is delivered when it has `max` bundles, or when its first bundle has
   * waited for `maxMs`. It is delivered earlier if no more bundles can arrive before an acknowledgement. At
   * most `prefetch` messages are unacknowledged, so raise `prefetch` with `max`. A group may contain a part
   * of a batch.
   *
   * This loop replaces the loop over single bundles, and ends in the same way. After `break`, or an error in
   * the loop, the broker redelivers the last group.
   *
   * @throws AlvariumError `CONFIG_INVALID` naming the option, `STREAM_LOCKED` when there is a loop
   *
   * @example
   * ```ts
   * for await (const { bundles: some } of bundles.groups({ max: 1_000, maxMs: 50 })) {
   *   for (const { id, key } of some) console.log(id, key) // in practice: one statement. The group is then acknowledged
   * }
   * ```
   */
  groups(options?: GroupOptions): AsyncGenerator<Group<Given>, void>
  /**
   * Adds a listener to `rejected`, `incomplete`, `online` or `offline`, see {@link SubscriptionEventMap}.
   * Errors of a listener are logged.
   *
   * @example
   * ```ts
   * bundles.addEventListener('offline', ({ detail }) => console.warn('the broker is away:', detail.message))
   * ```
   */
  addEventListener<Type extends keyof SubscriptionEventMap>(
    type: Type,
    listener: (event: SubscriptionEventMap[Type]) => void,
    options?: ListenerOptions,
  ): void
  /** Removes a listener that was added for the same type. */
  removeEventListener<Type extends keyof SubscriptionEventMap>(
    type: Type,
    listener: (event: SubscriptionEventMap[Type]) => void,
  ): void
  /**
   * Number of messages that were acknowledged and skipped because they are not about a payload: messages of
   * other SDKs (see `classic`), sets, dead letters, and leases and checkpoints that no option of the
   * subscription uses.
   */
  readonly skipped: number
  /** Returns the figures of the subscription so far, as a plain frozen object. */
  stats(): SubscriptionStats
  /**
   * Ends the loop after it has processed and acknowledged the delivered bundles, or after `closeTimeoutMs`.
   * Inside the loop, use `break` instead of awaiting `close()`. With the option `group` (an MQTT shared
   * subscription), the subscription leaves the group first, and then still receives the messages that the
   * broker has already sent to it.
   *
   * Settles within twice `closeTimeoutMs` plus a second for the disconnection from the broker, even if the loop, the
   * store of `dedup` or the dead-letter stream does not settle in time. The loop then ends too.
   *
   * @throws AlvariumError `STREAM_TIMEOUT` when the dead-letter stream does not close in time,
   * `STREAM_FAILED` when that stream throws
   */
  close(): Promise<void>
}
