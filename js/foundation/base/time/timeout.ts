import { onAbort, unlessAborted } from './abort.js'

/** Result of {@link within} if the promise has not settled in time. */
export const TOO_LATE = Symbol('too late')

/**
 * Settles like the promise, or resolves to {@link TOO_LATE} after a time in milliseconds. The later outcome
 * is ignored.
 */
export function within<T>(promise: PromiseLike<T>, milliseconds: number): Promise<T | typeof TOO_LATE> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds, TOO_LATE)
    // `Promise.race` would take twice as long, and one call of an SDK may have many of these.
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
 * Settles like `act` within a time in milliseconds. After it, the signal aborts and the promise rejects, even if `act` ignores the
 * signal, with a `TimeoutError` that begins with the text `expected`.
 *
 * The timer is referenced until the end. The timer of `AbortSignal.timeout` is not referenced. If only the body of a fetch
 * refers to its signal, Node 20 and 22 collect both, and the timer never fires.
 *
 * @throws the errors of `act`
 */
export async function deadline<T>(
  milliseconds: number,
  expected: string,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const reason = new DOMException(`${expected}, got none within ${milliseconds} ms`, 'TimeoutError')
  return await withLimits({ milliseconds, reason: () => reason }, act)
}

/** Limits of a function. */
export interface ActLimits {
  /** Maximum duration. `reason` makes the error. */
  readonly milliseconds: number
  reason(): Error
  /** Signal of the caller, whose reason ends the function. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Limits a function like {@link deadline}, and also by a signal.
 *
 * @throws the errors of `act`, and the reason of the limit that ended it
 */
export async function withLimits<T>(
  { milliseconds, reason, signal }: ActLimits,
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

/** Lets the process end while the timer runs. In browsers, where a timer is a number, it does nothing. */
export function unref<Timer>(timer: Timer): Timer {
  const { unref } = Object(timer) as { unref?(): void }
  unref?.call(timer)
  return timer
}
