import { onAbort, unlessAborted } from './abort.js'

/** What {@link within} resolves to when the promise has not settled in time. */
export const TOO_LATE = Symbol('too late')

/** The promise, or {@link TOO_LATE} after so many milliseconds; what it does afterwards is ignored. */
export function within<T>(promise: PromiseLike<T>, milliseconds: number): Promise<T | typeof TOO_LATE> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds, TOO_LATE)
    // Not Promise.race, which takes twice as long: one call of an SDK may have many of these.
    Promise.resolve(promise).then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
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
  const reason = new DOMException(`${expected}, got none within ${milliseconds} ms`, 'TimeoutError')
  return await limited({ milliseconds, reason: () => reason }, act)
}

/** What ends an act. */
export interface EndingLimits {
  /** After so many, with this reason. */
  readonly milliseconds: number
  reason(): Error
  /** The caller's own; its reason is what the act ends with. */
  readonly signal?: AbortSignal | undefined
}

/** As {@link deadline}, by other limits. @throws whatever `act` does, and the reason of what ended it */
export async function limited<T>(
  { milliseconds, reason, signal }: EndingLimits,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  if (signal?.aborted) ending.abort(signal.reason)
  const unlisten = signal && onAbort(signal, () => ending.abort(signal.reason))
  const timer = setTimeout(() => ending.abort(reason()), milliseconds)
  try {
    return await unlessAborted(act(ending.signal), ending.signal)
  } finally {
    clearTimeout(timer)
    unlisten?.()
  }
}
