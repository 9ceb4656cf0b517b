import { expected, streamError } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { unlessAborted } from '../base/time/abort.js'
import { ignoreRejection } from '../base/time/promises.js'
import { limited } from '../base/time/timeout.js'
import type { TraceContext } from '../model/trace-context.js'
import type { StreamStats } from './stats.js'

/** What a stream is handed when the SDK opens it. */
export interface StreamContext {
  /** Where the stream says what happens to its connection. */
  readonly logger: Logger
  /** Aborts when the caller no longer wants the connection. */
  readonly signal?: AbortSignal
}

/** How much room is asked for: by calls in progress, and by the one that waits. */
export interface StreamRoom {
  readonly messages: number
  /** Of all of them together, about. */
  readonly bytes: number
}

/** Options of `publish`. */
export interface PublishOptions {
  /** Aborts when the caller no longer waits. A message that is already in flight may still arrive. */
  readonly signal?: AbortSignal | undefined
  /** The media type of the message, from the SDK's codec. */
  readonly contentType?: string
  /** Trace context of the call, for a stream that can carry it with the message. Nobody signs it. */
  readonly traceContext?: TraceContext | undefined
}

/** A destination of messages, in the words of OpenTelemetry's conventions for messaging. */
export interface StreamDestination {
  /** The messaging system: `mqtt`, `kafka`. */
  readonly system: string
  /** The topic or queue, if there is only one. */
  readonly name?: string | undefined
}

/**
 * What `publish` may resolve with when it has taken responsibility for a message that is not delivered yet, as an outbox does.
 * Without it, what is accepted counts as delivered.
 */
export interface Acceptance {
  /** Resolves when the message has arrived where the stream goes; rejects if it will not. Read only by those who want to know. */
  readonly delivered: PromiseLike<void>
}

/**
 * Where messages go. One verb is enough: `{ publish: (message) => save(message) }` is a stream.
 *
 * `publish` resolves when the stream has accepted the message (for MQTT QoS 1 and 2: the broker has
 * acknowledged it), with an {@link Acceptance} if it is not there yet, and rejects with the reason when it has not. It must not
 * keep a promise pending for ever (the SDK's option `streamTimeoutMs` ends that), and must bound what it queues.
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
  /** Called once by `openSdk`, which waits for it; no longer than its `connectTimeoutMs`, if that is given, and until the signal aborts. */
  connect?(context: StreamContext): unknown
  /** Takes one message; the bytes are the stream's own from then on, and are not changed. */
  publish(message: Uint8Array, options: PublishOptions): unknown
  /**
   * Whether so much more would find room now: `true`, or a promise that resolves when it is worth asking again. Asked by
   * `sdk.ready()` and `createMany`; for a stream without it there is always room.
   */
  hasRoom?(more: StreamRoom): true | PromiseLike<unknown>
  /** What it has done so far and what it holds, for `sdk.stats()`. */
  stats?(): StreamStats
  /**
   * Called once by `sdk.close()`, when all that `publish` took has settled, unless {@link drainsOnClose} says otherwise; and after a
   * `connect()` that resolves when nobody waits for it any more.
   */
  close?(): unknown
  /**
   * Its `close()` waits for calls in progress, as `mqtt`'s does: it knows how long that is worthwhile, and may give up what will
   * not be accepted. Default: no, then `sdk.close()` waits first.
   */
  readonly drainsOnClose?: boolean
  /** Destination of its messages, for spans. Default: unknown. */
  readonly destination?: StreamDestination | undefined
}

/**
 * What a stream has answered to a message that it has taken responsibility for, and that is not delivered yet; nothing if it
 * has answered something else.
 *
 * A promise that is there already may reject before anybody asks for it, which must not end the process. A getter is
 * left alone: most of them make the promise when they are asked for it.
 */
export function acceptanceOf(answer: unknown): Acceptance | undefined {
  if (typeof answer !== 'object' || answer === null || !('delivered' in answer)) return undefined
  ignoreRejection(Object.getOwnPropertyDescriptor(answer, 'delivered')?.value)
  return answer as Acceptance
}

/** A stream to connect, and what ends the wait for it. */
export interface Connecting {
  readonly stream: StreamProvider
  /** What it is called in errors: an SDK may have a stream for checkpoints, and one for leases. Default: `stream`. */
  readonly field?: string | undefined
  readonly logger: Logger
  readonly signal?: AbortSignal | undefined
  readonly connectTimeoutMs?: number | undefined
}

/**
 * Connects the stream, if it has `connect()`.
 *
 * @throws AlvariumError `STREAM_UNREACHABLE` when it cannot be connected, `STREAM_TIMEOUT` when it is not within `connectTimeoutMs`;
 * and the signal's reason
 */
export async function connect(connecting: Connecting): Promise<void> {
  const { signal, connectTimeoutMs, field = 'stream' } = connecting
  if (connectTimeoutMs === undefined) return unlessAborted(attempted(connecting, signal), signal)
  const got = `no answer within ${connectTimeoutMs} ms`
  const reason = () => expected('STREAM_TIMEOUT', `${field}.connect`, 'to connect', got)
  const limits = { milliseconds: connectTimeoutMs, reason, signal }
  await limited(limits, (ending) => attempted(connecting, ending))
}

/** The last attempt to connect each stream. */
const attempts = new WeakMap<StreamProvider, Promise<void>>()

/** What connects when nobody waits any more is closed again, unless somebody connects it anew by then. */
function attempted(connecting: Connecting, ending: AbortSignal | undefined): Promise<void> {
  const { stream } = connecting
  const attempt = connected(connecting, ending)
  attempts.set(stream, attempt)
  // Right before whoever waits goes on: nothing can abort in between.
  const arrived = () => {
    if (ending?.aborted && attempts.get(stream) === attempt) void closeUnused(stream)
  }
  attempt.then(arrived, () => {})
  return attempt
}

/** Closes a stream that was connected for nothing. How that goes is nobody's any more. */
export async function closeUnused(stream: StreamProvider): Promise<void> {
  await Promise.allSettled([(async () => stream.close?.())()])
}

async function connected(
  { stream, field = 'stream', logger }: Connecting,
  ending?: AbortSignal,
): Promise<void> {
  try {
    await stream.connect?.({ logger, ...(ending && { signal: ending }) })
  } catch (error) {
    if (ending?.aborted) throw ending.reason
    throw streamError('STREAM_UNREACHABLE', `${field}.connect: expected to connect`, error)
  }
}
