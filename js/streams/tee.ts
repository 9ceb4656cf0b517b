import { AlvariumError, describe, type ErrorCode, expected, streamError } from '../base/errors.js'
import { hasMethods } from '../base/options/schema.js'
import type { LatencyStats } from '../base/time/latency.js'
import { streamsBehind } from './claim.js'
import type { StreamStats } from './stats.js'
import {
  type Acceptance,
  acceptanceOf,
  connect,
  type PublishOptions,
  type StreamContext,
  type StreamProvider,
  type StreamRoom,
} from './stream.js'

/**
 * Several streams at once: each message goes to all of them, whatever becomes of it at the others.
 *
 * A call resolves when **all** have accepted its message. When one has not, the call rejects once the others have settled;
 * `cause` is the error, or an `AggregateError` of several. Its code is `STREAM_REFUSED` when each stream that failed has refused the message for
 * good, also if others have it: it cannot be delivered everywhere. When the others that failed say `STREAM_SUSPECT`, so does the call. Otherwise the
 * code is that of the first, in their order, with another error: the message may still get through, and an outbox sends it again. What a stream of your own throws is `STREAM_FAILED`.
 *
 * Those that have accepted a message keep it: who tries again gives them another bundle about the same payload. A stream that
 * may be away for a while belongs behind an outbox of its own.
 *
 * They are connected together: when one cannot be, those that are there are closed again. Closed they are together too.
 *
 * Its `stats()` are those of the streams that have any, together: `online` when all are; of `queued`, `waitingForRoom`, `oldestMs` and the longest time
 * and the percentiles of `acknowledge` the highest, as each message is at every stream; of `acknowledged` the lowest; of all other numbers the
 * sum; `lastError` of the first that has one.
 *
 * @throws AlvariumError `CONFIG_INVALID` for what is no stream, none at all, or one that is there twice
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
  const together: StreamProvider & { readonly [streamsBehind]: readonly StreamProvider[] } = {
    [streamsBehind]: streams,
    // Some streams do not wait for their own calls, so they are waited for here.
    drainsOnClose: streams.every(({ close, drainsOnClose }) => !close || drainsOnClose),
    connect: (context: StreamContext) => connectAll(streams, context),
    publish: (message, options) => publishToAll(streams, message, options),
    hasRoom: (more) => roomInAll(streams, more),
    close: () => closeAll(streams),
    ...(withStats.length > 0 && { stats: () => statsOf(withStats) }),
  }
  return together
}

function assertStreams(streams: readonly unknown[]): void {
  if (streams.length === 0) throw expected('CONFIG_INVALID', 'tee', 'at least one stream', 'none')
  for (const [at, stream] of streams.entries()) {
    if (!hasMethods(stream, 'publish'))
      throw expected('CONFIG_INVALID', 'tee', `streams[${at}] with publish()`, describe(stream))
    if (streams.indexOf(stream) !== at)
      throw expected('CONFIG_INVALID', 'tee', 'each stream once', `streams[${at}] twice`)
  }
}

async function connectAll(streams: readonly StreamProvider[], context: StreamContext): Promise<void> {
  const outcomes = await settled(streams, (stream) => connect({ stream, ...context }))
  if (outcomes.every(({ status }) => status === 'fulfilled')) return
  const connected = streams.filter((_, at) => outcomes[at]?.status === 'fulfilled')
  await settled(connected, (stream) => stream.close?.())
  assertAll(outcomes, 'STREAM_UNREACHABLE', 'to connect')
}

async function publishToAll(
  streams: readonly StreamProvider[],
  message: Uint8Array,
  options: PublishOptions,
): Promise<Acceptance | undefined> {
  const publish = async (stream: StreamProvider) => acceptanceOf(await stream.publish(message, options))
  const outcomes = await settled(streams, publish)
  const accepted = assertAll(outcomes, 'STREAM_FAILED', 'to accept the message').filter(
    (one) => one !== undefined,
  )
  if (accepted.length === 0) return undefined
  return {
    // Made when it is asked for, and not before: a rejection that nobody handles ends the process.
    get delivered() {
      return Promise.all(accepted.map(({ delivered }) => delivered)).then(() => undefined)
    },
  }
}

/** True if all of them have room; otherwise a promise of a change in one that has none. */
function roomInAll(streams: readonly StreamProvider[], more: StreamRoom): true | PromiseLike<unknown> {
  for (const stream of streams) {
    const room = stream.hasRoom?.(more) ?? true
    if (room !== true) return room
  }
  return true
}

async function closeAll(streams: readonly StreamProvider[]): Promise<void> {
  assertAll(await settled(streams, (stream) => stream.close?.()), 'STREAM_FAILED', 'to close')
}

function settled<T>(streams: readonly StreamProvider[], act: (stream: StreamProvider) => T) {
  // What throws at once is a rejection too.
  return Promise.allSettled(streams.map(async (stream) => act(stream)))
}

/** What they answered. Throws when one of them has failed. */
function assertAll<T>(outcomes: readonly PromiseSettledResult<T>[], code: ErrorCode, what: string): T[] {
  const failures = outcomes.flatMap((outcome, at) =>
    outcome.status === 'rejected'
      ? [{ at, error: streamError(code, `expected ${what}`, outcome.reason) }]
      : [],
  )
  const [first] = failures
  if (!first) return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<T>).value)
  const said = failures.map(({ at, error }) => `streams[${at}]: ${error.message}`).join('; ')
  const text = `tee: expected all of ${outcomes.length} streams ${what}, got ${failures.length} that did not: ${said}`
  const errors = failures.map(({ error }) => error)
  const cause = errors.length > 1 ? new AggregateError(errors) : first.error
  throw new AlvariumError(leastFinal(errors), text, { cause })
}

/** An outbox drops a message for the first of these codes, and sets it aside for the second. */
const FINAL: readonly ErrorCode[] = ['STREAM_REFUSED', 'STREAM_SUSPECT']

/** A code by which no outbox drops a message that one of the streams may still accept. */
function leastFinal(errors: readonly AlvariumError[]): ErrorCode {
  const codes = errors.map(({ code }) => code)
  const other = codes.find((code) => !FINAL.includes(code))
  return other ?? (codes.includes('STREAM_SUSPECT') ? 'STREAM_SUSPECT' : 'STREAM_REFUSED')
}

/** Figures of several streams, each of which has every message. */
function statsOf(streams: readonly StreamProvider[]): StreamStats {
  const all = streams.flatMap((stream) => stream.stats?.() ?? [])
  const most = of(all, Math.max)
  const sum = of(all, (...numbers) => numbers.reduce((total, one) => total + one, 0))
  const outboxes = all.filter(({ setAside }) => setAside !== undefined)
  return Object.freeze({
    online: all.every(({ online }) => online),
    // Each stream has every message, which settles when the last stream has settled it.
    queued: most('queued'),
    waitingForRoom: most('waitingForRoom'),
    oldestMs: most('oldestMs'),
    acknowledged: of(all, Math.min)('acknowledged'),
    bytes: sum('bytes'),
    inFlight: sum('inFlight'),
    resent: sum('resent'),
    timedOut: sum('timedOut'),
    refused: sum('refused'),
    reconnects: sum('reconnects'),
    lastError: all.find(({ lastError }) => lastError !== undefined)?.lastError,
    ...(outboxes.length > 0 && {
      setAside: outboxes.reduce((total, { setAside = 0 }) => total + setAside, 0),
      damaged: outboxes.reduce((total, { damaged = 0 }) => total + damaged, 0),
    }),
    acknowledge: slowest(all.map(({ acknowledge }) => acknowledge)),
  })
}

type Count = {
  [Name in keyof StreamStats]-?: StreamStats[Name] extends number ? Name : never
}[keyof StreamStats]

function of(all: readonly StreamStats[], combine: (...numbers: number[]) => number) {
  return (name: Count) => (all.length === 0 ? 0 : combine(...all.map((one) => one[name])))
}

/** All that were timed; the percentiles are those of the slowest, as a call waits for that one. */
function slowest(all: readonly LatencyStats[]): LatencyStats {
  const most = (name: keyof LatencyStats) => Math.max(0, ...all.map((one) => one[name]))
  const sum = (name: keyof LatencyStats) => all.reduce((total, one) => total + one[name], 0)
  return Object.freeze({
    count: sum('count'),
    sumMs: sum('sumMs'),
    p50Ms: most('p50Ms'),
    p99Ms: most('p99Ms'),
    maxMs: most('maxMs'),
  })
}
