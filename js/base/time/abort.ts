/** What is to be done when a signal aborts. Node warns of a leak when many calls with one signal listen to it each. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Does something when the signal aborts, with one listener for all that wait for it. It must not throw.
 *
 * @returns what ends it
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const acts = waiting.get(signal) ?? new Set()
  if (acts.size === 0) {
    waiting.set(signal, acts)
    signal.addEventListener('abort', aborted, { once: true })
  }
  acts.add(act)
  return () => {
    if (acts.delete(act) && acts.size === 0) signal.removeEventListener('abort', aborted)
  }
}

function aborted(this: AbortSignal): void {
  const acts = waiting.get(this)
  waiting.delete(this)
  for (const act of acts ?? []) act()
}

/** Aborts with the first of them. `AbortSignal.any` is newer than browsers that have all else; where it is, nothing listens for longer than needed. */
export function firstOf(...signals: AbortSignal[]): AbortSignal {
  if (AbortSignal.any) return AbortSignal.any(signals)
  const controller = new AbortController()
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason)
    else onAbort(signal, () => controller.abort(signal.reason))
  }
  return controller.signal
}

/**
 * The promise, unless the signal aborts first: then a rejection with the signal's reason. What the promise
 * does afterwards is nobody's any more, a late rejection included.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    const end = onAbort(signal, () => reject(signal.reason))
    promise.then(resolve, reject).finally(end)
  })
}
