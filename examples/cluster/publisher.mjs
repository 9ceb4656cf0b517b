// Publisher of the cluster: annotates a number of payloads in batches, through any running node. The outbox
// keeps messages that no node has acknowledged, and publishes them again.

import { cpuUsage } from 'node:process'
import { mqtt, openSdk, source } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'

const { urls, topic, seed, folder, calls } = JSON.parse(process.argv[2] ?? '{}')
const IN_FLIGHT = 2000
const encoder = new TextEncoder()

const sdk = await openSdk({
  signingKey: { seed },
  annotators: [source()],
  stream: outbox({ stream: mqtt({ url: urls, topic }), store: folder, closeTimeoutMs: 120_000 }),
  batch: { maxBundles: 64, maxDelayMs: 20 },
})
const before = cpuUsage()
let next = 0
const lane = async () => {
  while (next < calls) {
    await sdk.create(encoder.encode(`${topic} ${next++}`))
    if (next % 1000 === 0) process.send?.({ published: next })
  }
}
await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
const { user, system } = cpuUsage(before)
await sdk.close()
process.send?.({ published: calls, micros: (user + system) / calls })
process.disconnect?.()
