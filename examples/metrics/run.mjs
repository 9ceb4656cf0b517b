// Publishes to a broker that stops for a while, and serves the SDK's statistics to Prometheus. CI runs this:
//
//   node examples/metrics/run.mjs

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { generateKey, mqtt, openSdk, source } from 'alvarium-sdk'
import { startBroker } from '../broker/broker.mjs'
import { green } from '../shared/terminal.mjs'
import { prometheus } from './prometheus.mjs'

const payload = new TextEncoder().encode('{"celsius":21.4}')
const broker = await startBroker()
const stream = mqtt({ url: broker.url, topic: 'alvarium', publishTimeoutMs: 1000 })
const sdk = await openSdk({ signingKey: generateKey().signingKey, annotators: [source()], stream })
const server = createServer((_request, response) => {
  response.setHeader('Content-Type', 'text/plain; version=0.0.4')
  response.end(prometheus(sdk.stats()))
}).listen(0, '127.0.0.1')
await once(server, 'listening')

try {
  for (let call = 0; call < 100; call++) {
    await sdk.ready()
    await sdk.create(payload)
  }
  await broker.close()
  await assert.rejects(sdk.create(payload), { code: 'STREAM_TIMEOUT' })
  const text = await scrape()
  console.log(text)
  assert.match(text, /^alvarium_messages_accepted_total 100$/m)
  assert.match(text, /^alvarium_stream_timed_out_total 1$/m)
  assert.match(text, /^alvarium_stream_online 0$/m)
  console.log(green('✓ everything went as expected'))
} finally {
  server.close()
  await sdk.close()
}

/** Requests the statistics, as Prometheus does every few seconds. */
async function scrape() {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  return response.text()
}
