// Results of an attack in numbers and words, and its use of memory.

import { setInterval } from 'node:timers'
import { keyOf } from 'alvarium-sdk'
import { initSync } from '../../dist/foundation/core/generated/core.js'

/** Enough findings to see the fault. */
const MOST_FINDINGS = 20

export class Tally {
  inputs = 0
  /** Verdicts that were compared with the expected one. */
  verdicts = 0
  disagreements = 0
  crashes = 0
  /** The longest time of one input, in milliseconds. */
  slowest = 0
  /** @type {Map<string, number>} */
  #kinds = new Map()
  /** @type {Map<string, number>} */
  #outcomes = new Map()
  /** @type {string[]} */
  findings = []

  /** @param {string} kind */
  count(kind) {
    this.inputs++
    add(this.#kinds, kind)
  }

  /** Counts a verdict by kind. The counts show that the attack gets past the first checks. @param {string} verdict */
  outcome(of, verdict) {
    add(this.#outcomes, `${of}: told ${verdict.startsWith('[') ? 'genuine' : verdict}`)
  }

  /** Counts an action. @param {string} what @param {number} times */
  outcomes(what, times) {
    this.#outcomes.set(what, (this.#outcomes.get(what) ?? 0) + times)
  }

  /** @param {string} what @param {unknown} input */
  disagreement(what, input) {
    this.disagreements++
    this.#finding(`disagreement: ${what}`, input)
  }

  /** @param {unknown} error @param {unknown} input */
  crash(error, input) {
    this.crashes++
    this.#finding(`crash: ${error instanceof Error ? error.stack : error}`, input)
  }

  /** The report for the parent process. */
  get report() {
    const { inputs, verdicts, disagreements, crashes, slowest, findings } = this
    const rss = process.resourceUsage().maxRSS * 1024
    const kinds = Object.fromEntries([...[...this.#kinds].sort(), ...[...this.#outcomes].sort()])
    return { inputs, verdicts, disagreements, crashes, slowest, findings, kinds, rss, core: coreBytes() }
  }

  #finding(what, input) {
    if (this.findings.length < MOST_FINDINGS) this.findings.push(`${what}\n  of ${JSON.stringify(input)}`)
  }
}

/** @param {Map<string, number>} counts @param {string} name */
function add(counts, name) {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/**
 * Returns the core's memory in this thread. It never shrinks, and is therefore the peak, unless the core was replaced.
 */
function coreBytes() {
  keyOf(new Uint8Array())
  return initSync({ module: new Uint8Array() }).memory.buffer.byteLength
}

/** Reports the progress; the parent process prints it. @param {Tally} tally @param {number} count */
export function progress(tally, count) {
  const say = () =>
    process.send?.({ progress: `${tally.inputs} of ${count}, ${tally.disagreements + tally.crashes} bad` })
  const timer = setInterval(say, 10_000)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * Repeats rounds until the number of inputs is reached.
 *
 * @param {{ round(tally: Tally): Promise<unknown>, close(): Promise<unknown> }} bench @param {number} count
 */
export async function inRounds(bench, count) {
  const tally = new Tally()
  const stop = progress(tally, count)
  while (tally.inputs < count) await bench.round(tally)
  await bench.close()
  stop()
  return tally.report
}
