// A program that stores what comes, to be killed by store.mjs. Durable: what is not stored comes again. It ends when the database is away,
// and is started again, as an operator's supervisor does.

import { subscribe } from 'alvarium-sdk'
import { openStore } from 'alvarium-sdk/store'

const { url, topic, key, clientId, database, log } = JSON.parse(process.argv[2] ?? '{}')

const store = await openStore(database, { keyring: [key], log })
const bundles = subscribe({ url, topic, clientId, keyring: [key], prefetch: 1_000 })
process.once('SIGTERM', () => bundles.close())
await store.ingest(bundles)
await store.close()
