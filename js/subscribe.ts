import { nextTurn } from '#platform'
import { type AlvariumError, isVerdict } from './base/errors.js'
import type { ListenerOptions } from './base/events.js'
import { type Logger, silentLogger } from './base/logger.js'
import type { Codec } from './codecs/codec.js'
import { type Keyring, keyringOf } from './keys/keyring.js'
import type { VerifyingKeyInput } from './keys/verifying.js'
import type { ReceiveOptions } from './streams/mqtt/options.js'
import { type Reception, receive } from './streams/mqtt/receive.js'
import type { VerifiedBundle, VerifyOptions } from './verify/options.js'
import { verifyBatch } from './verify/verify.js'

/** Where to listen, and whom to trust. */
export interface SubscribeOptions extends ReceiveOptions {
  /** The keys to trust. */
  readonly keyring: Keyring | readonly VerifyingKeyInput[]
  /** How messages are written. Default JSON. */
  readonly codec?: Codec | undefined
  /** A pino-shaped logger. Default: silence. */
  readonly logger?: Logger | undefined
}

/** A message came that does not verify. */
export class RejectedEvent extends Event {
  readonly topic: string
  /** The message as it came. */
  readonly message: Uint8Array
  /** Which check failed, see {@link verifyMessage}. */
  readonly error: AlvariumError

  /** @internal */
  constructor(topic: string, message: Uint8Array, error: AlvariumError) {
    super('rejected')
    this.topic = topic
    this.message = message
    this.error = error
  }
}

/** A bundle that was received and verified. */
export interface ReceivedBundle extends VerifiedBundle {
  /** Where it came from; the broker says so, nobody signed it. */
  readonly topic: string
  /** The message as it came, to store or pass on: it verifies again anywhere. */
  readonly message: Uint8Array
  /** The bundle's place in the message: 0, or more in a batch. See {@link extractBundle}. */
  readonly index: number
}

/** Names and types of a subscription's events. */
export interface SubscriptionEventMap {
  /** See {@link RejectedEvent}; the iteration passes over such messages. */
  rejected: RejectedEvent
  /** The broker has the subscription: the first time, and again after each lost connection. */
  online: Event
  /** The connection is lost, or closed; `detail` says why. Until `online`, messages are missed unless `clean` is `false`. */
  offline: Event & { readonly detail: Error }
}

/** Verified bundles as they come; ends with `close()`, `break`, or the signal. */
export interface Subscription extends AsyncIterable<ReceivedBundle>, AsyncDisposable {
  /**
   * Resolves when the broker has the subscription: nothing published from then on is missed.
   *
   * @throws AlvariumError `STREAM_UNREACHABLE`, or `STREAM_REFUSED` when the broker refuses the subscription
   */
  open(): Promise<void>
  /**
   * Listens to `rejected`, `online` or `offline`, see {@link SubscriptionEventMap}.
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
  removeEventListener<Type extends keyof SubscriptionEventMap>(
    type: Type,
    listener: (event: SubscriptionEventMap[Type]) => void,
  ): void
  close(): Promise<void>
}

/**
 * Subscribes to an MQTT broker and verifies every message. One at a time: a slow loop slows the broker down,
 * nothing piles up here.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option, `KEY_INVALID`
 *
 * @example
 * ```ts
 * const bundles = subscribe({ url: 'wss://broker:8084/mqtt', topic: 'alvarium-topic', keyring })
 * bundles.addEventListener('rejected', ({ error }) => console.warn(error.code, error.message))
 * for await (const bundle of bundles) console.log(bundle.action, bundle.key)
 * ```
 */
export function subscribe(options: SubscribeOptions): Subscription {
  const { keyring, codec, logger = silentLogger, ...where } = options
  return new VerifiedSubscription(receive(where, logger), { keyring: keyringOf(keyring), codec }, logger)
}

/**
 * Messages that have arrived together are handed over without a turn of the event loop between them. So that
 * a steady flow does not keep timers, signals and other connections waiting, it is interrupted this often.
 */
const TURN_MS = 10

/** Whom to trust, and how messages are written. */
type Trust = Pick<VerifyOptions, 'keyring' | 'codec'>

class VerifiedSubscription implements Subscription {
  /** All events go through it, its own and ours. */
  readonly #reception: Reception
  readonly #trust: Trust
  readonly #logger: Logger

  constructor(reception: Reception, trust: Trust, logger: Logger) {
    this.#reception = reception
    this.#trust = trust
    this.#logger = logger
  }

  open(): Promise<void> {
    return this.#reception.open()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ReceivedBundle, void> {
    let turnEnds = performance.now() + TURN_MS
    for await (const { topic, message } of this.#reception) {
      const bundles = await this.#verify(topic, message)
      for (const [index, bundle] of bundles.entries()) yield { ...bundle, topic, message, index }
      if (performance.now() < turnEnds) continue
      await nextTurn()
      turnEnds = performance.now() + TURN_MS
    }
  }

  async #verify(topic: string, message: Uint8Array): Promise<VerifiedBundle[]> {
    try {
      return await verifyBatch(message, this.#trust)
    } catch (error) {
      // What is wrong with us says nothing about the message.
      if (!isVerdict(error)) throw error
      this.#logger.warn({ err: error, topic }, 'message rejected')
      this.#reception.dispatchEvent(new RejectedEvent(topic, message, error))
      return []
    }
  }

  addEventListener(type: string, listener: (event: never) => void, options?: ListenerOptions): void {
    this.#reception.addEventListener(type, listener as EventListener, options)
  }

  removeEventListener(type: string, listener: (event: never) => void): void {
    this.#reception.removeEventListener(type, listener as EventListener)
  }

  close(): Promise<void> {
    return this.#reception.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
