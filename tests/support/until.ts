import { HANGS_MS } from './limits.js'

/** The real clock: the test may have stopped its own. */
const { setTimeout, performance } = globalThis

/** Waits until a condition is true; the test's clock may stand still meanwhile. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + HANGS_MS; !(await isSo()); ) {
    if (performance.now() > end) throw new Error('expected it to be so by now')
    await new Promise<void>((resolve) => setTimeout(resolve))
  }
}
