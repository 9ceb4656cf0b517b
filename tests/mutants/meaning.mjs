// Tries the faults of meaning, two at a time, and tells which of them no test notices.

import { readFaults } from './faults.mjs'
import { Crate, Package } from './sandboxes.mjs'

/** @typedef {import('./faults.mjs').Fault} Fault */
/** @typedef {{ fault: Fault, isNoticed: boolean }} Result */
/** @typedef {{ results: Result[], failing: string[] }} Lane what became of its faults, and tests that fail without one */

/** So much of a hundred has to be noticed. */
const LEAST = 90

/**
 * @param {readonly string[]} only rooms, or words of the faults' files or sentences; all unless given
 * @returns whether enough of them are noticed
 */
export async function meaning(only) {
  const faults = readFaults().filter(
    (fault) => only.length === 0 || only.some((word) => isMeant(fault, word)),
  )
  if (faults.length === 0) throw new Error(`expected a room, or words of a fault, got ${only.join(', ')}`)
  // A signal alone would leave the copies behind.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
  const [crates, ours] = [faults.filter(isCrates), faults.filter((fault) => !isCrates(fault))]
  // One lane begins with those of the crate, which take longest, and then helps the other.
  const lanes = await Promise.all([
    triedIn(Crate, crates).then(async (lane) => [lane, await triedIn(Package, ours)]),
    triedIn(Package, ours).then((lane) => [lane]),
  ])
  return report(lanes.flat())
}

/** @param {Fault} fault @param {string} word */
function isMeant({ room, file, breaks }, word) {
  return room === word || file.includes(word) || breaks.includes(word)
}

/** @param {Fault} fault */
function isCrates({ file }) {
  return file.startsWith('crate/')
}

/**
 * @param {typeof Package | typeof Crate} Sandbox
 * @param {Fault[]} queue which others may take from as well
 * @returns {Promise<Lane>}
 */
async function triedIn(Sandbox, queue) {
  /** @type {Result[]} */
  const results = []
  if (queue.length === 0) return { results, failing: [] }
  const sandbox = new Sandbox()
  const remove = () => sandbox.remove()
  process.once('exit', remove)
  for (let fault = queue.shift(); fault; fault = queue.shift()) results.push(await tried(sandbox, fault))
  const noticing = results.filter(({ isNoticed }) => isNoticed).flatMap(({ fault }) => fault.tests)
  const failing = await failingOf(sandbox, [...new Set(noticing)])
  process.off('exit', remove)
  remove()
  return { results, failing }
}

/** @param {Package | Crate} sandbox @param {Fault} fault @returns {Promise<Result>} */
async function tried(sandbox, fault) {
  const start = performance.now()
  const isNoticed = await sandbox.notices(fault)
  const seconds = ((performance.now() - start) / 1000).toFixed(0).padStart(4)
  console.log(`${isNoticed ? 'noticed ' : 'SURVIVED'}${seconds} s  ${fault.room}: ${fault.breaks}`)
  return { fault, isNoticed }
}

/** Tests that fail anyhow notice nothing. @param {Package | Crate} sandbox @param {readonly string[]} tests */
async function failingOf(sandbox, tests) {
  const failing = []
  if (tests.length === 0 || (await sandbox.passes(tests))) return failing
  for (const test of tests) if (!(await sandbox.passes([test]))) failing.push(test)
  return failing
}

/** @param {readonly Lane[]} lanes */
function report(lanes) {
  const results = lanes.flatMap(({ results }) => results)
  const failing = lanes.flatMap(({ failing }) => failing)
  const rooms = [...new Set(results.map(({ fault }) => fault.room))].sort()
  const row = (/** @type {string} */ name, /** @type {readonly Result[]} */ own) =>
    name.padEnd(16) + `${noticedOf(own)}`.padStart(7) + `${own.length}`.padStart(8)
  const survivors = results.filter(({ isNoticed }) => !isNoticed)
  const percent = (100 * noticedOf(results)) / results.length
  const lines = [
    '',
    `${'room'.padEnd(16)}noticed  faults`,
    ...rooms.map((room) =>
      row(
        room,
        results.filter(({ fault }) => fault.room === room),
      ),
    ),
    row('in all', results),
    ...survivors.map(({ fault: { file, breaks, from } }) => `\nsurvived: ${breaks}\n  ${file}: ${from}`),
    ...failing.map((test) => `\nfails without a fault, too: ${test}`),
    `\nmeaning: ${percent.toFixed(1)} % noticed, of which at least ${LEAST} are expected`,
  ]
  console.log(lines.join('\n'))
  return percent >= LEAST && failing.length === 0
}

/** @param {readonly Result[]} results */
function noticedOf(results) {
  return results.filter(({ isNoticed }) => isNoticed).length
}
