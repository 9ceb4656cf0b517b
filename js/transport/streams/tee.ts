import {
  AlvariumError,
  describe,
  type ErrorCode,
  expected,
  needs,
  streamError,
} from '../../foundation/base/errors.js'
import { hasMethods } from '../../foundation/base/options/schema.js'
import type { LatencyStats } from '../../foundation/base/time/latency.js'
import { innerStreams } from './claim.js'
import type { StreamStats } from './stats.js'
import {
  type Acceptance,
  acceptanceOf,
  connect,
  PERMANENT_CODES,
  type PublishOptions,
  type StreamContext,
  type StreamProvider,
  type StreamRoom,
} from './stream.js'

/**
 * Creates a stream that publishes each message to several streams, independently of each other.
 *
 * A call resolves when **all** streams have accepted its message. If a stream has failed, the call rejects
 * after the other streams have settled. `cause` is the error, or an `AggregateError` of several. The code of
 * the error depends on the errors of the streams that failed:
 *
 * - `STREAM_REFUSED` if all of them have this code, even if other streams have accepted the message, because
 *   it cannot be delivered everywhere.
 * - `STREAM_SUSPECT` if each of them has this code or `STREAM_REFUSED`, and at least one has this code.
 * - Otherwise the first other code, in the order of the streams. The message may still be accepted later, and
 *   an outbox sends it again. An error that is not an `AlvariumError` has the code `STREAM_FAILED`.
 *
 * A retry sends another bundle about the same payload to all streams, even if some have accepted the first
 * bundle. Give a stream that may be offline for a while its own outbox.
 *
 * `connect()` connects all streams at the same time. If a stream cannot connect, `connect()` closes the
 * connected streams again. `close()` closes all streams at the same time.
 *
 * `stats()` combines the statistics of all streams that have any. `online` is true if all streams are online.
 * `acknowledged` is the lowest number, and `lastError` the first error. `queued`, `waitingForRoom`,
 * `oldestMs` and the maximum and percentiles of `acknowledge` are the highest values, because every stream
 * gets each message. All other numbers are sums.
 *
 * @throws AlvariumError `CONFIG_INVALID` for a value that is not a stream, for no stream at all, or for the
 * same stream twice
 *
 * @example
 * ```ts
 * const stream = tee(mqtt({ url, topic }), file({ path: 'audit.ndjson' }))
 * await using sdk = await openSdk({ signingKey, annotators, stream })
 * ```
 */
export function tee(...streams: readonly StreamProvider[]): StreamProvider {
  assertStreams(streams)
  const withStats = streams.filter((stream) => hasMethods(stream, 'stats'))
  const teeStream: StreamProvider & { readonly [innerStreams]: readonly StreamProvider[] } = {
    [innerStreams]: streams,
    // The SDK waits for its calls unless every stream with `close` does.
    drainsOnClose: streams.every(({ close, drainsOnClose }) => !close || drainsOnClose),
    connect: (context: StreamContext) => connectAll(streams, context),
    publish: (message, options) => publishToAll(streams, message, options),
    hasRoom: (more) => roomInAll(streams, more),
    close: () => closeAll(streams),
    ...(withStats.length > 0 && { stats: () => statsOf(withStats) }),
  }
  return teeStream
}

function assertStreams(streams: readonly unknown[]): void {
  if (streams.length === 0) throw needs('tee', 'at least one stream')
  for (const [at, stream] of streams.entries()) {
    if (!hasMethods(stream, 'publish'))
      throw expected('CONFIG_INVALID', 'tee', `streams[${at}] with publish()`, describe(stream))
    if (streams.indexOf(stream) !== at)
      throw expected('CONFIG_INVALID', 'tee', 'each stream once', `streams[${at}] twice`)
  }
}

async function connectAll(streams: readonly StreamProvider[], context: StreamContext): Promise<void> {
  const outcomes = await settleAll(streams, (stream) => connect({ stream, ...context }))
  if (outcomes.every(({ status }) => status === 'fulfilled')) return
  const connected = streams.filter((_, at) => outcomes[at]?.status === 'fulfilled')
  await settleAll(connected, (stream) => stream.close?.())
  assertAll(outcomes, 'STREAM_UNREACHABLE', 'to connect')
}

async function publishToAll(
  streams: readonly StreamProvider[],
  message: Uint8Array,
  options: PublishOptions,
): Promise<Acceptance | undefined> {
  const publish = async (stream: StreamProvider) => acceptanceOf(await stream.publish(message, options))
  const outcomes = await settleAll(streams, publish)
  const accepted = assertAll(outcomes, 'STREAM_FAILED', 'to accept the message').filter(
    (one) => one !== undefined,
  )
  if (accepted.length === 0) return undefined
  return {
    // The rejection of a promise that nobody reads would end the process.
    get delivered() {
      return Promise.all(accepted.map(({ delivered }) => delivered)).then(() => undefined)
    },
  }
}

function roomInAll(streams: readonly StreamProvider[], more: StreamRoom): true | PromiseLike<unknown> {
  for (const stream of streams) {
    const room = stream.hasRoom?.(more) ?? true
    if (room !== true) return room
  }
  return true
}

async function closeAll(streams: readonly StreamProvider[]): Promise<void> {
  assertAll(await settleAll(streams, (stream) => stream.close?.()), 'STREAM_FAILED', 'to close')
}

function settleAll<T>(streams: readonly StreamProvider[], act: (stream: StreamProvider) => T) {
  // Use `async`, because it turns a synchronous throw into a rejection.
  return Promise.allSettled(streams.map(async (stream) => act(stream)))
}

/** Returns the values of all calls. Throws if any was rejected. */
function assertAll<T>(outcomes: readonly PromiseSettledResult<T>[], code: ErrorCode, action: string): T[] {
  const failures = outcomes.flatMap((outcome, at) =>
    outcome.status === 'rejected'
      ? [{ at, error: streamError(code, `expected ${action}`, outcome.reason) }]
      : [],
  )
  const [first] = failures
  if (!first) return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<T>).value)
  const reasons = failures.map(({ at, error }) => `streams[${at}]: ${error.message}`).join('; ')
  const text = `tee: expected all of ${outcomes.length} streams ${action}, got ${failures.length} that did not: ${reasons}`
  const errors = failures.map(({ error }) => error)
  const cause = errors.length > 1 ? new AggregateError(errors) : first.error
  throw new AlvariumError(leastPermanentCode(errors), text, { cause })
}

/** Returns the least permanent code, so that an outbox drops no message that a stream may still accept. */
function leastPermanentCode(errors: readonly AlvariumError[]): ErrorCode {
  const codes = errors.map(({ code }) => code)
  const other = codes.find((code) => !PERMANENT_CODES.includes(code))
  return other ?? (codes.includes('STREAM_SUSPECT') ? 'STREAM_SUSPECT' : 'STREAM_REFUSED')
}

function statsOf(streams: readonly StreamProvider[]): StreamStats {
  const all = streams.flatMap((stream) => stream.stats?.() ?? [])
  const values = (name: Count) => all.map((one) => one[name])
  const outboxes = all.filter(({ setAside }) => setAside !== undefined)
  return Object.freeze({
    online: all.every(({ online }) => online),
    // A message is queued until the last stream has settled it.
    queued: maximum(values('queued')),
    waitingForRoom: maximum(values('waitingForRoom')),
    oldestMs: maximum(values('oldestMs')),
    acknowledged: all.length > 0 ? Math.min(...values('acknowledged')) : 0,
    bytes: sum(values('bytes')),
    inFlight: sum(values('inFlight')),
    resent: sum(values('resent')),
    timedOut: sum(values('timedOut')),
    refused: sum(values('refused')),
    reconnects: sum(values('reconnects')),
    lastError: all.find(({ lastError }) => lastError !== undefined)?.lastError,
    ...(outboxes.length > 0 && {
      setAside: sum(outboxes.map(({ setAside = 0 }) => setAside)),
      damaged: sum(outboxes.map(({ damaged = 0 }) => damaged)),
    }),
    acknowledge: combineLatencies(all.map(({ acknowledge }) => acknowledge)),
  })
}

type Count = {
  [Name in keyof StreamStats]-?: StreamStats[Name] extends number ? Name : never
}[keyof StreamStats]

const maximum = (numbers: readonly number[]) => Math.max(0, ...numbers)
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

/** Combines latencies into totals and the percentiles of the slowest stream, which every call waits for. */
function combineLatencies(all: readonly LatencyStats[]): LatencyStats {
  const values = (name: keyof LatencyStats) => all.map((one) => one[name])
  return Object.freeze({
    count: sum(values('count')),
    sumMs: sum(values('sumMs')),
    p50Ms: maximum(values('p50Ms')),
    p99Ms: maximum(values('p99Ms')),
    maxMs: maximum(values('maxMs')),
  })
}
