import type { AlvariumError } from '../base/errors.js'
import type { ClassicMessage } from '../classic/verify-classic.js'
import type { TraceContext } from '../model/trace-context.js'
import type { VerifiedBundle } from '../verify/options.js'

/**
 * A message came that does not verify.
 *
 * @example
 * ```ts
 * bundles.addEventListener('rejected', ({ topic, error }) => console.warn(topic, error.code))
 * ```
 */
export class RejectedEvent extends Event {
  readonly topic: string
  /** The message as it came. */
  readonly message: Uint8Array
  /** Which check failed, see {@link verifyMessage}. */
  readonly error: AlvariumError
  /** The valid trace context that came with the message, if one did. Nobody signed it: any publisher may have written it. */
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
  /** Tells it from a classic message, if a subscription delivers both. */
  readonly format: 'bundle'
  /** The bundle's place in the message: 0, or more in a batch. See {@link extractBundle}. */
  readonly index: number
}

/**
 * A message of the Go, Java, Rust or Python SDK that was received, with a verdict for each of its annotations, of which at
 * least one has been verified.
 */
export interface ReceivedClassic extends ClassicMessage, Received {
  readonly format: 'classic'
  /**
   * Names exactly what this message says: 64 hexadecimal digits, those of no bundle. Nobody signed the action, or that the
   * annotations are complete: whoever changes that makes another one of it. What is signed and is named once, is an annotation.
   */
  readonly id: string
  readonly index: 0
}

/** What came from a broker, and was delivered to a loop. */
export interface Received {
  /** Where it came from; the broker says so, nobody signed it. */
  readonly topic: string
  /** The message as it came, to store or pass on: it verifies again anywhere. */
  readonly message: Uint8Array
  /** Whether the broker had kept the message for whoever subscribes (MQTT's retain), and it may be old. */
  readonly retain: boolean
  /** Whether the message may have come before: the broker says so (MQTT's DUP), or `nack()` gave it back. */
  readonly dup: boolean
  /**
   * When the message came here, in milliseconds since 1970, by this machine's clock. Keep it with the message: whoever verifies
   * it later, with a trust policy, needs it to judge by.
   */
  readonly receivedAt: number
  /** The valid trace context that came with the message, if one did. Nobody signed it: any publisher may have written it. */
  readonly traceContext?: TraceContext | undefined
  /**
   * Acknowledges it: the broker may forget it. Asking for the next bundle does it too, unless `ack` is `'manual'`.
   * Of a batch, the message is acknowledged when all of its bundles are; further calls do nothing.
   *
   * @returns resolves when `dedup` has marked the bundle, and the acknowledgement is being sent. Nobody has to wait for it: a
   * failure is logged as well
   * @throws AlvariumError `STORE_FAILED` when the store of `dedup` fails; the bundle is then neither marked nor acknowledged
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
   * Has it redelivered, because it could not be processed: after what waits here already, with `dup`. If nothing waits, that is at
   * once, so let time pass before if something is down. The broker keeps it until it is acknowledged.
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
