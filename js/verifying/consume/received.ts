import type { AlvariumError } from '../../foundation/base/errors.js'
import type { TraceContext } from '../../foundation/model/trace-context.js'
import type { ClassicMessage } from '../classic/verify-classic.js'
import type { VerifiedBundle } from '../verify/options.js'

/**
 * Event for a received message that does not verify.
 *
 * @example
 * ```ts
 * bundles.addEventListener('rejected', ({ topic, error }) => console.warn(topic, error.code))
 * ```
 */
export class RejectedEvent extends Event {
  readonly topic: string
  /** Received bytes of the message. */
  readonly message: Uint8Array
  /** Error with which the verification failed; see {@link verifyMessage}. */
  readonly error: AlvariumError
  /** Valid trace context of the message, or undefined. It is unsigned: any publisher can have written it. */
  readonly traceContext: TraceContext | undefined

  /** @internal */
  constructor(topic: string, message: Uint8Array, error: AlvariumError, traceContext?: TraceContext) {
    super('rejected')
    this.topic = topic
    this.message = message
    this.error = error
    this.traceContext = traceContext
  }
}

/** Received bundle that verified. */
export interface ReceivedBundle extends VerifiedBundle, Received {
  /** Discriminator. Classic messages have `'classic'`. */
  readonly format: 'bundle'
  /** Index of the bundle in its message: 0, or more in a batch. See {@link extractBundle}. */
  readonly index: number
}

/** Classic message that was received, with a verdict on each annotation. At least one verified. */
export interface ReceivedClassic extends ClassicMessage, Received {
  readonly format: 'classic'
  /**
   * Id of the message's contents: 64 hexadecimal digits, never equal to a bundle's id. Anyone can change the
   * unsigned action or list of annotations, and so the id.
   */
  readonly id: string
  readonly index: 0
}

/** Base of all messages that a subscription delivers. */
export interface Received {
  /** Topic of the message, as the broker states it. The topic is unsigned. */
  readonly topic: string
  /** Received bytes of the message. Store or forward them: they verify again anywhere. */
  readonly message: Uint8Array
  /** True if the broker retained the message for new subscribers (MQTT's RETAIN). The message may be old. */
  readonly retain: boolean
  /**
   * True if the message may be a repetition: marked by the broker (MQTT's DUP), or redelivered after
   * `nack()`.
   */
  readonly dup: boolean
  /**
   * Time of receipt in milliseconds since 1970, by this machine's clock. Store it with the message, because a
   * later verification with a trust policy needs it.
   */
  readonly receivedAt: number
  /** Valid trace context of the message, or undefined. It is unsigned: any publisher can have written it. */
  readonly traceContext?: TraceContext | undefined
  /**
   * Acknowledges the bundle, so that the broker may delete it. Unless `ack` is `'manual'`, the loop does this
   * when it asks for the next bundle. A batch is acknowledged after all of its bundles.
   *
   * @returns resolves when `dedup` has recorded the bundle and the acknowledgement is being sent. You need
   * not await the promise: a failure is also logged
   * @throws AlvariumError `STORE_FAILED` when the store of `dedup` fails; you can then retry
   *
   * @example
   * ```ts
   * for await (const bundle of bundles) {
   *   await archive.put(bundle.id, bundle.message)
   *   await bundle.ack() // with `break` alone, it would be redelivered
   *   break
   * }
   * ```
   */
  ack(): Promise<void>
  /**
   * Redelivers the bundle, with `dup` set, after the messages that have already arrived. A bundle of a batch
   * first waits until all bundles of the batch are settled. If no message waits, redelivery follows at once,
   * so pause before the call while a service is down.
   *
   * @example
   * ```ts
   * for await (const bundle of bundles) {
   *   try {
   *     await database.insert(bundle)
   *   } catch {
   *     await sleep(1_000)
   *     bundle.nack()
   *   }
   * }
   * ```
   */
  nack(): void
}
