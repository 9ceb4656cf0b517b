// A program that stores the messages of a topic, to be killed by store.mjs. Its subscription is durable: messages
// that are not stored are redelivered. It ends when the database is away, and is restarted, as by an operator's
// supervisor.

import { subscribe } from 'alvarium-sdk'
import { openStore } from 'alvarium-sdk/store'

const { url, topic, key, clientId, database, log } = JSON.parse(process.argv[2] ?? '{}')

const store = await openStore(database, { keyring: [key], log })
const bundles = subscribe({ url, topic, clientId, keyring: [key], prefetch: 1_000 })
process.once('SIGTERM', () => bundles.close())
await store.ingest(bundles)
await store.close()
