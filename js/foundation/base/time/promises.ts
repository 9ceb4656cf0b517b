/** The two functions that settle a promise from outside. */
export interface Deferred<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

/** Returns a promise and the functions that settle it, as `Promise.withResolvers` does, which Node 20 lacks. */
export function withResolvers<T>() {
  let resolve!: (value: T | PromiseLike<T>) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  return { promise, resolve, reject }
}

/** Returns whether a value has a method `then`, as promises of every library and realm have. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** Ignores the rejection of a value that nobody awaits, because an unhandled rejection would end the process. */
export function ignoreRejection(value: unknown): void {
  if (isPromiseLike(value)) Promise.resolve(value).catch(() => {})
}

/** Returns a function that shares one run of `act` between concurrent calls. */
export function shareRun<T>(act: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    running ??= act().finally(() => {
      running = undefined
    })
    return running
  }
}
