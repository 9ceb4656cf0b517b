// Calls as often as it is told, in lanes that wait each for its own call.

import { cpuUsage } from 'node:process'
import { mqtt, openSdk } from 'alvarium-sdk'
import { connectAsync } from 'mqtt'
import { OnceSdk } from '../baselines/once.mjs'
import { plain, replicated } from '../contenders.mjs'
import { inTurn, payloadsOf } from '../suites/suite.mjs'

/** @typedef {{ url: string, seed: string, batch: number, by: 'ours' | 'once', calls: number, warmUp: number }} Options */

const TOPIC = 'alvarium/sizing'
const ANNOTATORS = 5
/** Messages on their way. */
const IN_FLIGHT = 64

/** @type {Options} */
const { url, seed, batch, by, calls, warmUp } = JSON.parse(process.argv[2] ?? '{}')
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
  // Two batches more than are on their way keep being filled meanwhile.
  await Promise.all(Array.from({ length: batch === 1 ? IN_FLIGHT : 8 * batch }, lane))
}

async function ours() {
  return openSdk({
    signingKey: { seed },
    annotators: replicated(ANNOTATORS),
    stream: mqtt({ url, topic: TOPIC, maxInFlight: IN_FLIGHT }),
    ...(batch > 1 && { batch: { maxBundles: batch } }),
  })
}

async function once() {
  const client = await connectAsync(url)
  const publish = (/** @type {Uint8Array} */ message) =>
    client.publishAsync(TOPIC, /** @type {Buffer} */ (message), { qos: 1 })
  const { signingKey } = await keyOfSeed()
  const sdk = new OnceSdk({ signingKey, annotators: plain(ANNOTATORS), stream: { publish } })
  return {
    create: (/** @type {Uint8Array} */ payload) => sdk.create(payload),
    close: () => client.endAsync(),
  }
}

/** Seed and public key, as the baseline takes them. */
async function keyOfSeed() {
  const { createPrivateKey, createPublicKey } = await import('node:crypto')
  const der = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.from(seed, 'hex'),
  ])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32)
  return { signingKey: new Uint8Array(Buffer.concat([Buffer.from(seed, 'hex'), publicKey])) }
}
