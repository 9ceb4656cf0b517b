// Imports 100,000 rows of a CSV file into a database, with signed bundles. Then alters one row secretly and
// finds it, and extracts the bundle of another row from its batch. A separate archive behind a broker stores
// the bundle of each row by id. CI runs this:
//
//   node examples/csv-to-database/run.mjs [rows]

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { extractBundle, generateKey, Keyring, mqtt, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { startBroker } from '../broker/broker.mjs'
import { numberGiven } from '../shared/program.mjs'
import { dim, green, red } from '../shared/terminal.mjs'
import { archiver } from './archive.mjs'
import { checkStore } from './check.mjs'
import { importCsv, payloadOf } from './import.mjs'
import { Archive, Store } from './store.mjs'

const count = numberGiven(0, 100_000)
const { signingKey, verifyingKey } = generateKey()
const keyring = new Keyring([verifyingKey])
const folder = await mkdtemp(join(tmpdir(), 'alvarium-'))
const csv = join(folder, 'readings.csv')
await writeFile(csv, ['sensor,second,celsius\n', ...Array.from({ length: count }, (_, at) => line(at))])
const store = new Store(join(folder, 'database'))
const archive = new Archive(join(folder, 'archive'))
const broker = await startBroker()
const where = { url: broker.tcpUrl, topic: 'alvarium-topic' }
const sdk = await openSdk({ signingKey, annotators: [source()], stream: mqtt(where) })
const archiving = archiver({ ...where, clientId: 'archive-1', keyring }, archive)

try {
  await archiving.open()
  const archived = archiving.run(count)
  await timed('imported', () => importCsv(csv, sdk, store))
  const writes = await timed('archived by another', () => archived)
  assert.equal(await archivedRows(), count)
  console.log(`the archive has every row's bundle, by its id, written in groups: ${writes} writes`)
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
  await archiving.close()
  await sdk.close()
  await Promise.all([broker.close(), store.close(), archive.close()])
  await rm(folder, { recursive: true })
}

/** @param {number} at */
function line(at) {
  return `s-${at % 10},${at},${(20 + Math.sin(at / 1000)).toFixed(2)}\n`
}

async function archivedRows() {
  const ids = []
  for await (const { bundle } of store.rows()) ids.push(bundle)
  return (await archive.known(ids)).length
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
