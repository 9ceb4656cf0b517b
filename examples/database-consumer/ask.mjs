// Shows the annotations of a payload with their signers, and verifies
// the stored messages again.
//
//   DATABASE=archive.sqlite node ask.mjs reading.json

import { readFile } from 'node:fs/promises'
import { keyOf, readKey, verifyMessages } from 'alvarium-sdk'

const { DATABASE = 'archive.sqlite', PUBLIC_KEY = 'public.key' } =
  process.env
const { openStore } = await import(
  DATABASE.startsWith('postgres') ? './postgres.mjs' : './sqlite.mjs'
)
// fail on a typo in the name instead of creating an empty store
const store = await openStore(DATABASE, { create: false })
const key = keyOf(await readFile(process.argv[2] ?? 'reading.json'))

const statements = await store.said('sha256', key)

for (const { signer, action, host, kind, is_satisfied } of statements)
  console.log(signer, action, host, kind, Boolean(is_satisfied))
const messages = await store.evidence('sha256', key)
const outcomes = await verifyMessages(messages, {
  keyring: [await readKey(PUBLIC_KEY)],
})
const count = outcomes.filter(({ status }) => status === 'fulfilled').length
console.log(`${count} of ${messages.length} stored messages verify`)
process.exitCode = count < messages.length ? 1 : 0
await store.close()
