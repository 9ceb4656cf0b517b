/** Functions that settle a promise. */
export interface Deferred<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

/** Returns whether a value is a promise of any library or realm. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/**
 * Ignores the rejection of a value that an application's code has returned and that is not awaited. An
 * unhandled rejection would end the process (`unhandledRejection`).
 */
export function ignoreRejection(value: unknown): void {
  if (isPromiseLike(value)) Promise.resolve(value).catch(() => {})
}

/** Returns a function whose concurrent calls share one run. */
export function shareRun<T>(act: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    running ??= act().finally(() => {
      running = undefined
    })
    return running
  }
}
