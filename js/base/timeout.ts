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
