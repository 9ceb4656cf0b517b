// Measures a gateway's memory and flash use, as bytes written to disk per reading, on Linux. CI runs this:
//
//   node --max-semi-space-size=1 examples/iot-gateway/measure.mjs [readings]

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { generateKey, openSdk, source } from 'alvarium-sdk'
import { file } from 'alvarium-sdk/file'
import { outbox } from 'alvarium-sdk/outbox'
import { numberGiven } from '../shared/program.mjs'

const count = numberGiven(0, 600)
const { signingKey } = generateKey()
// Use the current folder, because /tmp may be in memory.
const folder = await mkdtemp(join(process.cwd(), 'gateway-'))
const accepting = { publish: async () => {} }
const silent = { publish: () => new Promise(() => {}) }
/** Short timeouts, because pending acknowledgements would keep the process alive until they time out. */
const SHORT = { streamTimeoutMs: 2_000, closeTimeoutMs: 1 }

try {
  const ways = {
    'outbox, broker connected': (store) => outbox({ stream: accepting, store }),
    'outbox, broker away': (store) => outbox({ stream: silent, store, ...SHORT }),
    'file()': (path) => file({ path }),
  }
  const rows = []
  for (const together of [1, 10, 60])
    for (const [stream, make] of Object.entries(ways))
      rows.push({ stream, together, ...(await cost(make(join(folder, `${rows.length}`)), together)) })
  console.table(rows)
  console.log(`memory of this process: ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MiB`)
} finally {
  await rm(folder, { recursive: true })
}

/** @param {import('alvarium-sdk').StreamProvider} stream @param {number} together readings per message */
async function cost(stream, together) {
  const batch = together > 1 ? { batch: { maxBundles: together, maxDelayMs: 10_000 } } : {}
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, ...batch })
  const before = await writtenBytes()
  for (let at = 0; at < count; at += together) {
    const readings = Array.from({ length: together }, (_, place) => `{"celsius":${20 + (at + place) / 100}}`)
    await Promise.all(readings.map((reading) => sdk.create(new TextEncoder().encode(reading))))
  }
  await sdk.close()
  const bytes = Math.round(((await writtenBytes()) - before) / count)
  return { 'bytes for each reading': bytes, 'MB a day, at one a second': Math.round((bytes * 86_400) / 1e6) }
}

/** Returns the number of bytes that this process has written to disk. */
async function writtenBytes() {
  const [, bytes] = /^write_bytes: (\d+)/m.exec(await readFile('/proc/self/io', 'utf8')) ?? []
  return Number(bytes)
}
