// Tries the faults of meaning, two at a time, and tells which of them no test notices.

import { faulty, readFaults } from './faults.mjs'
import { Crate, Package } from './sandboxes.mjs'
import { tried } from './trying.mjs'

/** @typedef {import('./faults.mjs').Fault} Fault */
/** @typedef {import('./trying.mjs').Result} Result */

/** Minimum percentage of faults that tests must notice. */
const MIN_PERCENT = 90

/**
 * @param {'meaning' | 'fresh'} folder of the lists
 * @param {readonly string[]} only rooms, or words of the faults' files, functions or sentences; all unless given
 * @returns whether enough of them are noticed
 */
export async function meaning(folder, only) {
  const all = readFaults(folder)
  const rooms = new Set(all.map(({ room }) => room))
  const isMeant = (/** @type {Fault} */ fault, /** @type {string} */ word) =>
    rooms.has(word)
      ? fault.room === word
      : [faulty(fault).file, fault.in, fault.breaks].some((text) => text.includes(word))
  const faults = all.filter((fault) => only.length === 0 || only.some((word) => isMeant(fault, word)))
  if (faults.length === 0) throw new Error(`expected a room, or words of a fault, got ${only.join(', ')}`)
  // A signal alone would leave the copies behind.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
  const [crates, ours] = [faults.filter(isCrates), faults.filter((fault) => !isCrates(fault))]
  // One lane begins with those of the crate, which take longest, and then helps the other.
  const lanes = await Promise.all([
    triedIn(Crate, crates).then(async (results) => [results, await triedIn(Package, ours)]),
    triedIn(Package, ours).then((results) => [results]),
  ])
  return report(lanes.flat(2))
}

/** @param {Fault} fault */
function isCrates({ room }) {
  return room === 'crate'
}

/**
 * @param {typeof Package | typeof Crate} Sandbox
 * @param {Fault[]} queue which others may take from as well
 */
async function triedIn(Sandbox, queue) {
  /** @type {Result[]} */
  const results = []
  if (queue.length === 0) return results
  const sandbox = new Sandbox()
  const remove = () => sandbox.remove()
  process.once('exit', remove)
  for (let fault = queue.shift(); fault; fault = queue.shift()) results.push(await told(sandbox, fault))
  process.off('exit', remove)
  remove()
  return results
}

/** @param {Package | Crate} sandbox @param {Fault} fault */
async function told(sandbox, fault) {
  const start = performance.now()
  const result = await tried(sandbox, fault)
  const seconds = ((performance.now() - start) / 1000).toFixed(0).padStart(4)
  const word = result.outcome === 'noticed' ? 'noticed ' : result.outcome.toUpperCase()
  console.log(`${word}${seconds} s  ${fault.room}: ${fault.breaks}`)
  return result
}

/** @param {readonly Result[]} results */
function report(results) {
  const rooms = [...new Set(results.map(({ fault }) => fault.room))].sort()
  const row = (/** @type {string} */ name, /** @type {readonly Result[]} */ own) =>
    name.padEnd(16) + `${noticedOf(own)}`.padStart(7) + `${own.length}`.padStart(8)
  const survivors = results.filter(({ outcome }) => outcome === 'survived')
  const failing = [...new Set(results.flatMap(({ failing }) => failing))]
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
    ...survivors.map(
      ({ fault }) => `\nsurvived: ${fault.breaks}\n  ${faulty(fault).file}, ${fault.in}: ${fault.find}`,
    ),
    ...failing.map((test) => `\nfails without a fault, so notices nothing: ${test}`),
    `\nmeaning: ${percent.toFixed(1)} % noticed, of which at least ${MIN_PERCENT} are expected`,
  ]
  console.log(lines.join('\n'))
  return percent >= MIN_PERCENT && failing.length === 0
}

/** @param {readonly Result[]} results */
function noticedOf(results) {
  return results.filter(({ outcome }) => outcome === 'noticed').length
}
