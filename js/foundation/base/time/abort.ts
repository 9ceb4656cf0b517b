/**
 * Functions to call when a signal aborts. They share one listener, because Node warns of a leak if a signal
 * has many.
 */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls a function when the signal aborts. All functions of a signal share one listener. The function must not throw.
 *
 * @returns function that removes the callback
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const acts = waiting.get(signal) ?? new Set()
  if (acts.size === 0) {
    waiting.set(signal, acts)
    signal.addEventListener('abort', callWaiting, { once: true })
  }
  acts.add(act)
  return () => {
    if (acts.delete(act) && acts.size === 0) signal.removeEventListener('abort', callWaiting)
  }
}

function callWaiting(this: AbortSignal): void {
  const acts = waiting.get(this)
  waiting.delete(this)
  for (const act of acts ?? []) act()
}

/** Returns a signal that aborts when one of several does. The oldest supported browsers lack `AbortSignal.any`. */
export function anySignal(...signals: AbortSignal[]): AbortSignal {
  if (AbortSignal.any) return AbortSignal.any(signals)
  const controller = new AbortController()
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason)
    else onAbort(signal, () => controller.abort(signal.reason))
  }
  return controller.signal
}

/**
 * Settles like the promise, or rejects with the signal's reason if the signal aborts first. After the abort, the
 * promise's outcome is ignored, even a rejection.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    const end = onAbort(signal, () => reject(signal.reason))
    promise.then(resolve, reject).finally(end)
  })
}
