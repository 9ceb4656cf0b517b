import type { AlvariumError } from '../../foundation/base/errors.js'
import type { TraceContext } from '../../foundation/model/trace-context.js'
import type { ClassicMessage } from '../classic/verify-classic.js'
import type { VerifiedBundle } from '../verify/options.js'

/**
 * Event about a received message that does not verify.
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
  /** Error of the failed check, see {@link verifyMessage}. */
  readonly error: AlvariumError
  /** Valid trace context of the message, if there is one. It is not signed: any publisher may have written it. */
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

/** A bundle that was received and verified. */
export interface ReceivedBundle extends VerifiedBundle, Received {
  /** Discriminator: `'classic'` for a classic message, if a subscription delivers both. */
  readonly format: 'bundle'
  /** Index of the bundle in the message: 0, or more in a batch. See {@link extractBundle}. */
  readonly index: number
}

/**
 * A received message of the Go, Java, Rust or Python SDK, with a verdict on each annotation. At least one has been
 * verified.
 */
export interface ReceivedClassic extends ClassicMessage, Received {
  readonly format: 'classic'
  /**
   * Id of the message's contents: 64 hexadecimal digits, never equal to a bundle's id. The action and the list of
   * annotations are not signed, so anyone can change them, and the id with them. Only an annotation is signed and has
   * one id.
   */
  readonly id: string
  readonly index: 0
}

/** Members of a message from a broker that was delivered to a loop. */
export interface Received {
  /** Topic of the message. The broker states it; it is not signed. */
  readonly topic: string
  /** Received bytes of the message, to store or forward: they verify again anywhere. */
  readonly message: Uint8Array
  /** True if the broker had retained the message for new subscribers (MQTT's RETAIN): it may be old. */
  readonly retain: boolean
  /** True if the message may be a repeat: the broker states it (MQTT's DUP), or `nack()` redelivered it. */
  readonly dup: boolean
  /**
   * Time of receipt, in milliseconds since 1970, by this machine's clock. Store it with the message: a later
   * verification with a trust policy needs it.
   */
  readonly receivedAt: number
  /** Valid trace context of the message, if there is one. It is not signed: any publisher may have written it. */
  readonly traceContext?: TraceContext | undefined
  /**
   * Acknowledges the bundle: the broker may forget it. A request for the next bundle also acknowledges it, unless
   * `ack` is `'manual'`. The message of a batch is acknowledged when all of its bundles are. Further calls do nothing.
   *
   * @returns resolves when `dedup` has marked the bundle, and the acknowledgement is being sent. You need not await
   * it: a failure is also logged
   * @throws AlvariumError `STORE_FAILED` when the store of `dedup` fails. The bundle is then neither marked nor
   * acknowledged
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
   * Redelivers the bundle with `dup`, after the messages that wait here already. If none waits, that is immediately,
   * so pause before the call while a service is down. The broker keeps the message until it is acknowledged.
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
