import { keyOf } from 'alvarium-sdk'
import { initSync } from '../../dist/core/generated/core.js'

/** What the process holds after everything that can go has gone, in bytes. */
export interface Held {
  /** Objects of JavaScript. */
  readonly heap: number
  /** What lies outside the heap, the core's memory included. */
  readonly external: number
  /** The core's own linear memory, which never shrinks. */
  readonly core: number
}

export async function held(): Promise<Held> {
  for (let round = 0; round < 3; round++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  return { heap: heapUsed, external, core: coreMemory() }
}

/** The package hides its core; the generated code underneath hands out the instance that is running. */
function coreMemory(): number {
  keyOf(new Uint8Array())
  return initSync({ module: new Uint8Array() }).memory.buffer.byteLength
}

function collect(): void {
  if (!globalThis.gc) throw new Error('expected --expose-gc, see vitest.config.ts')
  globalThis.gc()
}
