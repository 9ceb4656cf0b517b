import { expected, streamError } from '../../foundation/base/errors.js'
import type { Logger } from '../../foundation/base/logger.js'
import { unlessAborted } from '../../foundation/base/time/abort.js'
import { ignoreRejection } from '../../foundation/base/time/promises.js'
import { withLimits } from '../../foundation/base/time/timeout.js'
import type { TraceContext } from '../../foundation/model/trace-context.js'
import type { StreamStats } from './stats.js'

/** Context that the SDK passes to a stream when it connects it. */
export interface StreamContext {
  /** Logger for events of the stream's connection. */
  readonly logger: Logger
  /** Signal that aborts when the caller no longer needs the connection. */
  readonly signal?: AbortSignal
}

/** Room needed by calls in progress and by the call that waits. */
export interface StreamRoom {
  readonly messages: number
  /** Approximate total length of the messages. */
  readonly bytes: number
}

/** Options of `publish`. */
export interface PublishOptions {
  /** Signal that aborts when the caller no longer waits. A message already in flight may still arrive. */
  readonly signal?: AbortSignal | undefined
  /** Media type of the message, from the SDK's codec. */
  readonly contentType?: string
  /** Trace context of the call, for a stream that can send it with the message. Not signed. */
  readonly traceContext?: TraceContext | undefined
}

/** A destination of messages, named by OpenTelemetry's semantic conventions for messaging. */
export interface StreamDestination {
  /** The messaging system, such as `mqtt` or `kafka`. */
  readonly system: string
  /** The topic or queue, if there is only one. */
  readonly name?: string | undefined
}

/**
 * Result of `publish` for a message that the stream has accepted and not delivered yet, such as one in an outbox.
 * Without it, an accepted message counts as delivered.
 */
export interface Acceptance {
  /**
   * Promise that resolves when the message has arrived at its destination, and rejects if it will not. Read on demand
   * only.
   */
  readonly delivered: PromiseLike<void>
}

/**
 * A destination for messages. One method is enough: `{ publish: (message) => save(message) }` is a stream.
 *
 * `publish` resolves when the stream has accepted the message; for MQTT QoS 1 and 2, when the broker has acknowledged
 * it. It resolves with an {@link Acceptance} if the message is not delivered yet, and rejects with the reason if it is
 * not accepted. It must not keep a promise pending forever (the SDK's option `streamTimeoutMs` ends that), and must
 * limit its queue.
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
   * Connects the stream. `openSdk` calls it once and awaits it, at most for `connectTimeoutMs` if given, and until the
   * signal aborts.
   */
  connect?(context: StreamContext): unknown
  /** Accepts one message. Its bytes then belong to the stream, and are not changed. */
  publish(message: Uint8Array, options: PublishOptions): unknown
  /**
   * Returns `true` if there is room for so much more, otherwise a promise that resolves when it is worth asking again.
   * Called by `sdk.ready()` and `createMany`. A stream without this method always has room.
   */
  hasRoom?(more: StreamRoom): true | PromiseLike<unknown>
  /** Returns the stream's figures for `sdk.stats()`. */
  stats?(): StreamStats
  /**
   * Closes the stream. `sdk.close()` calls it once, after all calls of `publish` have settled (see {@link
   * drainsOnClose}). Also called after a `connect()` that resolves when nobody waits for it any more.
   */
  close?(): unknown
  /**
   * True if `close()` itself waits for calls in progress, as `mqtt` does. Such a stream knows how long waiting is
   * useful, and may reject messages that will not be accepted. Default: false, so `sdk.close()` waits before it calls
   * `close()`.
   */
  readonly drainsOnClose?: boolean
  /** Destination of the messages, for spans. Default: unknown. */
  readonly destination?: StreamDestination | undefined
}

/**
 * Returns the result of `publish` if it is an {@link Acceptance}, otherwise undefined.
 *
 * Ignores the rejection of an existing promise, because it may reject before anyone reads it, and must not end the
 * process. Does not call a getter, because most getters create the promise when they are read.
 */
export function acceptanceOf(answer: unknown): Acceptance | undefined {
  if (typeof answer !== 'object' || answer === null || !('delivered' in answer)) return undefined
  ignoreRejection(Object.getOwnPropertyDescriptor(answer, 'delivered')?.value)
  return answer as Acceptance
}

/** A stream to connect, and the limits of the wait for it. */
export interface ConnectOptions {
  readonly stream: StreamProvider
  /**
   * Name of the stream in errors, because an SDK may have a stream for checkpoints and one for leases. Default:
   * `stream`.
   */
  readonly field?: string | undefined
  readonly logger: Logger
  readonly signal?: AbortSignal | undefined
  readonly connectTimeoutMs?: number | undefined
}

/**
 * Connects the stream, if it has `connect()`.
 *
 * @throws AlvariumError `STREAM_UNREACHABLE` if it cannot connect, `STREAM_TIMEOUT` if it does not within
 * `connectTimeoutMs`; or the signal's reason
 */
export async function connect(connecting: ConnectOptions): Promise<void> {
  const { signal, connectTimeoutMs, field = 'stream' } = connecting
  if (connectTimeoutMs === undefined) return unlessAborted(attemptConnect(connecting, signal), signal)
  const got = `no answer within ${connectTimeoutMs} ms`
  const reason = () => expected('STREAM_TIMEOUT', `${field}.connect`, 'to connect', got)
  const limits = { milliseconds: connectTimeoutMs, reason, signal }
  await withLimits(limits, (ending) => attemptConnect(connecting, ending))
}

/** The last attempt to connect each stream. */
const attempts = new WeakMap<StreamProvider, Promise<void>>()

/** Connects a stream. Closes it again if it connects after the wait has ended and no later attempt has begun. */
function attemptConnect(connecting: ConnectOptions, ending: AbortSignal | undefined): Promise<void> {
  const { stream } = connecting
  const attempt = connectStream(connecting, ending)
  attempts.set(stream, attempt)
  // Runs just before the waiting caller continues, so nothing can abort in between.
  const arrived = () => {
    if (ending?.aborted && attempts.get(stream) === attempt) void closeUnused(stream)
  }
  attempt.then(arrived, () => {})
  return attempt
}

/** Closes a stream that was connected and is not needed. Ignores errors. */
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
    throw streamError('STREAM_UNREACHABLE', `${field}.connect: expected to connect`, error)
  }
}
