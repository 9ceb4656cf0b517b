// Verifier of the cluster: a durable subscription to its share of the topics, at any running node.
// Unacknowledged messages are redelivered, if necessary by another node, and `dedup` drops repeated ones.

import { cpuUsage } from 'node:process'
import { subscribe } from 'alvarium-sdk'

const { urls, topics, clientId, verifyingKey } = JSON.parse(process.argv[2] ?? '{}')
const bundles = subscribe({
  url: urls,
  topic: topics,
  clientId,
  keyring: [verifyingKey],
  dedup: { max: 1_000_000, ttlMs: 3_600_000 },
})
bundles.addEventListener('rejected', ({ error }) => process.send?.({ rejected: error.message }))
process.once('disconnect', () => bundles.close())
await bundles.open()
process.send?.({ verified: 0 })

const before = cpuUsage()
let verified = 0
for await (const _ of bundles) {
  verified++
  if (verified % 1000 > 0) continue
  const { user, system } = cpuUsage(before)
  process.send?.({ verified, micros: (user + system) / verified })
}
