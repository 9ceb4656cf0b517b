import type { ListenerOptions } from '../base/events.js'
import type { CompletenessStats, IncompleteEvent } from '../consume/findings.js'
import type { Group, GroupOptions } from '../consume/group.js'
import type { Received, ReceivedBundle, RejectedEvent } from '../consume/received.js'

/** Names and types of a subscription's events. */
export interface SubscriptionEventMap {
  /** See {@link RejectedEvent}; the iteration passes over such messages. */
  rejected: RejectedEvent
  /** See {@link IncompleteEvent}; for those with `completeness`. */
  incomplete: IncompleteEvent
  /** The broker has the subscription: the first time, and again after each lost connection. */
  online: Event
  /**
   * The connection is lost, or closed, or the broker does not give the subscription back yet, for which it is asked again; `detail`
   * says why. With `durable: false`, messages are missed until `online`.
   */
  offline: Event & { readonly detail: Error }
}

/** Figures of a subscription since it was opened. */
export interface SubscriptionStats {
  /** See {@link Subscription.passedOver}. */
  readonly passedOver: number
  /** What is missing, for those with `completeness`. */
  readonly completeness?: CompletenessStats | undefined
}

/** Verified bundles as they come, for one loop; ends with `close()`, `break`, or the signal. */
export interface Subscription<Given extends Received = ReceivedBundle>
  extends AsyncIterable<Given>,
    AsyncDisposable {
  /**
   * Resolves when the broker has the subscription: nothing published from then on is missed.
   *
   * @throws AlvariumError `STREAM_UNREACHABLE`; `STREAM_REFUSED` when the broker refuses the subscription, or grants less than was
   * asked for (a lower QoS, no session, no groups); `STREAM_UNAVAILABLE` when it refuses for now (not authorized, over a quota);
   * `STREAM_CLOSED` when it is closed first
   * @throws the reason of `signal`, when that aborts first: no connection is left
   */
  open(): Promise<void>
  /**
   * Bundles as they come. After `break`, or an error in the loop, the broker redelivers the last one: call `ack()` first if it was
   * processed.
   *
   * @throws AlvariumError `STREAM_LOCKED` the second time: each bundle goes to one loop
   */
  [Symbol.asyncIterator](): AsyncGenerator<Given, void>
  /**
   * Bundles in groups, for what costs about as much for a thousand as for one: a statement of a database. A group is delivered when it
   * has `max` bundles, when its first has waited for `maxMs`, or when nothing more can come before something is acknowledged: no
   * more than `prefetch` messages are here at a time, so raise it with `max`. Of a batch, a group may have a part.
   *
   * It is the subscription's one loop, instead of the one over single bundles, and ends as that does: `break`, and an error in the
   * loop, leave the last group to the broker, which redelivers it.
   *
   * @throws AlvariumError `CONFIG_INVALID` naming the option, `STREAM_LOCKED` when the subscription has its loop
   *
   * @example
   * ```ts
   * for await (const { bundles: some } of bundles.groups({ max: 1_000, maxMs: 50 })) {
   *   for (const { id, key } of some) console.log(id, key) // in earnest one statement; then the group is acknowledged
   * }
   * ```
   */
  groups(options?: GroupOptions): AsyncGenerator<Group<Given>, void>
  /**
   * Listens to `rejected`, `incomplete`, `online` or `offline`, see {@link SubscriptionEventMap}. What a listener throws is logged.
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
   * How many messages said nothing about a payload, and were acknowledged and passed over: those of other SDKs (see `classic`), and
   * leases and checkpoints that came to a subscription that does not take them.
   */
  readonly passedOver: number
  /** What it has done so far, as a plain frozen object. */
  stats(): SubscriptionStats
  /**
   * Ends the loop when it has processed what was delivered to it, which is acknowledged, or after `closeTimeoutMs`; inside the loop,
   * `break` instead of waiting for this. A member of a group leaves it: it still gets what the broker has already sent to it,
   * within the same time, and nothing new.
   *
   * It ends within twice `closeTimeoutMs` and the second that the goodbye to the broker may take, whatever the loop, the store of `dedup`
   * and the dead letters' stream do; the loop then ends too.
   *
   * @throws AlvariumError `STREAM_TIMEOUT` when the dead letters' stream does not close in time, `STREAM_FAILED` when it throws
   */
  close(): Promise<void>
}
