import { generateKey } from 'alvarium-sdk'
import { openStore, type Store } from 'alvarium-sdk/store'
import { serveStore } from 'alvarium-sdk/store/serve'
import { craftedBundle } from './crafted.js'
import { genuineMessages } from './messages.js'
import { keyring } from './sdk.js'

/** Log of the store, which needs one to have a checkpoint. */
export const LOG = { origin: 'example.com/store-1', signingKey: generateKey().signingKey }

/** Fills a store: with bundles, a message in quarantine, and a checkpoint. */
export async function fill(store: Store): Promise<void> {
  const messages = [...Object.values(await genuineMessages()), craftedBundle(generateKey()).message]
  await store.ingest(messages.map((message) => ({ message, receivedAt: Date.now() })))
  await store.checkpoint()
}

/** Returns what `/metrics` of a filled store serves, after some requests, one of them refused. */
export async function metricsOfStore(): Promise<string> {
  await using store = await openStore('memory:', { keyring, log: LOG })
  await fill(store)
  const token = 'a-token-that-nobody-guesses'
  const handler = serveStore(store, { token })
  const get = (path: string, given = token) =>
    handler(new Request(`http://localhost${path}`, { headers: { authorization: `Bearer ${given}` } }))
  for (const path of ['/stats', '/stats', '/bundles']) await get(path)
  await get('/stats', 'a-token-that-somebody-guesses')
  return (await get('/metrics')).text()
}
