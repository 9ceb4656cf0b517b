import { coreMemory } from './core-memory.js'
import type { Held } from './memory.js'

/** What Chromium adds, with the flags of tests/browsers/provider.ts; Firefox tells pages nothing of its heap. */
interface Chromium {
  gc?(): void
  performance: { memory?: { readonly usedJSHeapSize: number } }
}
const { gc, performance } = globalThis as unknown as Chromium

export async function held(): Promise<Held> {
  const core = coreMemory().buffer.byteLength
  if (!performance.memory) return { core }
  if (!gc) throw new Error('expected --js-flags=--expose-gc, see tests/browsers/provider.ts')
  for (let round = 0; round < 3; round++) {
    gc()
    await new Promise((resolve) => setTimeout(resolve))
  }
  return { heap: performance.memory.usedJSHeapSize, core }
}
