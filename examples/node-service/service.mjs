// HTTP service that annotates its readings:
//
//   BROKER_URL=ws://127.0.0.1:9001 KEY_FILE=private.key PORT=3000 node examples/node-service/service.mjs
//
// POST /readings  stores a JSON body, and annotates its arrival (transit) and its delivery (publish)
// GET  /readings  lists the stored readings

import { once } from 'node:events'
import { createServer } from 'node:http'
import { mqtt, openSdk, readKey, source, tls, tpm } from 'alvarium-sdk'
import { serviceConfig } from './config.mjs'
import { readings } from './readings.mjs'

/** Milliseconds for receiving a request. A closing service waits at most this long for a pending request. */
const REQUEST_TIMEOUT_MS = 10_000

try {
  await serve(serviceConfig())
} catch (error) {
  console.error(`service: ${error.message}`)
  process.exitCode = 1
}

/** @param {ReturnType<typeof serviceConfig>} config */
async function serve({ broker, keyFile, host, port, publishTimeoutMs }) {
  const sdk = await openSdk({
    signingKey: await readKey(keyFile),
    // `tls` answers "no" over plain HTTP. Behind `https.createServer`, the same code answers "yes".
    annotators: [source(), tls({ peerCertificate: 'optional' }), tpm()],
    stream: mqtt({ ...broker, publishTimeoutMs }),
  })
  try {
    const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, readings(sdk))
    server.listen(port, host)
    await once(server, 'listening')
    console.log(`listening on http://${host}:${/** @type {any} */ (server.address()).port}`)
    await untilAskedToEnd()
    server.close()
    server.closeIdleConnections()
    await once(server, 'close')
  } finally {
    // Close the SDK after the last request, so that it sends all messages.
    await sdk.close()
  }
}

async function untilAskedToEnd() {
  const asked = new AbortController()
  const signals = ['SIGTERM', 'SIGINT'].map((name) => once(process, name, { signal: asked.signal }))
  await Promise.race(signals)
  asked.abort()
  await Promise.allSettled(signals)
}
