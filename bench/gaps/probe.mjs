// Measures gaps between ticks of two timers: one in the thread of a flow, and one in an idle thread.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

const TIMER_MS = 5

/** Program of the idle thread, which measures gaps that the machine causes. */
const IDLE = `const { parentPort } = require('node:worker_threads')
let [last, gap] = [performance.now(), 0]
setInterval(() => {
  const now = performance.now()
  gap = Math.max(gap, now - last)
  last = now
}, ${TIMER_MS})
parentPort.on('message', () => {
  parentPort.postMessage(gap)
  gap = 0
})`

/** Returns the CPU time of this thread in milliseconds, if known. @returns {number | undefined} */
function cpuOfThread() {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[0]) / 1e6
  } catch {
    return undefined
  }
}

/** Finder of the largest difference between two successive values. */
class Largest {
  /** @type {number | undefined} */
  largest
  /** @type {number | undefined} */
  #last

  /** @param {number | undefined} now */
  look(now) {
    if (now !== undefined && this.#last !== undefined)
      this.largest = Math.max(this.largest ?? 0, now - this.#last)
    this.#last = now
  }
}

export async function startProbe() {
  const idle = new Worker(IDLE, { eval: true })
  await once(idle, 'online')
  const gapOfIdle = async () => {
    idle.postMessage('tell')
    const [gap] = await once(idle, 'message')
    return gap
  }
  return {
    /**
     * Measures a flow. The caller's synchronous loop before the first wait is measured separately, because no
     * timer runs during it.
     *
     * @param {() => unknown} run
     * @returns {Promise<{ took: number, loop: number, gap: number | undefined, cpu: number | undefined, idle:
     * number }>}
     */
    async during(run) {
      await new Promise((resolve) => setTimeout(resolve, 10 * TIMER_MS))
      await gapOfIdle()
      const [gap, cpu] = [new Largest(), new Largest()]
      const look = () => {
        gap.look(performance.now())
        cpu.look(cpuOfThread())
      }
      const timer = setInterval(look, TIMER_MS)
      const began = performance.now()
      const running = run()
      const loop = performance.now() - began
      look()
      await running
      const took = performance.now() - began
      look()
      clearInterval(timer)
      return { took, loop, gap: gap.largest, cpu: cpu.largest, idle: await gapOfIdle() }
    },
    end: () => idle.terminate(),
  }
}
