// What an attack has found, in numbers and in words, and how much memory it took.

import { setInterval } from 'node:timers'
import { keyOf } from 'alvarium-sdk'
import { initSync } from '../../dist/core/generated/core.js'

/** Enough to see what is wrong. */
const MOST_FINDINGS = 20

export class Tally {
  inputs = 0
  /** How many verdicts were compared with the one that they have to be. */
  verdicts = 0
  disagreements = 0
  crashes = 0
  /** In milliseconds, the longest that one input took. */
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

  /** That the attack gets past what refuses at first is seen from what its inputs were told. @param {string} verdict */
  outcome(of, verdict) {
    add(this.#outcomes, `${of}: told ${verdict.startsWith('[') ? 'genuine' : verdict}`)
  }

  /** What was done, and how often. @param {string} what @param {number} times */
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

  /** What the parent process gets. */
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

/** The core's memory in this thread. It never shrinks, so that this is its peak too, unless the core was replaced. */
function coreBytes() {
  keyOf(new Uint8Array())
  return initSync({ module: new Uint8Array() }).memory.buffer.byteLength
}

/** Says how far it is, to whoever waits: the parent process prints it. @param {Tally} tally @param {number} count */
export function progress(tally, count) {
  const say = () =>
    process.send?.({ progress: `${tally.inputs} of ${count}, ${tally.disagreements + tally.crashes} bad` })
  const timer = setInterval(say, 10_000)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * Goes on in rounds until there were as many inputs.
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
