// Calls through kills: is a message lost, or there twice?
//
//   npm run soak                          40,000 calls and 10 kills of each at every broker: ≥ 200,000 calls in all
//   npm run soak -- --short               a minute or two, for CI: the brokers that are installed
//   npm run soak -- --minutes 60          at least so long at each broker, kills spread over it
//   npm run soak -- --only rabbitmq-3     one broker, or several: --only mosquitto-ws --only embedded
//   npm run soak -- --calls 5000 --kills 3
//   npm run soak -- --overload            three times the rate of a slow broker, for five minutes or --minutes
//   npm run soak -- --store               200,000 bundles into a store, while ingesters, broker and server are killed in turn
//   npm run soak -- --rivals              two publishers with one clientId, for a minute or --minutes, in either version of MQTT
//   npm run soak -- --forgetful           a broker that forgets its subscriber, 100 restarts of it; --rounds 20 --seed 7
//
// The publisher has an outbox, the subscriber a durable subscription; a plain mqtt.js client counts, too. The exit
// code is 1 in these cases. Kills: a resolved call did not arrive, arrived as two bundles, or a call was rejected.
// Overload: the broker accepted less than nine tenths of its capacity, a rejection was late, or the connection was
// dropped. Rivals: a stored call was lost or dropped, or more than one takeover in two seconds. Store: an accepted
// bundle is missing or there twice, or its log has not only grown. A forgetful broker: an accepted call did not
// arrive.

import { parseArgs } from 'node:util'
import { ensure } from '../../js/build/debian.mjs'
import { forgetfulness, forgetfulnessText } from './forgetful.mjs'
import { overload, overloadText } from './overload.mjs'
import { rivalry, rivalryText } from './rivals.mjs'
import { run } from './run.mjs'
import { SETUPS } from './setups.mjs'
import { isStoreHeld, storeText, storeUnderKills } from './store.mjs'

const SHORT = ['mosquitto-ws', 'embedded', 'refusing']

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    calls: { type: 'string' },
    kills: { type: 'string' },
    minutes: { type: 'string' },
    overload: { type: 'boolean', default: false },
    rivals: { type: 'boolean', default: false },
    store: { type: 'boolean', default: false },
    forgetful: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seed: { type: 'string' },
  },
})
const { calls = values.short ? 2000 : 40_000, kills = values.short ? 2 : 10, minutes = 0 } = values
const effort = { calls: Number(calls), kills: Number(kills), seconds: Number(minutes) * 60 }
const names =
  values.overload || values.rivals || values.store || values.forgetful
    ? []
    : (values.only ?? (values.short ? SHORT : Object.keys(SETUPS)))
const unknown = names.find((name) => !(name in SETUPS))
if (unknown !== undefined || !Object.values(effort).every((number) => number >= 0)) {
  console.error(
    `expected --only ${Object.keys(SETUPS).join(' or ')}, and numbers for --calls, --kills and --minutes`,
  )
  process.exit(1)
}
if (names.some((name) => name.startsWith('rabbitmq'))) {
  ensure(['rabbitmq-server'], ['rabbitmq-server'], 'The soak runs against a real RabbitMQ')
}

const rows = []
for (const name of names) {
  const row = await soak(name)
  rows.push(row)
  // Print the row at once: the next brokers may take an hour.
  console.log(table([row]))
}
if (rows.length > 1) console.log(`\n${table(rows)}`)
const isOverloadHeld = values.overload || values.short ? await underOverload() : true
const isRivalryHeld = values.rivals || values.short ? await underRivals() : true
const isStoreWhole = values.store ? await underKills() : true
const isForgetfulnessHeld = values.forgetful || values.short ? await underForgetfulness() : true
const areHeld = [isOverloadHeld, isRivalryHeld, isStoreWhole, isForgetfulnessHeld]
process.exitCode = areHeld.every(Boolean) && rows.every(({ isHeld }) => isHeld) ? 0 : 1

async function underOverload() {
  console.log('overload …')
  const full = { seconds: Number(values.minutes ?? 5) * 60, timeoutMs: 30_000, least: 0.9 }
  // A busy machine may lose a few seconds at a time.
  const effort = values.short ? { seconds: 21, timeoutMs: 15_000, least: 0.5 } : full
  const seen = await overload(effort, console.log)
  console.log(`\n${overloadText(seen)}`)
  return seen.isHeld
}

async function underKills() {
  const { calls = 200_000, kills = 24 } = values
  const seen = await storeUnderKills({ calls: Number(calls), kills: Number(kills) }, console.log)
  console.log(`\n${storeText(seen)}`)
  return isStoreHeld(seen)
}

async function underForgetfulness() {
  const { rounds = values.short ? 4 : 100, seed = Date.now() % 1_000_000 } = values
  const seen = await forgetfulness({ rounds: Number(rounds), seed: Number(seed) })
  console.log(`\n${forgetfulnessText(seen)}`)
  return seen.isHeld
}

async function underRivals() {
  const seconds = values.short ? 15 : Number(values.minutes ?? 1) * 60
  let isHeld = true
  for (const version of /** @type {const} */ ([4, 5])) {
    const seen = await rivalry(version, seconds)
    console.log(`\n${rivalryText(seen)}`)
    isHeld &&= seen.isHeld
  }
  return isHeld
}

/** @param {string} name */
async function soak(name) {
  console.log(`${name} …`)
  const setup = await SETUPS[name]?.()
  if (!setup) throw new Error(name)
  try {
    const { ledger, faults, seconds } = await run(setup, effort, console.log)
    for (const failure of ledger.failures.slice(0, 20)) console.error(`  ${failure}`)
    const { subscriber, witness } = ledger
    const lost = [ledger.lostBy(subscriber), ledger.lostBy(witness)]
    const doubled = [subscriber.doubled, witness.doubled]
    const isHeld = [...lost, ...doubled, ledger.failures.length].every((number) => number === 0)
    return { name, setup, ledger, faults, seconds, lost, doubled, isHeld }
  } finally {
    await setup.stop()
  }
}

/** @param {Awaited<ReturnType<typeof soak>>[]} all */
function table(all) {
  const head = [
    '',
    'calls',
    'faults',
    'rejected',
    'lost',
    'by witness',
    'doubled',
    'repeats',
    'of',
    'slowest stored',
    'delivered',
    'MiB',
    's',
    '',
  ]
  const lines = all.map(({ name, ledger, faults, seconds, lost, doubled, isHeld }) => [
    name,
    ledger.promised.size,
    faults.length,
    ledger.failures.length,
    ...lost,
    doubled.join('+'),
    ledger.subscriber.arrivals - ledger.subscriber.bundles,
    ledger.subscriber.arrivals,
    `${(ledger.slowestStored / 1000).toFixed(2)} s`,
    `${(ledger.slowestDelivered / 1000).toFixed(2)} s`,
    (ledger.rss / 2 ** 20).toFixed(0),
    seconds.toFixed(0),
    isHeld ? 'held' : 'NOT HELD',
  ])
  const cells = [head, ...lines].map((line) => line.map(String))
  const widths = head.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)))
  const aligned = (/** @type {string} */ cell, /** @type {number} */ at) =>
    at === 0 || at === head.length - 1 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)
  return cells.map((line) => line.map(aligned).join('  ').trimEnd()).join('\n')
}
