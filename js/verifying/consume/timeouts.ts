import { type AlvariumError, describe, expected, streamError } from '../../foundation/base/errors.js'
import { unlessAborted } from '../../foundation/base/time/abort.js'
import { isPromiseLike } from '../../foundation/base/time/promises.js'
import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import { claim, release } from '../../transport/streams/claim.js'
import { acceptanceOf, type StreamContext, type StreamProvider } from '../../transport/streams/stream.js'
import type { SeenStore } from './dedup.js'
import type { ConsumeSettings } from './options.js'

/** Returns settings whose application code has timeouts, so that a loop never waits for it without end. */
export function withTimeouts(settings: ConsumeSettings, over: AbortSignal): ConsumeSettings {
  const { dedup, deadLetter, deadLetterTimeoutMs } = settings
  const store = dedup?.store && storeWithTimeouts(dedup.store, { timeoutMs: dedup.timeoutMs, over })
  return {
    ...settings,
    dedup: dedup && { ...dedup, store },
    deadLetter: deadLetter && deadLetterWithTimeouts(deadLetter, { timeoutMs: deadLetterTimeoutMs, over }),
  }
}

/** Time limits for application code. */
export interface TimeLimits {
  /** Milliseconds for each answer. */
  readonly timeoutMs: number
  /** Signal that aborts when the subscription is closed: its loop then stops waiting, and ends. */
  readonly over: AbortSignal
}

/** Errors for an answer that is an exception, or late. */
interface Failures {
  thrown(cause: unknown): AlvariumError
  late(): AlvariumError
}

/** Returns the answer if it arrives in time, and throws one of the failures otherwise. */
async function awaitAnswer(
  answer: PromiseLike<unknown>,
  { timeoutMs, over }: TimeLimits,
  failures: Failures,
): Promise<unknown> {
  try {
    const word = await unlessAborted(within(answer, timeoutMs), over)
    if (word !== TOO_LATE) return word
  } catch (cause) {
    throw over.aborted ? over.reason : failures.thrown(cause)
  }
  throw failures.late()
}

/** Returns a store that rejects late and invalid answers with `STORE_FAILED`. */
export function storeWithTimeouts(store: SeenStore, patience: TimeLimits): SeenStore {
  const { hasAll, addAll } = store
  const anything = (answer: unknown) => answer
  return {
    has: (id) => callStore('has', () => store.has(id), assertBoolean, patience),
    add: (id) => callStore('add', () => store.add(id), anything, patience),
    ...(hasAll && {
      hasAll: (ids) => callStore('hasAll', () => hasAll.call(store, ids), assertSubset(ids), patience),
    }),
    ...(addAll && {
      addAll: (ids) => callStore('addAll', () => addAll.call(store, ids), anything, patience),
    }),
  }
}

/** Calls a method of the store and checks its answer, without a promise if the store answers synchronously. */
function callStore<T>(
  method: string,
  act: () => unknown,
  check: (answer: unknown) => T,
  patience: TimeLimits,
): T | Promise<T> {
  const field = `dedup.store.${method}`
  const thrown = (cause: unknown) => expected('STORE_FAILED', field, 'an answer', undefined, cause)
  const late = () => expected('STORE_FAILED', field, 'an answer', `none within ${patience.timeoutMs} ms`)
  let answer: unknown
  try {
    answer = act()
  } catch (cause) {
    throw thrown(cause)
  }
  return isPromiseLike(answer) ? awaitAnswer(answer, patience, { thrown, late }).then(check) : check(answer)
}

/**
 * Returns a callback for control messages that rejects with `STORE_FAILED` if the application's callback throws or is
 * late.
 */
export function callbackWithTimeout(
  field: string,
  take: (message: Uint8Array) => unknown,
  patience: TimeLimits,
): (message: Uint8Array) => Promise<unknown> {
  const thrown = (cause: unknown) => expected('STORE_FAILED', field, 'to take it', undefined, cause)
  const late = () =>
    expected('STORE_FAILED', field, 'to take it', `no answer within ${patience.timeoutMs} ms`)
  return (message) => awaitAnswer((async () => take(message))(), patience, { thrown, late })
}

/** Asserts a boolean: if a store forgets to return its result, nothing would be deduplicated. */
function assertBoolean(answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer
  throw expected('STORE_FAILED', 'dedup.store.has', 'true or false', describe(answer))
}

/**
 * Returns a check that an answer has only ids of the query. A bundle that is wrongly treated as a copy would be
 * acknowledged and lost.
 */
function assertSubset(asked: readonly string[]): (answer: unknown) => string[] {
  const ids = new Set<unknown>(asked)
  return (answer) => {
    const isIterable = typeof answer === 'object' && answer !== null && Symbol.iterator in answer
    const known = isIterable ? [...(answer as Iterable<unknown>)] : undefined
    if (known?.every((id) => ids.has(id))) return known as string[]
    const those = 'those of the ids that have been processed, in an array'
    throw expected('STORE_FAILED', 'dedup.store.hasAll', those, known ? 'others' : describe(answer))
  }
}

/**
 * Returns a dead-letter stream that rejects late answers with an error code, and that no other consumer can use
 * meanwhile.
 */
export function deadLetterWithTimeouts(stream: StreamProvider, patience: TimeLimits): StreamProvider {
  const { connect, close } = claimingStream(stream)
  const failures = (
    method: string,
    what: string,
    code: 'STREAM_UNREACHABLE' | 'STREAM_FAILED',
  ): Failures => ({
    thrown: (cause) => streamError(code, `deadLetter.${method}: expected ${what}`, cause),
    late: () => {
      const got = `no answer within ${patience.timeoutMs} ms`
      return expected('STREAM_TIMEOUT', `deadLetter.${method}`, what, got)
    },
  })
  const unconnected = failures('connect', 'to connect', 'STREAM_UNREACHABLE')
  const unpublished = failures('publish', 'the message to be accepted', 'STREAM_FAILED')
  return {
    connect: (context) => awaitAnswer(connect(context), patience, unconnected),
    // The async function turns synchronous exceptions into rejections.
    publish: (message, options) =>
      awaitAnswer(
        (async () => acceptanceOf(await stream.publish(message, options)))(),
        patience,
        unpublished,
      ),
    close,
  }
}

/** Returns functions that claim and connect a stream, and close and release it. */
function claimingStream(stream: StreamProvider) {
  let isOurs = false
  const connect = async (context: StreamContext) => {
    claim(stream, 'deadLetter')
    isOurs = true
    await stream.connect?.(context)
  }
  const close = async () => {
    if (!isOurs) return
    isOurs = false
    try {
      await stream.close?.()
    } finally {
      release(stream)
    }
  }
  return { connect, close }
}
