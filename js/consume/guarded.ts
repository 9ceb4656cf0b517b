import { type AlvariumError, describe, expected, streamError } from '../base/errors.js'
import { unlessAborted } from '../base/time/abort.js'
import { isPromiseLike } from '../base/time/promises.js'
import { TOO_LATE, within } from '../base/time/timeout.js'
import { claim, release } from '../streams/claim.js'
import { acceptanceOf, type StreamContext, type StreamProvider } from '../streams/stream.js'
import type { SeenStore } from './dedup.js'
import type { ConsumeSettings } from './options.js'

/** Settings with what is somebody's own code guarded, so that a loop never waits for it without end. */
export function guarded(settings: ConsumeSettings, over: AbortSignal): ConsumeSettings {
  const { dedup, deadLetter, deadLetterTimeoutMs } = settings
  const store = dedup?.store && guardedStore(dedup.store, { timeoutMs: dedup.timeoutMs, over })
  return {
    ...settings,
    dedup: dedup && { ...dedup, store },
    deadLetter: deadLetter && guardedDeadLetter(deadLetter, { timeoutMs: deadLetterTimeoutMs, over }),
  }
}

/** How long a loop waits for somebody's own code. */
export interface Patience {
  /** Milliseconds for each answer. */
  readonly timeoutMs: number
  /** Aborts when the subscription is closed: its loop waits for nothing more, and ends. */
  readonly over: AbortSignal
}

/** What becomes of an answer that does not come. */
interface Failures {
  thrown(cause: unknown): AlvariumError
  late(): AlvariumError
}

/** The answer, if it comes in time. */
async function answered(
  answer: PromiseLike<unknown>,
  { timeoutMs, over }: Patience,
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

/** The store, whose every answer comes in time, or is a `STORE_FAILED`. */
export function guardedStore(store: SeenStore, patience: Patience): SeenStore {
  const { hasAll, addAll } = store
  const anything = (answer: unknown) => answer
  return {
    has: (id) => checked('has', () => store.has(id), assertBoolean, patience),
    add: (id) => checked('add', () => store.add(id), anything, patience),
    ...(hasAll && {
      hasAll: (ids) => checked('hasAll', () => hasAll.call(store, ids), someOf(ids), patience),
    }),
    ...(addAll && { addAll: (ids) => checked('addAll', () => addAll.call(store, ids), anything, patience) }),
  }
}

/** What the store answers, if `check` finds nothing wrong with it: at once if it does. */
function checked<T>(
  method: string,
  act: () => unknown,
  check: (answer: unknown) => T,
  patience: Patience,
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
  return isPromiseLike(answer) ? answered(answer, patience, { thrown, late }).then(check) : check(answer)
}

/** Who gets what signers publish beside their bundles, and takes each in time, or it is a `STORE_FAILED`. */
export function guardedTaker(
  field: string,
  take: (message: Uint8Array) => unknown,
  patience: Patience,
): (message: Uint8Array) => Promise<unknown> {
  const thrown = (cause: unknown) => expected('STORE_FAILED', field, 'to take it', undefined, cause)
  const late = () =>
    expected('STORE_FAILED', field, 'to take it', `no answer within ${patience.timeoutMs} ms`)
  return (message) => answered((async () => take(message))(), patience, { thrown, late })
}

/** If a store forgets to return what it found, nothing would be deduplicated. */
function assertBoolean(answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer
  throw expected('STORE_FAILED', 'dedup.store.has', 'true or false', describe(answer))
}

/** A bundle that is wrongly taken for a copy would be acknowledged, and lost. */
function someOf(asked: readonly string[]): (answer: unknown) => string[] {
  const ids = new Set<unknown>(asked)
  return (answer) => {
    const isIterable = typeof answer === 'object' && answer !== null && Symbol.iterator in answer
    const known = isIterable ? [...(answer as Iterable<unknown>)] : undefined
    if (known?.every((id) => ids.has(id))) return known as string[]
    const those = 'those of the ids that have been processed, in an array'
    throw expected('STORE_FAILED', 'dedup.store.hasAll', those, known ? 'others' : describe(answer))
  }
}

/** The dead-letter stream, whose every answer comes in time, or is an error with a code. Nobody else has it meanwhile. */
export function guardedDeadLetter(stream: StreamProvider, patience: Patience): StreamProvider {
  const { connect, close } = claimed(stream)
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
    connect: (context) => answered(connect(context), patience, unconnected),
    // What throws at once is a rejection too.
    publish: (message, options) =>
      answered((async () => acceptanceOf(await stream.publish(message, options)))(), patience, unpublished),
    close,
  }
}

/** Connects a stream that nobody else has, and releases it when it is closed. */
function claimed(stream: StreamProvider) {
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
