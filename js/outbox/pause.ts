import { onAbort } from '../base/abort.js'
import { backoff } from '../base/backoff.js'

const FIRST_MS = 100
const LONGEST_MS = 5_000

/** How long to wait before what has failed so often is tried again, in milliseconds. */
export function againIn(failures: number): number {
  return backoff(failures, Math.random(), LONGEST_MS, FIRST_MS)
}

/** Over early when the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer)
      forget()
      resolve()
    }
    const timer = setTimeout(over, milliseconds)
    const forget = onAbort(signal, over)
  })
}
