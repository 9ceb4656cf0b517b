import { onAbort, unlessAborted } from './abort.js'

/** Result of {@link within} for a promise that has not settled in time. */
export const TOO_LATE = Symbol('too late')

/** Settles like the promise, or resolves to {@link TOO_LATE} after `milliseconds`. A later outcome is ignored. */
export function within<T>(promise: PromiseLike<T>, milliseconds: number): Promise<T | typeof TOO_LATE> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds, TOO_LATE)
    // Avoid `Promise.race`, which takes twice as long: one call of an SDK may have many timeouts.
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
 * Runs `act` with a limit in milliseconds, and settles like `act`. After that time, the signal aborts and the promise
 * rejects, even if `act` ignores the signal. The `TimeoutError` begins with the text `expected`.
 *
 * The timer is referenced until it ends, unlike the timer of `AbortSignal.timeout`: if only the body of a fetch refers
 * to that signal, Node 20 and 22 collect the signal with its timer, which then never fires.
 *
 * @throws the errors of `act`
 */
export async function deadline<T>(
  milliseconds: number,
  expected: string,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const reason = new DOMException(`${expected}, got no answer within ${milliseconds} ms`, 'TimeoutError')
  return await withLimits({ milliseconds, reason: () => reason }, act)
}

/** Limits of a function's run: a maximum duration, and the signal of the caller. */
export interface ActLimits {
  /** Maximum duration in milliseconds. After it, the function ends with the error that `reason` returns. */
  readonly milliseconds: number
  reason(): Error
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs `act` with a limit like {@link deadline}, and ends it when the caller's signal aborts.
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

/** Lets the process end while the timer runs. Does nothing in browsers, where a timer is a number. */
export function unref<Timer>(timer: Timer): Timer {
  const { unref } = Object(timer) as { unref?(): void }
  unref?.call(timer)
  return timer
}
