// Signs with the key of a file in a pool, as a service does, erases its secrets, and then idles: for a search of its
// process memory. With `made` as second argument, it first creates the key and writes it to the file.

import { writeFileSync } from 'node:fs'
import { generateKey, memory, openSdk, readKey, source } from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'

const [path, how] = process.argv.slice(2)
const signingKey = how === 'made' ? made() : await readKey(path, { seed: how === 'seed' })
const workers = await pool({ workers: 2 })
const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory(), pool: workers })
await Promise.all(Array.from({ length: 100 }, () => sdk.create(new Uint8Array(9))))
if (how === 'open') {
  process.send?.('open')
} else {
  await sdk.close()
  await workers.close()
  signingKey.fill(0)
  process.send?.('closed')
}
setInterval(() => {}, 1000)

function made() {
  const { signingKey } = generateKey()
  writeFileSync(path, signingKey)
  return signingKey
}
