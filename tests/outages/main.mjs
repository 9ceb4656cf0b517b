// Runs programs that publish and subscribe during a fault of their broker, for each QoS, feature, fault and broker.
//
//   node tests/outages/main.mjs                   a part of the table, in about a minute
//   node tests/outages/main.mjs --full            all of it, and writes the page of the guide
//   node tests/outages/main.mjs --only Mosquitto --fault reset --feature group --qos 2 --seed 7
//
// The exit code is 1 if a program had an outcome that is never allowed.

import { parseArgs } from 'node:util'
import { randomFrom } from '../damage/random.mjs'
import { BROKERS, FAULTS, isOfLine } from './brokers.mjs'
import { pageOf, writePage } from './page.mjs'
import { faultsOf, wordsOf } from './table.mjs'
import { FEATURES, trial } from './trial.mjs'

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    only: { type: 'string' },
    fault: { type: 'string' },
    feature: { type: 'string' },
    qos: { type: 'string' },
    seed: { type: 'string', default: '1' },
    share: { type: 'string', default: '8' },
  },
})
/** Trials at a time: each waits most of its time. */
const LANES = 8

/** @typedef {{ broker: string, fault: string, qos: 0 | 1 | 2, feature: string, seed: number }} Row */

/** @type {string[]} */
const uncaught = []
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => uncaught.push(String(error?.stack ?? error)))
}

/** Returns all rows of the table, or a part of them that depends on the seed. @returns {Row[]} */
function rowsOf() {
  const seed = Number(values.seed)
  const all = Object.keys(BROKERS).flatMap((broker) =>
    FAULTS.flatMap((fault) =>
      /** @type {const} */ ([0, 1, 2]).flatMap((qos) =>
        FEATURES.map((feature) => ({ broker, fault, qos, feature })),
      ),
    ),
  )
  const share = values.full ? 1 : Number(values.share)
  const isNamed = values.only || values.fault || values.feature || values.qos
  return all
    .map((row, at) => ({ ...row, seed: seed * 10_000 + at }))
    .filter(({ broker, feature }) => feature !== 'group' || BROKERS[broker]?.hasGroups)
    .filter(({ broker, qos }) => qos <= (BROKERS[broker]?.maxQos ?? 2))
    .filter(({ broker }) => !values.only || broker === values.only)
    .filter(({ fault }) => !values.fault || fault === values.fault)
    .filter(({ feature }) => !values.feature || feature === values.feature)
    .filter(({ qos }) => !values.qos || `${qos}` === values.qos)
    .filter((_, at) => isNamed || at % share === seed % share)
}

/**
 * Runs a row at its own broker, or at one that many rows share.
 *
 * @param {Row} row
 * @param {import('./brokers.mjs').Setup} [shared]
 */
async function run(row, shared) {
  const isKept = row.fault !== 'restart, sessions lost'
  const setup = shared ?? (await /** @type {any} */ (BROKERS[row.broker]).start(isKept))
  try {
    const fault = setup.faults[row.fault]
    if (!fault) return
    const topic = `outages/${row.seed}`
    const seen = await trial({ ...row, url: setup.url, fault, topic, random: randomFrom(row.seed) })
    tell(row, wordsOf(seen), faultsOf(seen, row))
  } catch (error) {
    tell(row, [], [String(error)])
  } finally {
    if (!shared) await setup.stop()
  }
}

/** @type {Map<string, Set<string>>} */
const cells = new Map()
let [trials, failures] = [0, 0]

/** @param {Row} row @param {string[]} words @param {string[]} faults */
function tell(row, words, faults) {
  const cell = `${row.broker}|${row.fault}|${row.qos}`
  const listed = cells.get(cell) ?? new Set()
  cells.set(cell, listed)
  for (const word of words) listed.add(word)
  trials++
  if (faults.length > 0) failures++
  const named = [row.broker, row.fault, `QoS ${row.qos}`, row.feature, `seed ${row.seed}`].join(', ')
  console.log(`${faults.length > 0 ? '✗' : '✓'} ${named}: ${[...words, ...faults].join(', ')}`)
}

/** @param {Row[]} some @param {number} lanes @param {import('./brokers.mjs').Setup} [shared] */
async function runAll(some, lanes, shared) {
  const next = some.values()
  const lane = async () => {
    for (const row of next) await run(row, shared)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

const rows = rowsOf()
for (const [broker, { isShared, start }] of Object.entries(BROKERS)) {
  const own = rows.filter((row) => row.broker === broker)
  if (own.length === 0) continue
  const shared = isShared ? await start(true) : undefined
  try {
    // Rows that share a broker share its faults.
    const isAlone = (/** @type {Row} */ { fault }) => isShared && !isOfLine(fault)
    await runAll(
      own.filter((row) => !isAlone(row)),
      LANES,
      shared,
    )
    await runAll(own.filter(isAlone), 1, shared)
  } finally {
    await shared?.stop()
  }
}
for (const error of uncaught) console.log(`✗ uncaught: ${error}`)
console.log(`${trials} trials, ${failures} failures, ${uncaught.length} uncaught errors`)
if (values.full && failures + uncaught.length === 0) writePage(pageOf(cells))
process.exitCode = failures + uncaught.length > 0 ? 1 : 0
