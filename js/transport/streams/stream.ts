import { type ErrorCode, expected, failureOf } from '../../foundation/base/errors.js'
import type { Logger } from '../../foundation/base/logger.js'
import { unlessAborted } from '../../foundation/base/time/abort.js'
import { ignoreRejection } from '../../foundation/base/time/promises.js'
import { withLimits } from '../../foundation/base/time/timeout.js'
import type { TraceContext } from '../../foundation/model/trace-context.js'
import type { StreamStats } from './stats.js'

/** Codes of errors with which a stream refuses a message permanently, usually because of its size. */
export const PERMANENT_CODES: readonly ErrorCode[] = ['STREAM_REFUSED', 'STREAM_SUSPECT']

/** Context that an SDK passes to `connect()` of a stream. */
export interface StreamContext {
  /** Logger for events of the stream's connection. */
  readonly logger: Logger
  /** Signal that aborts when the caller no longer needs the connection. */
  readonly signal?: AbortSignal
}

/** Messages for which a stream must have room: those of the SDK's calls in progress, and of the next call. */
export interface StreamRoom {
  readonly messages: number
  /** Approximate total length of the messages in bytes. */
  readonly bytes: number
}

/** Signal and metadata of one `publish` call. */
export interface PublishOptions {
  /** Signal that aborts when the caller no longer waits. A message already in flight may still arrive. */
  readonly signal?: AbortSignal | undefined
  /** Media type of the message, from the SDK's codec. */
  readonly contentType?: string
  /** Trace context of the call, for a stream that can send it with the message. It is not signed. */
  readonly traceContext?: TraceContext | undefined
}

/** A destination of messages, named by OpenTelemetry's semantic conventions for messaging. */
export interface StreamDestination {
  /** The messaging system, such as `mqtt` or `kafka`. */
  readonly system: string
  /** Name of the topic or queue; absent if there are several. */
  readonly name?: string | undefined
}

/**
 * Result of `publish` for a message that the stream has accepted and not delivered yet, such as a message in
 * an outbox. Without this result, an accepted message counts as delivered.
 */
export interface Acceptance {
  /**
   * Promise that resolves when the message has arrived at its destination, and rejects if the delivery has
   * failed. The SDK reads this property only on demand.
   */
  readonly delivered: PromiseLike<void>
}

/**
 * A destination for messages. One method is enough: `{ publish: (message) => save(message) }` is a stream.
 *
 * `publish` resolves when the stream has accepted the message. With MQTT QoS 1 and 2, that is when the broker
 * has acknowledged the message. It resolves with an {@link Acceptance} if the message is not delivered yet,
 * and rejects with the reason if the message is not accepted. A stream must not leave a promise pending
 * forever (the SDK's option `streamTimeoutMs` ends the wait), and must limit its queue.
 *
 * @example
 * ```ts
 * const kafka = {
 *   connect: () => producer.connect(),
 *   publish: (message) => producer.send({ topic: 'alvarium', messages: [{ value: message }] }),
 *   close: () => producer.disconnect(),
 * } satisfies StreamProvider
 * ```
 */
export interface StreamProvider {
  /**
   * Connects the stream. `openSdk` calls this method once, and waits until the stream is connected,
   * `connectTimeoutMs` has passed (if given), or the signal aborts.
   */
  connect?(context: StreamContext): unknown
  /** Accepts one message. The SDK does not change the message's bytes afterwards. */
  publish(message: Uint8Array, options: PublishOptions): unknown
  /**
   * Returns `true` if the given messages fit. Otherwise returns a promise that resolves when another call of
   * `hasRoom` may return `true`. `sdk.ready()` and `createMany` call this method. A stream without this
   * method always has room.
   */
  hasRoom?(more: StreamRoom): true | PromiseLike<unknown>
  /** Returns the stream's statistics for `sdk.stats()`. */
  stats?(): StreamStats
  /**
   * Closes the stream. `sdk.close()` calls this once, after all calls of `publish` have settled (see {@link
   * drainsOnClose}). An SDK also closes a stream that has connected too late.
   */
  close?(): unknown
  /**
   * True if `close()` itself waits for calls in progress, as `mqtt` does. Such a stream knows how long
   * waiting is useful, and may reject messages that will not be accepted. Default: false, so that
   * `sdk.close()` waits before `close()`.
   */
  readonly drainsOnClose?: boolean
  /** Destination of the messages, for OpenTelemetry spans. Default: unknown. */
  readonly destination?: StreamDestination | undefined
}

/**
 * Returns the result of `publish` if it is an {@link Acceptance}, otherwise undefined.
 *
 * Ignores the rejection of an existing `delivered` promise, because a rejection that nobody reads must not
 * end the process. Does not call a getter, because most getters create the promise when they are read.
 */
export function acceptanceOf(answer: unknown): Acceptance | undefined {
  if (typeof answer !== 'object' || answer === null || !('delivered' in answer)) return undefined
  ignoreRejection(Object.getOwnPropertyDescriptor(answer, 'delivered')?.value)
  return answer as Acceptance
}

/** A stream to connect, with the signal and timeout of the attempt. */
export interface ConnectOptions {
  readonly stream: StreamProvider
  /** Name of the stream in errors, because an SDK may have several streams. Default: `stream`. */
  readonly field?: string | undefined
  readonly logger: Logger
  readonly signal?: AbortSignal | undefined
  readonly connectTimeoutMs?: number | undefined
}

/**
 * Connects the stream, if it has `connect()`.
 *
 * @throws AlvariumError `STREAM_UNREACHABLE` if the stream cannot connect, or its own `AlvariumError`;
 * `STREAM_TIMEOUT` if that takes longer than `connectTimeoutMs`; or the signal's reason
 */
export async function connect(connecting: ConnectOptions): Promise<void> {
  const { signal, connectTimeoutMs, field = 'stream' } = connecting
  if (connectTimeoutMs === undefined) return unlessAborted(attemptConnect(connecting, signal), signal)
  const got = `no answer within ${connectTimeoutMs} ms`
  const reason = () => expected('STREAM_TIMEOUT', `${field}.connect`, 'to connect', got)
  const limits = { milliseconds: connectTimeoutMs, reason, signal }
  await withLimits(limits, (ending) => attemptConnect(connecting, ending))
}

/** Last attempt to connect each stream. */
const attempts = new WeakMap<StreamProvider, Promise<void>>()

/** Connects a stream. If it connects after `ending` aborts, closes it again unless a later attempt has begun. */
function attemptConnect(connecting: ConnectOptions, ending: AbortSignal | undefined): Promise<void> {
  const { stream } = connecting
  const attempt = connectStream(connecting, ending)
  attempts.set(stream, attempt)
  // Register this callback before the caller's, so that `ending` cannot abort between the two.
  const arrived = () => {
    if (ending?.aborted && attempts.get(stream) === attempt) void closeUnused(stream)
  }
  attempt.then(arrived, () => {})
  return attempt
}

/** Closes a stream that is not needed, and ignores errors. */
export async function closeUnused(stream: StreamProvider): Promise<void> {
  await Promise.allSettled([(async () => stream.close?.())()])
}

async function connectStream(
  { stream, field = 'stream', logger }: ConnectOptions,
  ending?: AbortSignal,
): Promise<void> {
  try {
    await stream.connect?.({ logger, ...(ending && { signal: ending }) })
  } catch (error) {
    if (ending?.aborted) throw ending.reason
    throw failureOf('STREAM_UNREACHABLE', `${field}.connect`, error)
  }
}
