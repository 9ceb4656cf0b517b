// A subscriber in a process that tests kill. It appends the id of each bundle to a file, which is also its record of
// processed bundles.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { subscribe } from 'alvarium-sdk'

const { url, verifyingKey, file } = JSON.parse(process.argv[2] ?? '')

const seen = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])
const store = {
  has: (/** @type {string} */ id) => seen.has(id),
  add: (/** @type {string} */ id) => seen.add(id),
}
const where = { url, topic: 'killed', clientId: 'survivor', keyring: [verifyingKey] }
for await (const { id } of subscribe({ ...where, dedup: { store } })) appendFileSync(file, `${id}\n`)
