import { closed, expected, failureOf } from '../../foundation/base/errors.js'
import type { SafeEventTarget } from '../../foundation/base/events.js'
import type { Logger } from '../../foundation/base/logger.js'
import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import type { ReceiveSettings } from '../../transport/streams/mqtt/options.js'
import { Receiver } from '../../transport/streams/mqtt/receive.js'
import { Consumer, type LoopSource } from '../../verifying/consume/consumer.js'
import { CONTROL, type Group, type GroupOptions, readGroupOptions } from '../../verifying/consume/group.js'
import type { GroupSource } from '../../verifying/consume/group-builder.js'
import type { LeaseSettings } from '../../verifying/consume/lease-options.js'
import { LeaseIntake } from '../../verifying/consume/leases.js'
import type { ConsumeSettings } from '../../verifying/consume/options.js'
import { type ReceivedBundle, type ReceivedClassic, RejectedEvent } from '../../verifying/consume/received.js'
import { callbackWithTimeout, withTimeouts } from '../../verifying/consume/timeouts.js'
import type { ConsumerContext } from '../../verifying/consume/user.js'
import type { Watcher } from '../../verifying/consume/watch.js'
import type { SubscribeSettings } from './options.js'

/** Receivers of a subscription's reports: its event target, and its watcher for missing messages. */
interface SubscriptionUser {
  readonly events: SafeEventTarget
  readonly watcher: Watcher | undefined
}

/** Subscription that a `LazySubscription` loads when it is created. It receives, verifies and delivers the messages. */
export class VerifiedSubscription {
  readonly #receiver: Receiver
  readonly #settings: ConsumeSettings
  readonly #consumer: Consumer
  readonly #leases: LeaseIntake | undefined
  readonly #watcher: Watcher | undefined
  readonly #logger: Logger
  /** Controller that ends all waits of the loop when the subscription is closed. */
  readonly #ending = new AbortController()
  #opening: Promise<void> | undefined
  #closing: Promise<void> | undefined
  #isRunning = false
  #hasFailed = false

  constructor(
    settings: SubscribeSettings,
    receiving: ReceiveSettings,
    { events, watcher }: SubscriptionUser,
  ) {
    const { consume, trust, classic, leases, watch, logger } = settings
    const { signal } = consume
    this.#receiver = new Receiver(receiving, { logger, unshared: leases?.topic ?? [], events })
    this.#settings = withTimeouts(consume, this.#ending.signal)
    this.#watcher = watcher
    this.#logger = logger
    this.#leases = leases && this.#leaseIntake(trust, leases)
    const onCheckpoint = watch?.onCheckpoint
    this.#consumer = new Consumer(this.#settings, {
      trust,
      classic,
      watcher,
      logger,
      leases: this.#leases,
      onCheckpoint: onCheckpoint && this.#timedCallback('completeness.onCheckpoint', onCheckpoint),
      isOver: (error) => this.#ending.signal.aborted && error === this.#ending.signal.reason,
      onRejected: ({ topic, message, traceContext }, error) =>
        events.dispatchEvent(new RejectedEvent(topic, message, error, traceContext)),
    })
    signal?.addEventListener('abort', this.#abort, { once: true })
    if (signal?.aborted) this.#abort()
  }

  #leaseIntake(trust: ConsumerContext['trust'], { known = [], onLease }: LeaseSettings): LeaseIntake {
    return new LeaseIntake({
      trust,
      known,
      logger: this.#logger,
      window: () => this.#receiver.window,
      hasLogs: this.#watcher !== undefined,
      onLease: onLease && this.#timedCallback('leases.onLease', onLease),
    })
  }

  #timedCallback(
    field: string,
    take: (message: Uint8Array) => unknown,
  ): (message: Uint8Array) => Promise<unknown> {
    return callbackWithTimeout(field, take, { timeoutMs: TAKER_TIMEOUT_MS, over: this.#ending.signal })
  }

  get skipped(): number {
    return this.#consumer.skipped
  }

  /** True if no further message can arrive until a delivered message is settled. */
  get isFull(): boolean {
    return this.#receiver.isFull
  }

  open(): Promise<void> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  [Symbol.asyncIterator](): AsyncGenerator<ReceivedBundle | ReceivedClassic, void> {
    return this.#consumer.deliver(this.#source())
  }

  groups(options?: GroupOptions): AsyncGenerator<Group<ReceivedBundle | ReceivedClassic>, void> {
    const settings = readGroupOptions(options)
    return this.#consumer.deliverGroups(this.#source(), settings, options?.[CONTROL])
  }

  #source(): LoopSource & GroupSource {
    const receiver = this.#receiver
    return {
      begin: async () => {
        this.#isRunning = true
        await this.#leases?.begin()
        await this.open().catch((error) => {
          if (this.#hasFailed) throw error
        })
      },
      take: () => receiver.take(),
      get isFull() {
        return receiver.isFull
      },
      end: () => {
        this.#isRunning = false
        this.#leases?.close()
        return this.close()
      },
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  readonly #abort = () => {
    // Log an error, because no caller awaits the promise.
    this.close().catch((err) => this.#logger.error({ err }, 'a subscription did not close'))
  }

  async #open(): Promise<void> {
    const { deadLetter, signal } = this.#settings
    const context = { logger: this.#logger, ...(signal && { signal }) }
    try {
      if (this.#closing) throw closed('subscription', 'is closed')
      await deadLetter?.connect?.(context)
      await this.#receiver.open()
    } catch (error) {
      // If the subscription was closed while it opened, end the loop without an error.
      this.#hasFailed = !this.#closing
      await this.close()
      throw !this.#hasFailed && signal?.aborted ? signal.reason : error
    }
  }

  async #end(): Promise<void> {
    const { closeTimeoutMs, signal } = this.#settings
    signal?.removeEventListener('abort', this.#abort)
    await within(this.#finish(), closeTimeoutMs)
    this.#ending.abort(closed('subscription', 'is closed'))
    this.#watcher?.close()
    await this.#receiver.close()
    await this.#closeDeadLetter()
  }

  async #closeDeadLetter(): Promise<void> {
    const { deadLetter, closeTimeoutMs } = this.#settings
    if (!deadLetter) return
    try {
      if ((await within(Promise.resolve(deadLetter.close?.()), closeTimeoutMs)) !== TOO_LATE) return
    } catch (error) {
      throw failureOf('STREAM_FAILED', 'deadLetter.close', error)
    }
    throw expected('STREAM_TIMEOUT', 'deadLetter.close', `to close within ${closeTimeoutMs} ms`, 'no answer')
  }

  /**
   * Waits until delivered bundles are settled. In a group (an MQTT shared subscription), also waits until all
   * messages that the broker has already sent are settled.
   */
  async #finish(): Promise<void> {
    await this.#receiver.leave()
    if (this.#isRunning) await this.#receiver.drained()
    await this.#consumer.stop()
  }
}

const TAKER_TIMEOUT_MS = 10_000
