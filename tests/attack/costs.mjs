// Measures packs of 4 MiB that cost time. For each: the processor time relative to an honest pack of that size, and the
// longest time in which the event loop is blocked.

import { readFileSync } from 'node:fs'
import { setInterval } from 'node:timers'
import { setTimeout } from 'node:timers/promises'
import { verifyPack } from 'alvarium-sdk/packs'
import { honest, honestP256, MAKES, packFile } from './cost-makes.mjs'
import { Random } from './random.mjs'
import { progress, Tally } from './tally.mjs'

/** Highest ratio to an honest pack. */
const MAX_RATIO = 5
/** Longest hold of the event loop, in milliseconds. Only a run with all packs checks it: it needs an idle machine. */
const MAX_HOLD_MS = 25
/** Factor by which a short run may exceed a ratio, because other programs run at the same time. */
const SHORT_RUN_RESERVE = 1.6
/** Higher ratios of some packs, relative to messages of as many bytes. The guide's page of threats explains them. */
const MAX_RATIOS = new Map([
  ['many leases of one issuer', 6],
  ['classic messages of unknown signers', 6],
])
const MAX_HOLDS_MS = new Map([
  ['leases that allow nothing', 75],
  ['leases of many issuers that allow nothing', 75],
  ['leases that state one log', 75],
  ['checkpoints with long lists', 60],
  ['checkpoints with peaks', 60],
  ['classic messages of several signers', 35],
  ['seals of one payload', 35],
])
/** Honest packs for signatures other than Ed25519: slower algorithms have their own comparison. */
const HONEST = new Map([['messages of P-256', honestP256]])
/** Measurements per pack, of which the median counts; and the number for a pack that looks too expensive. */
const RUNS = 3
const MORE_RUNS = 9

/** @param {{ seed: number, count: number }} options */
export async function costs({ seed, count }) {
  const tally = new Tally()
  const stop = progress(tally, count)
  const usual = packFile(honest())
  for (let warm = 0; warm < RUNS; warm++) await cost(usual)
  const makes = new Random(seed, 15).shuffled(Object.keys(MAKES)).slice(0, count)
  const isWhole = count >= Object.keys(MAKES).length
  for (const make of makes) await judge(make, usual, isWhole, tally)
  stop()
  return tally.report
}

/** @param {string} make @param {Uint8Array} usual */
async function judge(make, ed25519, isWhole, tally) {
  const ofAlgorithm = HONEST.get(make)
  const usual = ofAlgorithm ? packFile(ofAlgorithm()) : ed25519
  const pack = packFile(MAKES[make]())
  const bound = (MAX_RATIOS.get(make) ?? MAX_RATIO) * (isWhole ? 1 : SHORT_RUN_RESERVE)
  const maxMs = MAX_HOLDS_MS.get(make) ?? MAX_HOLD_MS
  let found = await compare(pack, usual, RUNS)
  if (found.ratio > bound || found.holdMs > maxMs) found = await compare(pack, usual, MORE_RUNS)
  const { ratio, holdMs, ms } = found
  tally.count(make)
  tally.verdicts++
  tally.slowest = Math.max(tally.slowest, ms)
  if (ratio > bound)
    tally.disagreement(`${make}: ${ratio.toFixed(2)} times an honest pack`, `at most ${bound}`)
  if (isWhole && holdMs > maxMs)
    tally.disagreement(`${make}: holds the loop for ${holdMs.toFixed(1)} ms`, `at most ${maxMs}`)
  console.log(
    `  ${make}: ${ratio.toFixed(2)} times an honest pack${ofAlgorithm ? ' of that algorithm' : ''}, longest hold ${holdMs.toFixed(1)} ms`,
  )
}

async function compare(pack, usual, times) {
  const [own, others] = [[], []]
  for (let at = 0; at < times; at++) {
    others.push(await cost(usual))
    own.push(await cost(pack))
  }
  const ms = median(own.map((one) => one.ms))
  const holdMs = median(own.map((one) => one.holdMs))
  return { ms, holdMs, ratio: ms / median(others.map((one) => one.ms)) }
}

/** Returns the milliseconds of processor time of all threads, and the longest time between two ticks of a timer. */
async function cost(pack) {
  let holdMs = 0
  let last = now()
  const tick = () => {
    const next = now()
    holdMs = Math.max(holdMs, Math.min(next.wall - last.wall, next.cpu - last.cpu))
    last = next
  }
  const timer = setInterval(tick, 1)
  await setTimeout(20)
  holdMs = 0
  const before = process.cpuUsage()
  // The measurement ignores the verdict and any error of verification.
  await verifyPack(pack).catch(verdictOnly)
  const { user, system } = process.cpuUsage(before)
  tick()
  clearInterval(timer)
  return { ms: (user + system) / 1000, holdMs }
}

function verdictOnly(error) {
  if (error.code !== 'MESSAGE_MALFORMED') throw error
}

/**
 * Returns the wall time and, on Linux, this thread's processor time, in milliseconds. The latter excludes other
 * programs.
 */
function now() {
  return { wall: performance.now(), cpu: threadMs() }
}

function threadMs() {
  if (process.platform !== 'linux') return performance.now()
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
}

function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1]
}
