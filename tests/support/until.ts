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
