import { coreMemory } from './core-memory.js'

/** What is held after everything that can go has gone, in bytes, as far as it can be measured here. */
export interface Held {
  /** Objects of JavaScript. */
  readonly heap?: number
  /** What lies outside the heap, the core's memory included. */
  readonly external?: number
  /** The core's own linear memory. */
  readonly core: number
}

export async function held(): Promise<Held> {
  for (let round = 0; round < 3; round++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  return { heap: heapUsed, external, core: coreMemory().buffer.byteLength }
}

function collect(): void {
  if (!globalThis.gc) throw new Error('expected --expose-gc, see vitest.config.ts')
  globalThis.gc()
}
