import { coreMemory } from './core-memory.js'

/** Memory in use after garbage collection, in bytes, as far as the platform can measure it. */
export interface Held {
  readonly heap?: number
  /** Memory outside the heap, the core's included. */
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
