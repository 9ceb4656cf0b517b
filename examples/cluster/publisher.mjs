// One of the publishers: annotates as many payloads as it is told to, in batches, by way of any node that is up.

import { cpuUsage } from 'node:process'
import { mqtt, openSdk, source } from 'alvarium-sdk'

const { urls, topic, seed, calls } = JSON.parse(process.argv[2] ?? '{}')
const IN_FLIGHT = 2000
const encoder = new TextEncoder()

const sdk = await openSdk({
  signingKey: { seed },
  annotators: [source()],
  // Longer than it takes a cluster to find that a node is gone.
  stream: mqtt({ url: urls, topic, publishTimeoutMs: 120_000 }),
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
