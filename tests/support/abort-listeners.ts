import { onTestFinished } from 'vitest'

type Listening = typeof EventTarget.prototype.addEventListener

/**
 * Counts the listeners that wait for any signal to abort, until the test is over. Signals derived from others, which
 * no caller sees, are counted too.
 */
export function countAbortListeners(): () => number {
  const waiting = new Map<AbortSignal, Set<unknown>>()
  const { addEventListener, removeEventListener } = EventTarget.prototype
  const add: Listening = function (this: AbortSignal, ...given) {
    waiting.set(this, (waiting.get(this) ?? new Set()).add(given[1]))
    addEventListener.apply(this, given)
  }
  const remove: Listening = function (this: AbortSignal, ...given) {
    waiting.get(this)?.delete(given[1])
    removeEventListener.apply(this, given)
  }
  Object.assign(AbortSignal.prototype, { addEventListener: add, removeEventListener: remove })
  onTestFinished(() => {
    for (const own of ['addEventListener', 'removeEventListener'])
      Reflect.deleteProperty(AbortSignal.prototype, own)
  })
  return () => {
    // An aborted signal has fired its only event.
    const alive = [...waiting].filter(([signal]) => !signal.aborted)
    return alive.reduce((sum, [, listeners]) => sum + listeners.size, 0)
  }
}
