import {
  type AlvariumError,
  describe,
  type ErrorCode,
  expected,
  streamError,
} from '../../foundation/base/errors.js'
import { unlessAborted } from '../../foundation/base/time/abort.js'
import { isPromiseLike } from '../../foundation/base/time/promises.js'
import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import { claim, release } from '../../transport/streams/claim.js'
import { acceptanceOf, type StreamContext, type StreamProvider } from '../../transport/streams/stream.js'
import type { SeenStore } from './dedup.js'
import type { ConsumeSettings } from './options.js'

/** Returns settings in which calls of application code have time limits, so that a loop cannot hang. */
export function withTimeouts(settings: ConsumeSettings, over: AbortSignal): ConsumeSettings {
  const { dedup, deadLetter, deadLetterTimeoutMs } = settings
  const store = dedup?.store && storeWithTimeouts(dedup.store, { timeoutMs: dedup.timeoutMs, over })
  return {
    ...settings,
    dedup: dedup && { ...dedup, store },
    deadLetter: deadLetter && deadLetterWithTimeouts(deadLetter, { timeoutMs: deadLetterTimeoutMs, over }),
  }
}

export interface TimeLimits {
  readonly timeoutMs: number
  /** Signal that aborts when the subscription is closed. Waiting then stops, and the loop ends. */
  readonly over: AbortSignal
}

/** Requirement for application code, and the errors if the code does not meet it. */
interface Expectation {
  readonly field: string
  readonly requirement: string
  thrown(cause: unknown): AlvariumError
  readonly late: ErrorCode
}

function storeExpectation(field: string, requirement: string): Expectation {
  const thrown = (cause: unknown) => expected('STORE_FAILED', field, requirement, undefined, cause)
  return { field, requirement, thrown, late: 'STORE_FAILED' }
}

async function awaitAnswer(
  answer: PromiseLike<unknown>,
  { timeoutMs, over }: TimeLimits,
  { field, requirement, thrown, late }: Expectation,
): Promise<unknown> {
  try {
    const word = await unlessAborted(within(answer, timeoutMs), over)
    if (word !== TOO_LATE) return word
  } catch (cause) {
    throw over.aborted ? over.reason : thrown(cause)
  }
  throw expected(late, field, requirement, `no answer within ${timeoutMs} ms`)
}

function storeWithTimeouts(store: SeenStore, limits: TimeLimits): SeenStore {
  const { hasAll, addAll } = store
  const anything = (answer: unknown) => answer
  return {
    has: (id) => callStore('has', () => store.has(id), assertBoolean, limits),
    add: (id) => callStore('add', () => store.add(id), anything, limits),
    ...(hasAll && {
      hasAll: (ids) => callStore('hasAll', () => hasAll.call(store, ids), assertSubset(ids), limits),
    }),
    ...(addAll && {
      addAll: (ids) => callStore('addAll', () => addAll.call(store, ids), anything, limits),
    }),
  }
}

/** Calls a method of a store and checks the answer. Returns no promise if the store returns none. */
function callStore<T>(
  method: string,
  act: () => unknown,
  check: (answer: unknown) => T,
  limits: TimeLimits,
): T | Promise<T> {
  const expectation = storeExpectation(`dedup.store.${method}`, 'an answer')
  let answer: unknown
  try {
    answer = act()
  } catch (cause) {
    throw expectation.thrown(cause)
  }
  return isPromiseLike(answer) ? awaitAnswer(answer, limits, expectation).then(check) : check(answer)
}

/** Returns a callback that rejects with `STORE_FAILED` if the application's callback fails or is late. */
export function callbackWithTimeout(
  field: string,
  take: (message: Uint8Array) => unknown,
  limits: TimeLimits,
): (message: Uint8Array) => Promise<unknown> {
  const expectation = storeExpectation(field, 'the function to accept the message')
  return (message) => awaitAnswer((async () => take(message))(), limits, expectation)
}

/** Asserts a boolean, because nothing would be deduplicated if a store forgot to return its result. */
function assertBoolean(answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer
  throw expected('STORE_FAILED', 'dedup.store.has', 'true or false', describe(answer))
}

/**
 * Returns a function that asserts that an answer has only ids of the query. A store that returns other ids
 * may also return ids of the query that have not been processed. Their bundles would be acknowledged
 * without delivery.
 */
function assertSubset(queryIds: readonly string[]): (answer: unknown) => string[] {
  const ids = new Set<unknown>(queryIds)
  return (answer) => {
    const isIterable = typeof answer === 'object' && answer !== null && Symbol.iterator in answer
    const known = isIterable ? [...(answer as Iterable<unknown>)] : undefined
    if (known?.every((id) => ids.has(id))) return known as string[]
    const those = 'an array of the ids that have been processed'
    throw expected('STORE_FAILED', 'dedup.store.hasAll', those, known ? 'other ids' : describe(answer))
  }
}

function deadLetterWithTimeouts(stream: StreamProvider, limits: TimeLimits): StreamProvider {
  const { connect, close } = claimingStream(stream)
  const expectation = (method: string, requirement: string, code: ErrorCode): Expectation => {
    const field = `deadLetter.${method}`
    const thrown = (cause: unknown) => streamError(code, `${field}: expected ${requirement}`, cause)
    return { field, requirement, thrown, late: 'STREAM_TIMEOUT' }
  }
  const connected = expectation('connect', 'to connect', 'STREAM_UNREACHABLE')
  const published = expectation('publish', 'the message to be accepted', 'STREAM_FAILED')
  return {
    connect: (context) => awaitAnswer(connect(context), limits, connected),
    // Use an async function, which turns synchronous exceptions into rejections.
    publish: (message, options) => {
      const publishing = (async () => acceptanceOf(await stream.publish(message, options)))()
      return awaitAnswer(publishing, limits, published)
    },
    close,
  }
}

/** Returns `connect`, which reserves the stream for this subscription, and `close`, which releases it. */
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
