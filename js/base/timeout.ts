import { unlessAborted } from './abort.js'

/** What {@link within} resolves to when the promise has not settled in time. */
export const TOO_LATE = Symbol('too late')

/** The promise, or {@link TOO_LATE} after so many milliseconds; what it does afterwards is ignored. */
export async function within<T>(promise: PromiseLike<T>, milliseconds: number): Promise<T | typeof TOO_LATE> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<typeof TOO_LATE>((resolve) => {
    timer = setTimeout(resolve, milliseconds, TOO_LATE)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * What `act` resolves to, within so many milliseconds. Then its signal aborts, and the promise rejects at once, whether `act` looks at
 * the signal or not: with a `TimeoutError` that begins with what was expected.
 *
 * The timer is held until the end. That of `AbortSignal.timeout` is not: Node 20 and 22 collect it, with its signal, while
 * only the body of a fetch has it, and it never fires.
 *
 * @throws whatever `act` does
 */
export async function deadline<T>(
  milliseconds: number,
  expected: string,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const reason = new DOMException(`${expected}, got none within ${milliseconds} ms`, 'TimeoutError')
  const timer = setTimeout(() => late.abort(reason), milliseconds)
  try {
    return await unlessAborted(act(late.signal), late.signal)
  } finally {
    clearTimeout(timer)
  }
}
