// An HTTP service that annotates what passes through it.
//
//   BROKER_URL=ws://127.0.0.1:9001 KEY_FILE=private.key PORT=3000 node examples/node-service/service.mjs
//
// POST /readings  takes a JSON body, keeps it, and says so to Alvarium: it arrived here, it was handed on
// GET  /readings  lists what it keeps

import { once } from 'node:events'
import { createServer } from 'node:http'
import { mqtt, openSdk, readKey, source, tls, tpm } from 'alvarium-sdk'
import { serviceConfig } from './config.mjs'
import { readings } from './readings.mjs'

/** Until a request has come in whole; also bounds how long a closing service waits for one. */
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
    // Over plain HTTP `tls` answers false; behind https.createServer the same code answers true.
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
    // After the last request, so that what it said still goes out.
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
