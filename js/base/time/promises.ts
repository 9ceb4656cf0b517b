/** How a promise that somebody else waits for is settled. */
export interface Deferred<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

/** Whether it is a promise, of whatever library or realm. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/**
 * What somebody's own code has returned, and nobody waits for: if it is a promise that rejects, that must not end the
 * process (`unhandledRejection`).
 */
export function ignoreRejection(value: unknown): void {
  if (isPromiseLike(value)) Promise.resolve(value).catch(() => {})
}

/** A function that does something once for all who ask while it is in progress. */
export function shared<T>(act: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    running ??= act().finally(() => {
      running = undefined
    })
    return running
  }
}
