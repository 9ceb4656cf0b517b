// Makes a number of calls in parallel lanes. Each lane waits for its own call.

import { cpuUsage } from 'node:process'
import { mqtt, openSdk } from 'alvarium-sdk'
import { connectAsync } from 'mqtt'
import { OnceSdk } from '../baselines/once.mjs'
import { plain, replicated } from '../contenders.mjs'
import { inTurn, payloadsOf } from '../suites/suite.mjs'

/**
 * @typedef {object} Options
 * @property {string} url
 * @property {string} signingKey
 * @property {number} batch
 * @property {'ours' | 'many' | 'once'} by
 * @property {number} annotators
 * @property {number} bytes
 * @property {number} calls
 * @property {number} warmUp
 */

const TOPIC = 'alvarium/sizing'
const IN_FLIGHT = 64

/** @type {Options} */
const { url, batch, by, annotators, bytes, calls, warmUp, ...given } = JSON.parse(process.argv[2] ?? '{}')
/** Private key as seed ‖ public key. */
const signingKey = new Uint8Array(Buffer.from(given.signingKey, 'hex'))
const next = inTurn(payloadsOf(bytes, 256))
const sdk = await (by === 'once' ? once() : ours())
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
  const each = by === 'many' ? batch : 1
  // Make as many calls as eight batches hold, so that some batches are in flight while others are filled.
  const lanes = batch === 1 ? IN_FLIGHT : (8 * batch) / each
  let left = count
  const lane = async () => {
    while (left > 0) {
      left -= each
      const since = performance.now()
      await called(each)
      took.push(performance.now() - since)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** @param {number} calls @returns {Promise<unknown>} */
function called(calls) {
  return calls === 1 || !('createMany' in sdk)
    ? sdk.create(next())
    : sdk.createMany(Array.from({ length: calls }, next))
}

async function ours() {
  return openSdk({
    signingKey,
    annotators: replicated(annotators),
    stream: mqtt({ url, topic: TOPIC, maxInFlight: IN_FLIGHT }),
    ...(batch > 1 && { batch: { maxBundles: batch } }),
  })
}

async function once() {
  const client = await connectAsync(url)
  const publish = (/** @type {Uint8Array} */ message) =>
    client.publishAsync(TOPIC, /** @type {Buffer} */ (message), { qos: 1 })
  const sdk = new OnceSdk({ signingKey, annotators: plain(annotators), stream: { publish } })
  return {
    create: (/** @type {Uint8Array} */ payload) => sdk.create(payload),
    close: () => client.endAsync(),
  }
}
