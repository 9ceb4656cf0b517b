// Measures how many verified bundles a store ingests per second of CPU time (ingesting process plus server),
// compared with handwritten alternatives.

import { generateKey, memory, openSdk, source } from 'alvarium-sdk'
import { installedPostgres } from '../../tests/running/postgres.mjs'
import { openContenders } from '../store/contenders.mjs'
import { medianOf } from './blocks.mjs'
import { payloadsOf } from './suite.mjs'

/** Effort of a run: bundles per contender and round, measured rounds, and warm-up rounds. */
const FULL = { bundles: 20_480, rounds: 5, warming: 2 }
const QUICK = { bundles: 512, rounds: 1, warming: 0 }
const BATCH = 256

/** @param {boolean} isQuick */
async function rates(isQuick) {
  const effort = isQuick ? QUICK : FULL
  const keys = generateKey()
  const alone = await measured(keys, 1, effort)
  const batched = await measured(keys, BATCH, effort)
  return {
    caption: 'Verified bundles per second of CPU time, ingester and server added',
    groups: [
      { title: '', columns: [{ head: '', values: alone.names }] },
      { title: 'one bundle a message', columns: columnsOf(alone.costs) },
      { title: `batches of ${BATCH}`, columns: columnsOf(batched.costs) },
    ],
  }
}

/**
 * Measures all contenders with the same messages in each round. The contender that runs first alternates.
 *
 * @param {ReturnType<typeof generateKey>} keys
 * @param {number} batch
 * @param {typeof FULL} effort
 */
async function measured({ signingKey, verifyingKey }, batch, { bundles, rounds, warming }) {
  const { contenders, close } = await openContenders(verifyingKey)
  const costs = contenders.map(() => /** @type {{ here: number, server: number }[]} */ ([]))
  for (let round = 0; round < warming + rounds; round++) {
    const messages = await messagesOf(signingKey, batch, bundles)
    for (let turn = 0; turn < contenders.length; turn++) {
      const at = (turn + round) % contenders.length
      const cost = await costOf(contenders[at], messages)
      if (round >= warming) costs[at]?.push({ here: cost.here / bundles, server: cost.server / bundles })
    }
  }
  await close()
  return { names: contenders.map(({ name }) => name), costs }
}

/** @param {Uint8Array} signingKey @param {number} batch @param {number} bundles @returns {Promise<Uint8Array[]>} */
async function messagesOf(signingKey, batch, bundles) {
  const stream = memory()
  const batched = batch === 1 ? {} : { batch: { maxBundles: batch, maxDelayMs: 10_000 } }
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, host: 'edge-7', ...batched })
  for (let done = 0; done < bundles; done += BATCH) {
    const payloads = payloadsOf(100, BATCH)
    if (batch > 1) await sdk.createMany(payloads)
    else for (const payload of payloads) await sdk.create(payload)
  }
  await sdk.close()
  return [...stream.messages]
}

/**
 * Returns the CPU seconds for storing messages.
 *
 * @param {import('../store/contenders.mjs').Contender} contender
 * @param {Uint8Array[]} messages
 */
async function costOf({ add, serverSeconds = () => 0 }, messages) {
  const [before, from] = [serverSeconds(), process.cpuUsage()]
  await add(messages)
  const { user, system } = process.cpuUsage(from)
  return { here: (user + system) / 1e6, server: serverSeconds() - before }
}

/** @param {{ here: number, server: number }[][]} costs */
function columnsOf(costs) {
  const median = (/** @type {(cost: { here: number, server: number }) => number} */ of) =>
    costs.map((some) => medianOf(some.map(of)).median)
  const micros = (/** @type {number} */ seconds) => (seconds * 1e6).toFixed(1)
  const perSecond = median(({ here, server }) => here + server).map((seconds) => Math.round(1 / seconds))
  return [
    { head: 'per s', values: perSecond.map((rate) => rate.toLocaleString('en-US')) },
    { head: 'µs here', values: median(({ here }) => here).map(micros) },
    { head: 'µs server', values: median(({ server }) => server).map(micros) },
  ]
}

/** @type {import('./suite.mjs').Suite} */
export const store = {
  name: 'store',
  title: 'store verified bundles',
  rows: '',
  cells: [],
  contenders: [],
  open: async () => ({}),
  prepare: () => {
    if (installedPostgres() === undefined) throw new Error('expected PostgreSQL: npm test installs it')
  },
  more: rates,
  columns: 'rate',
  ratios: [],
  charts: [],
  published: undefined,
}
