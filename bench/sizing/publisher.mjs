// Calls as often as it is told, in lanes that wait each for its own call.

import { cpuUsage } from 'node:process'
import { mqtt, openSdk } from 'alvarium-sdk'
import { connectAsync } from 'mqtt'
import { OnceSdk } from '../baselines/once.mjs'
import { plain, replicated } from '../contenders.mjs'
import { inTurn, payloadsOf } from '../suites/suite.mjs'

/** @typedef {{ url: string, signingKey: string, batch: number, by: 'ours' | 'once', calls: number, warmUp: number }} Options */

const TOPIC = 'alvarium/sizing'
const ANNOTATORS = 5
/** Messages on their way. */
const IN_FLIGHT = 64

/** @type {Options} */
const { url, batch, by, calls, warmUp, ...given } = JSON.parse(process.argv[2] ?? '{}')
/** Seed and public key. */
const signingKey = new Uint8Array(Buffer.from(given.signingKey, 'hex'))
const next = inTurn(payloadsOf(1000, 256))
const sdk = await (by === 'ours' ? ours() : once())
/** @type {number[]} */
const took = []

await all(warmUp)
process.send?.({ word: 'warm' })
process.once('message', async () => {
  took.length = 0
  const before = cpuUsage()
  await all(calls)
  const { user, system } = cpuUsage(before)
  took.sort((one, other) => one - other)
  const [p50, p99] = [took[Math.floor(took.length / 2)], took[Math.floor(took.length * 0.99)]]
  process.send?.({ word: 'done', micros: (user + system) / calls, p50, p99 })
})
process.once('disconnect', () => sdk.close())

/** @param {number} count */
async function all(count) {
  let left = count
  const lane = async () => {
    while (left-- > 0) {
      const since = performance.now()
      await sdk.create(next())
      took.push(performance.now() - since)
    }
  }
  // As many as eight batches hold: some are on their way while others are filled.
  await Promise.all(Array.from({ length: batch === 1 ? IN_FLIGHT : 8 * batch }, lane))
}

async function ours() {
  return openSdk({
    signingKey,
    annotators: replicated(ANNOTATORS),
    stream: mqtt({ url, topic: TOPIC, maxInFlight: IN_FLIGHT }),
    ...(batch > 1 && { batch: { maxBundles: batch } }),
  })
}

async function once() {
  const client = await connectAsync(url)
  const publish = (/** @type {Uint8Array} */ message) =>
    client.publishAsync(TOPIC, /** @type {Buffer} */ (message), { qos: 1 })
  const sdk = new OnceSdk({ signingKey, annotators: plain(ANNOTATORS), stream: { publish } })
  return {
    create: (/** @type {Uint8Array} */ payload) => sdk.create(payload),
    close: () => client.endAsync(),
  }
}
