import { unlessAborted } from '../base/abort.js'
import { AlvariumError, describe, type ErrorCode, streamError, textOf } from '../base/errors.js'
import { isPromiseLike } from '../base/promises.js'
import { TOO_LATE, within } from '../base/timeout.js'
import { claim, release } from '../streams/claim.js'
import type { StreamContext, StreamProvider } from '../streams/stream.js'
import type { SeenStore } from './dedup.js'

/** How long a loop waits for somebody's own code. */
export interface Patience {
  /** Milliseconds for each answer. */
  readonly timeoutMs: number
  /** Aborts when the subscription is closed: its loop waits for nothing more, and ends. */
  readonly over: AbortSignal
}

/** The store, whose every answer comes in time, or is a `STORE_FAILED`. */
export function guardedStore(store: SeenStore, patience: Patience): SeenStore {
  const { hasAll, addAll } = store
  return {
    has: (id) => checked('has', () => store.has(id), assertBoolean, patience),
    add: (id) => checked('add', () => store.add(id), anything, patience),
    ...(hasAll && {
      hasAll: (ids) => checked('hasAll', () => hasAll.call(store, ids), someOf(ids), patience),
    }),
    ...(addAll && { addAll: (ids) => checked('addAll', () => addAll.call(store, ids), anything, patience) }),
  }
}

/** What the store answers, if `check` finds nothing wrong with it: at once when it does. */
function checked<T>(
  method: string,
  act: () => unknown,
  check: (answer: unknown) => T,
  patience: Patience,
): T | Promise<T> {
  const answer = attempt(method, act)
  return isPromiseLike(answer) ? inTime(method, answer, patience).then(check) : check(answer)
}

function anything(answer: unknown): unknown {
  return answer
}

function attempt(method: string, act: () => unknown): unknown {
  try {
    return act()
  } catch (cause) {
    throw storeFailed(method, textOf(cause), cause)
  }
}

async function inTime(method: string, answer: PromiseLike<unknown>, patience: Patience): Promise<unknown> {
  try {
    const word = await limited(answer, patience)
    if (word !== TOO_LATE) return word
  } catch (cause) {
    if (patience.over.aborted) throw patience.over.reason
    throw storeFailed(method, textOf(cause), cause)
  }
  throw storeFailed(method, `none within ${patience.timeoutMs} ms`)
}

/** A store that forgets to return what it found would have nothing deduplicated. */
function assertBoolean(answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer
  const text = `dedup.store.has: expected true or false, got ${describe(answer)}`
  throw new AlvariumError('STORE_FAILED', text)
}

/** A bundle that is wrongly taken for a copy would be acknowledged, and lost. */
function someOf(asked: readonly string[]): (answer: unknown) => string[] {
  const ids = new Set<unknown>(asked)
  return (answer) => {
    const isIterable = typeof answer === 'object' && answer !== null && Symbol.iterator in answer
    const known = isIterable ? [...(answer as Iterable<unknown>)] : undefined
    if (known?.every((id) => ids.has(id))) return known as string[]
    const got = known ? 'others' : describe(answer)
    const text = `dedup.store.hasAll: expected those of the ids that have been processed, in an array, got ${got}`
    throw new AlvariumError('STORE_FAILED', text)
  }
}

function storeFailed(method: string, got: string, cause?: unknown): AlvariumError {
  return new AlvariumError('STORE_FAILED', `dedup.store.${method}: expected an answer, got: ${got}`, {
    cause,
  })
}

/** The stream for dead letters, whose every answer comes in time, or is an error with a code. Nobody else has it meanwhile. */
export function guardedDeadLetter(stream: StreamProvider, patience: Patience): StreamProvider {
  let isOurs = false
  const connect = async (context: StreamContext) => {
    claim(stream, 'deadLetter')
    isOurs = true
    await stream.connect?.(context)
  }
  const close = async () => {
    if (!isOurs) return
    isOurs = false
    await stream.close?.()
    release(stream)
  }
  return {
    connect: (context) =>
      settled('connect: expected to connect', 'STREAM_UNREACHABLE', connect(context), patience),
    publish: (message, options) =>
      settled(TO_ACCEPT, 'STREAM_FAILED', publish(stream, message, options), patience),
    close,
  }
}

const TO_ACCEPT = 'publish: expected the message to be accepted'

/** What throws at once is a rejection too. */
async function publish(
  stream: StreamProvider,
  ...message: Parameters<StreamProvider['publish']>
): Promise<unknown> {
  return stream.publish(...message)
}

async function settled(
  expected: string,
  code: ErrorCode,
  answer: Promise<unknown>,
  patience: Patience,
): Promise<unknown> {
  try {
    const word = await limited(answer, patience)
    if (word !== TOO_LATE) return word
  } catch (cause) {
    if (patience.over.aborted) throw patience.over.reason
    throw streamError(code, `deadLetter.${expected}`, cause)
  }
  const text = `deadLetter.${expected}, got no answer within ${patience.timeoutMs} ms`
  throw new AlvariumError('STREAM_TIMEOUT', text)
}

function limited(answer: PromiseLike<unknown>, { timeoutMs, over }: Patience) {
  return unlessAborted(within(answer, timeoutMs), over)
}
