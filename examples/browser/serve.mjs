// Starts a broker and Vite's dev server, and prints the address of the page:
//
//   node examples/browser/serve.mjs

import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'
import { startBroker } from '../broker/broker.mjs'

const broker = await startBroker()
const server = await createServer({ configFile: fileURLToPath(new URL('vite.config.js', import.meta.url)) })
await server.listen()
const [address] = server.resolvedUrls?.local ?? []
console.log(`Open ${address}?broker=${encodeURIComponent(broker.url)}\nCtrl-C ends both.`)

for (const name of ['SIGINT', 'SIGTERM']) {
  process.once(name, async () => {
    await server.close()
    await broker.close()
  })
}
