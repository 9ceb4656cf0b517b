// A hundred thousand rows of a CSV into a database, each with evidence of who has put it there; then a row is altered behind
// everybody's back, and found; and the evidence of another is handed on alone. CI runs this.
//
//   node examples/csv-to-database/run.mjs [rows]

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { extractBundle, generateKey, Keyring, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { dim, green, red } from '../shared/terminal.mjs'
import { checkStore } from './check.mjs'
import { importCsv, payloadOf } from './import.mjs'
import { Store } from './store.mjs'

const count = Number(process.argv[2] ?? 100_000)
const { signingKey, verifyingKey } = generateKey()
const keyring = new Keyring([verifyingKey])
const folder = await mkdtemp(join(tmpdir(), 'alvarium-'))
const csv = join(folder, 'readings.csv')
await writeFile(csv, ['sensor,second,celsius\n', ...Array.from({ length: count }, (_, at) => line(at))])
const store = new Store(join(folder, 'database'))
// The messages go where the rows go, and nowhere else: there is nothing to publish.
const sdk = await openSdk({ signingKey, annotators: [source()], stream: { publish: () => {} } })

try {
  await timed('imported', () => importCsv(csv, sdk, store))
  assert.deepEqual(await timed('verified', checkAll), { genuine: count, altered: [] })

  const forged = '{"sensor":"s-7","second":"7","celsius":"99.9"}'
  await store.forge(7, forged)
  assert.deepEqual(await timed('verified, one of them altered', checkAll), {
    genuine: count - 1,
    altered: [forged],
  })

  const { text, batch, place } = await store.row(count - 1)
  const evidence = extractBundle(await store.message(batch), place)
  const { signer } = await verifyMessage(evidence, { keyring, payload: payloadOf(text) })
  console.log(`evidence of the last row alone: ${evidence.length} bytes, signed by ${signer}`)
  console.log(green('✓ everything went as expected'))
} catch (error) {
  console.error(red(`✗ ${error.message}`))
  process.exitCode = 1
} finally {
  await sdk.close()
  await store.close()
  await rm(folder, { recursive: true })
}

/** @param {number} at */
function line(at) {
  return `s-${at % 10},${at},${(20 + Math.sin(at / 1000)).toFixed(2)}\n`
}

function checkAll() {
  return checkStore(store, keyring)
}

/** @template T @param {string} what @param {() => Promise<T>} work @returns {Promise<T>} */
async function timed(what, work) {
  const start = performance.now()
  const done = await work()
  const seconds = (performance.now() - start) / 1000
  console.log(`${count.toLocaleString('en-US')} rows ${what} ${dim(`in ${seconds.toFixed(1)} s`)}`)
  return done
}
