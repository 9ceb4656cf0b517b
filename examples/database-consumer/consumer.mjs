// Stores each bundle of a topic exactly once. It acknowledges a group of
// bundles when the database has committed it.
//
//   DATABASE=archive.sqlite node consumer.mjs
//   DATABASE=postgres://user:password@localhost/alvarium node consumer.mjs

import { Keyring, readKey, subscribe } from 'alvarium-sdk'

const {
  BROKER = 'ws://localhost:9001',
  TOPIC = 'readings',
  PUBLIC_KEY = 'public.key',
} = process.env
const {
  DATABASE = 'archive.sqlite',
  CLIENT_ID = 'archive-1',
  GROUP = '1000',
} = process.env
const { openStore } = await import(
  DATABASE.startsWith('postgres') ? './postgres.mjs' : './sqlite.mjs'
)
const store = await openStore(DATABASE)

const bundles = subscribe({
  url: BROKER,
  topic: TOPIC,
  // the broker keeps messages for this id while the consumer is offline
  clientId: CLIENT_ID,
  keyring: new Keyring([await readKey(PUBLIC_KEY)]),
  prefetch: Number(GROUP),
  ack: 'manual',
})
bundles.addEventListener('rejected', ({ error }) =>
  console.warn('rejected:', error.code, error.message),
)

await bundles.open()
for (const name of ['SIGINT', 'SIGTERM'])
  process.once(name, () => bundles.close())
console.log(`listening to ${TOPIC} on ${BROKER}`)
const groups = bundles.groups({ max: Number(GROUP), maxMs: 100 })
for await (const group of groups) {
  // on an error the process ends; restart it, nothing is lost
  const added = await store.add(group.bundles)
  await group.ack() // only now may the broker forget these messages
  console.log(
    `stored ${added} of ${group.bundles.length} bundles, last`,
    group.bundles.at(-1)?.id,
  )
}
await store.close()
