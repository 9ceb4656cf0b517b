// Annotates each line of its input, and keeps the messages on the disk
// until the broker has acknowledged them.
//
//   read-sensor | node gateway.mjs

import { createInterface } from 'node:readline'
import { mqtt, openSdk, readKey, source } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'

const {
  BROKER = 'ws://localhost:9001',
  TOPIC = 'readings',
  PRIVATE_KEY = 'private.key',
} = process.env
const { STORE = './outbox', DELAY_MS = '10000' } = process.env

const sdk = await openSdk({
  signingKey: await readKey(PRIVATE_KEY),
  annotators: [source()],
  // one signature and one write to the disk for many readings
  batch: { maxBundles: 60, maxDelayMs: Number(DELAY_MS) },
  stream: outbox({
    stream: mqtt({ url: BROKER, topic: TOPIC }),
    store: STORE,
    // when the outbox is full, the gateway stops reading
    maxBytes: 64 * 1024 * 1024,
  }),
})
const ending = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'])
  process.once(name, () => ending.abort())
const { signal } = ending

const encoder = new TextEncoder()
let stored = 0
const lines = createInterface({ input: process.stdin, signal })
for await (const reading of lines) {
  // on SIGINT or SIGTERM, do not wait: `create` reports errors
  await sdk.ready({ signal }).catch(() => {})
  sdk.create(encoder.encode(reading)).then(
    () => (stored += 1),
    (error) => {
      console.error(`not annotated: ${error.code} ${error.message}`)
      process.exitCode = 1
      ending.abort()
    },
  )
}
process.stdin.destroy() // more input would keep the process running
await sdk.close()
console.log(`stored ${stored} readings`)
