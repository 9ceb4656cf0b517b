import { vi } from 'vitest'
import { HANGS_MS } from './limits.js'

/** The real one: the test may have stopped the clock. */
const { setTimeout, performance } = globalThis

/** Lets what is on its way come; the clock may stand still meanwhile. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + HANGS_MS; !(await isSo()); ) {
    if (performance.now() > end) throw new Error('expected it to be so by now')
    await new Promise<void>((resolve) => setTimeout(resolve))
  }
}

/** Resolves when the assertion holds; not while the clock is stopped, which this would move. */
export function eventually(assertion: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(assertion, { timeout: HANGS_MS, interval: 5 })
}
