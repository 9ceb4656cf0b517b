import * as v from 'valibot'
import { AlvariumError, closed, describe, expected, streamError } from './base/errors.js'
import type { ListenerOptions } from './base/events.js'
import { type Logger, safeLogger } from './base/logger.js'
import { assertNames } from './base/options/names.js'
import { oneOf, readOptions, strict } from './base/options/schema.js'
import { TOO_LATE, within } from './base/time/timeout.js'
import type { ClassicWishes } from './classic/received.js'
import type { Codec } from './codecs/codec.js'
import { Consumer, type ConsumerUser, type Source } from './consume/consumer.js'
import { type CompletenessStats, type Finding, IncompleteEvent } from './consume/findings.js'
import type { GroupSupply } from './consume/gathering.js'
import { BESIDE, type Group, type GroupOptions, readGroupOptions } from './consume/group.js'
import { guardedTaker } from './consume/guarded.js'
import { LeaseIntake, type LeaseSettings, readLeaseOptions, type SubscribedLeases } from './consume/leases.js'
import {
  CONSUME_OPTIONS,
  type ConsumeOptions,
  type ConsumeSettings,
  guarded,
  readConsumeOptions,
} from './consume/options.js'
import {
  type Received,
  type ReceivedBundle,
  type ReceivedClassic,
  RejectedEvent,
} from './consume/received.js'
import { type CompletenessWatch, WATCH, type Watcher } from './consume/watch.js'
import { type Keyring, keyringOf } from './keys/keyring.js'
import { isTrustPolicy, type TrustPolicy } from './keys/trust-policy.js'
import type { VerifyingKeyInput } from './keys/verifying.js'
import { RECEIVE_OPTIONS, type ReceiveOptions } from './streams/mqtt/options.js'
import { receive } from './streams/mqtt/receive.js'
import type { Reception } from './streams/mqtt/reception.js'

/** Where to listen, and whom to trust. */
export interface SubscribeOptions extends ReceiveOptions, ConsumeOptions {
  /** The keys to trust; or a trust policy, which judges by when each message came here. */
  readonly keyring: Keyring | TrustPolicy | readonly VerifyingKeyInput[]
  /** How messages are written. Default JSON. */
  readonly codec?: Codec | undefined
  /** A logger of pino's shape. Default: none. */
  readonly logger?: Logger | undefined
  /**
   * Takes the leases that SDKs publish (`leased` of `alvarium-sdk/trust`), and with them what keys sign that the trust policy does not
   * have. `true`: from the topic `<topic>/signers` beside each topic; see {@link SubscribedLeases}. Needs a trust policy. Default: none.
   *
   * A bundle that comes before its lease waits for it: at most 10 s, and at most 1,000 messages of 8 MiB together, 64 of one key id, and half
   * of `prefetch`. Whatever is over that is rejected as `SIGNER_UNKNOWN`, the oldest first. Nothing else waits for it.
   *
   * With `completeness` too, what came after its lease had ended is good if it lies in a log that a lease states: its `signedBy.time` is
   * `'logged'`. It waits in the same way for the checkpoints and the lease that prove it.
   */
  readonly leases?: true | SubscribedLeases | undefined
  /**
   * Finds what signers signed and what does not come, by their checkpoints: `completeness()` of `alvarium-sdk/completeness`. It subscribes
   * to the topics of the checkpoints too. Default: nobody looks.
   */
  readonly completeness?: CompletenessWatch | undefined
}

/** The same for topics on which other Alvarium SDKs publish too. */
export interface MixedSubscribeOptions extends SubscribeOptions {
  /**
   * Delivers messages of the Go, Java, Rust and Python SDKs too, as {@link verifyClassic} verifies them: each annotation has a verdict of
   * its own. A message is delivered if at least one of them verifies, and `rejected` otherwise. Its annotations do not name their
   * keys, so each key may cost a verification: keep the keyring small.
   *
   * What Go's SDK announces of its Hedera topics (`broadcast`, `end-stream`) is passed over, acknowledged and counted
   * ({@link Subscription.passedOver}). So are empty lists, which nobody signed, with `{ emptyLists: 'pass' }`; default `'reject'`.
   */
  readonly classic: true | { readonly emptyLists?: 'reject' | 'pass' | undefined }
}

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

/** What a subscription has done so far. */
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
  /** Takes a listener away that was added for the same type. */
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

/**
 * Subscribes to an MQTT broker and verifies every message. The broker keeps what comes, under `clientId`, until the loop has
 * asked for the next one: nothing is lost when the process or the connection dies, and with `dedup` nothing comes twice. That
 * needs a broker that keeps all it has acknowledged: Mosquitto with `max_queued_messages 0` (its default drops all but 1,000
 * messages for a subscriber that is away), RabbitMQ up to 3.12 with `mqtt.subscription_ttl = infinity` (its default forgets a subscriber
 * after a day). `checkBroker` of `alvarium-sdk/doctor` tries it. At most `prefetch` messages are here at a time: a slow loop slows
 * the broker down, nothing piles up.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option, `KEY_INVALID`
 *
 * @example
 * ```ts
 * const bundles = subscribe({ url: 'wss://broker:8084/mqtt', topic: 'alvarium-topic', clientId: 'archive-1', keyring })
 * bundles.addEventListener('rejected', ({ error }) => console.warn(error.code, error.message))
 * for await (const bundle of bundles) console.log(bundle.action, bundle.key)
 * ```
 *
 * @example
 * ```ts
 * for await (const one of subscribe({ url, topic, clientId: 'archive-1', keyring, classic: true })) {
 *   if (one.format === 'bundle') record(one.key, one.annotations)
 *   else for (const verdict of one.annotations) if (verdict.status === 'fulfilled') record(verdict.value.key, [verdict.value])
 * }
 * ```
 */
export function subscribe(options: MixedSubscribeOptions): Subscription<ReceivedBundle | ReceivedClassic>
export function subscribe(options: SubscribeOptions): Subscription
export function subscribe(
  options: SubscribeOptions & { readonly classic?: MixedSubscribeOptions['classic'] | false | undefined },
): Subscription<ReceivedBundle | ReceivedClassic> {
  assertNames(options, NAMES)
  const { keyring, codec, logger: given, classic = false, leases: wanted, completeness, ...more } = options
  const logger = safeLogger(given)
  const { ack, dedup, deadLetter, deadLetterTimeoutMs, closeTimeoutMs, signal, ...where } = more
  const settings = readConsumeOptions({
    ...{ ack, dedup, deadLetter, deadLetterTimeoutMs, closeTimeoutMs, signal },
  })
  const trusted = {
    trust: { keyring: isTrustPolicy(keyring) ? keyring : keyringOf(keyring), codec },
    classic: wishesOf(classic),
    wanted: wanted && readLeaseOptions(wanted, where),
    onCheckpoint: completeness && Object(completeness)[WATCH]?.onCheckpoint,
  }
  if (wanted && !isTrustPolicy(keyring)) {
    throw expected('CONFIG_INVALID', 'leases', 'a trust policy as keyring', 'keys')
  }
  const reception = receive(watchedTopics(where, completeness), logger, trusted.wanted?.topic)
  const watcher = completeness && watching(completeness, reception, where)
  return new VerifiedSubscription(reception, settings, { ...trusted, watcher }, logger)
}

/** Whom a subscription trusts, and what it takes. */
interface TrustSetup extends Pick<ConsumerUser, 'trust' | 'classic' | 'watcher'> {
  readonly wanted: LeaseSettings | undefined
  readonly onCheckpoint: ((checkpoint: Uint8Array) => unknown) | undefined
}

/** With those of checkpoints, if somebody looks at them. */
function watchedTopics(where: ReceiveOptions, completeness: CompletenessWatch | undefined): ReceiveOptions {
  if (completeness === undefined) return where
  if (!Object(completeness)[WATCH]) {
    const those = 'completeness() of alvarium-sdk/completeness'
    throw expected('CONFIG_INVALID', 'completeness', those, describe(completeness))
  }
  const topics = [where.topic].flat()
  return { ...where, topic: [...topics, ...completeness[WATCH].topics(topics)] }
}

/** Sees all that comes, and tells what does not. */
function watching(completeness: CompletenessWatch, reception: Reception, { group }: ReceiveOptions): Watcher {
  let isOnline = false
  const watcher = completeness[WATCH].begin({
    isGroup: group !== undefined,
    isBehind: () => !isOnline || reception.isFull,
    found: (finding: Finding) => reception.dispatchEvent(new IncompleteEvent(finding)),
  })
  reception.addEventListener('online', () => {
    isOnline = true
    watcher.listens()
  })
  reception.addEventListener('offline', () => {
    isOnline = false
  })
  return watcher
}

const NAMES = [
  'keyring',
  'codec',
  'logger',
  'classic',
  'leases',
  'completeness',
  ...CONSUME_OPTIONS,
  ...RECEIVE_OPTIONS,
]

function wishesOf(classic: unknown): ClassicWishes | undefined {
  if (classic === false) return undefined
  if (classic === true) return { emptyLists: 'reject' }
  if (typeof classic === 'object' && classic !== null) return readOptions(wishes, classic, 'classic')
  const those = 'true, false or an object with emptyLists'
  throw expected('CONFIG_INVALID', 'classic', those, describe(classic))
}

const wishes = strict({ emptyLists: v.optional(oneOf(['reject', 'pass']), 'reject') })

class VerifiedSubscription implements Subscription<ReceivedBundle | ReceivedClassic> {
  /** All events go through it, its own and ours. */
  readonly #reception: Reception
  readonly #settings: ConsumeSettings
  readonly #consumer: Consumer
  readonly #leases: LeaseIntake | undefined
  readonly #watcher: Watcher | undefined
  readonly #logger: Logger
  /** Ends what the loop still waits for when it is closed. */
  readonly #ending = new AbortController()
  #opening: Promise<void> | undefined
  #closing: Promise<void> | undefined
  #hasLoop = false
  #isRunning = false
  #hasFailed = false

  constructor(
    reception: Reception,
    settings: ConsumeSettings,
    { wanted, onCheckpoint, ...trusted }: TrustSetup,
    logger: Logger,
  ) {
    this.#reception = reception
    this.#settings = guarded(settings, this.#ending.signal)
    this.#watcher = trusted.watcher
    this.#logger = logger
    this.#leases = wanted && this.#leaseIntake(trusted.trust, wanted)
    this.#consumer = new Consumer(this.#settings, {
      ...trusted,
      logger,
      leases: this.#leases,
      onCheckpoint: onCheckpoint && this.#taker('completeness.onCheckpoint', onCheckpoint),
      isOver: (error) => this.#ending.signal.aborted && error === this.#ending.signal.reason,
      rejected: ({ topic, message }, error) =>
        reception.dispatchEvent(new RejectedEvent(topic, message, error)),
    })
    settings.signal?.addEventListener('abort', this.#abort, { once: true })
    if (settings.signal?.aborted) this.#abort()
  }

  #leaseIntake(trust: ConsumerUser['trust'], { known = [], onLease }: LeaseSettings): LeaseIntake {
    return new LeaseIntake({
      ...{ trust, known, logger: this.#logger, window: () => this.#reception.window },
      hasLogs: this.#watcher !== undefined,
      onLease: onLease && this.#taker('leases.onLease', onLease),
    })
  }

  #taker(field: string, take: (message: Uint8Array) => unknown): (message: Uint8Array) => Promise<unknown> {
    return guardedTaker(field, take, { timeoutMs: TAKER_TIMEOUT_MS, over: this.#ending.signal })
  }

  get passedOver(): number {
    return this.#consumer.passedOver
  }

  stats(): SubscriptionStats {
    const { passedOver } = this
    return Object.freeze({ passedOver, ...(this.#watcher && { completeness: this.#watcher.stats() }) })
  }

  open(): Promise<void> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  [Symbol.asyncIterator](): AsyncGenerator<ReceivedBundle | ReceivedClassic, void> {
    return this.#consumer.give(this.#source())
  }

  groups(options?: GroupOptions): AsyncGenerator<Group<ReceivedBundle | ReceivedClassic>, void> {
    const settings = readGroupOptions(options)
    return this.#consumer.giveGroups(this.#source(), settings, options?.[BESIDE])
  }

  /** For the one loop. */
  #source(): Source & GroupSupply {
    if (this.#hasLoop) throw new AlvariumError('STREAM_LOCKED', LOCKED)
    this.#hasLoop = true
    const reception = this.#reception
    return {
      begin: async () => {
        this.#isRunning = true
        await this.#leases?.begin()
        await this.open().catch((error) => {
          if (this.#hasFailed) throw error
        })
      },
      take: () => this.#consumer.take(reception),
      get isFull() {
        return reception.isFull
      },
      end: () => {
        this.#isRunning = false
        this.#leases?.close()
        return this.close()
      },
    }
  }

  addEventListener(type: string, listener: (event: never) => void, options?: ListenerOptions): void {
    this.#reception.addEventListener(type, listener as EventListener, options)
  }

  removeEventListener(type: string, listener: (event: never) => void): void {
    this.#reception.removeEventListener(type, listener as EventListener)
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  readonly #abort = () => {
    // Nobody waits for this one.
    this.close().catch((err) => this.#logger.error({ err }, 'a subscription did not close'))
  }

  async #open(): Promise<void> {
    const { deadLetter, signal } = this.#settings
    const context = { logger: this.#logger, ...(signal && { signal }) }
    try {
      if (this.#closing) throw closed('subscription', 'it is closed')
      await deadLetter?.connect?.(context)
      await this.#reception.open()
    } catch (error) {
      // Closed meanwhile, it has nothing to give, and has not failed.
      this.#hasFailed = !this.#closing
      await this.close()
      throw !this.#hasFailed && signal?.aborted ? signal.reason : error
    }
  }

  async #end(): Promise<void> {
    const { closeTimeoutMs, signal } = this.#settings
    signal?.removeEventListener('abort', this.#abort)
    await within(this.#finish(), closeTimeoutMs)
    this.#ending.abort(closed('subscription', 'it is closed'))
    this.#watcher?.close()
    await this.#reception.close()
    await this.#closeDeadLetter()
  }

  async #closeDeadLetter(): Promise<void> {
    const { deadLetter, closeTimeoutMs } = this.#settings
    if (!deadLetter) return
    try {
      if ((await within(Promise.resolve(deadLetter.close?.()), closeTimeoutMs)) !== TOO_LATE) return
    } catch (error) {
      throw streamError('STREAM_FAILED', 'deadLetter.close: expected to close', error)
    }
    throw expected('STREAM_TIMEOUT', 'deadLetter.close', `to close within ${closeTimeoutMs} ms`, 'no answer')
  }

  /** What was given is finished, and in a group what was sent to us. */
  async #finish(): Promise<void> {
    await this.#reception.leave()
    if (this.#isRunning) await this.#reception.drained()
    await this.#consumer.stop()
  }
}

const TAKER_TIMEOUT_MS = 10_000

const LOCKED =
  'subscription: expected one loop, got a second; each bundle goes to one: share it from there, or subscribe again'
