// Stores a year of bundles of 2,000 signers in PostgreSQL, month by month. Measures ingesting,
// auditing, and pruning the first month:
//
//   npm run build && node bench/store/year.mjs             240,000 bundles
//   node bench/store/year.mjs 10000000                     ten million take an hour and 10 GB of disk
//
// CPU times are those of this process and of the server, added. All messages are genuine: batches in CBOR.

import { cbor, generateKey, memory, openSdk, source } from 'alvarium-sdk'
import { openStore } from 'alvarium-sdk/store'
import pg from 'pg'
import { startPostgres } from '../../tests/store/postgres.mjs'
import { secondsOf } from './process-cpu.mjs'

const MONTHS = 12
const SIGNERS = 2_000
const DAY_MS = 86_400_000
const [argument = '240000'] = process.argv.slice(2)
const A_MONTH_EACH = Math.ceil(Number(argument) / MONTHS / SIGNERS)
if (!(A_MONTH_EACH > 0)) throw new Error(`expected a number of bundles, got ${argument}`)
const START_MS = Date.now() - MONTHS * 30 * DAY_MS

const encoder = new TextEncoder()
const keys = Array.from({ length: SIGNERS }, generateKey)
const server = await startPostgres('oldest', { isDurable: true })
const log = { origin: 'example.com/year', signingKey: generateKey().signingKey, everyMs: 3_600_000 }
const keyring = keys.map(({ verifyingKey }) => verifyingKey)
const store = await openStore(server.url, { keyring, log, codec: cbor() })
try {
  console.log(row('what', 'bundles', 'CPU s', 's', 'a second of CPU'))
  const checkpoints = []
  for (let month = 0; month < MONTHS; month++) checkpoints.push(await ingestMonth(month))
  const bundles = (await store.stats()).bundles
  const last = checkpoints.at(-2)?.note
  await measure('audit of the last month', A_MONTH_EACH * SIGNERS, () => audit({ since: last }))
  await measure('prune of the first month', A_MONTH_EACH * SIGNERS, () =>
    store.prune({ before: START_MS + 30 * DAY_MS }),
  )
  await measure('audit of all', bundles, () => audit({ checkpoint: checkpoints.at(-1)?.note }))
  console.log(
    `${Math.round((await sizeInBytes()) / bundles)} bytes a bundle in the database, messages included`,
  )
} finally {
  await store.close()
  await server.stop()
}

/** Stores the messages of one month, and returns the checkpoint after it. @param {number} month */
async function ingestMonth(month) {
  const messages = await messagesOf(month)
  await measure(`ingest of month ${month + 1}`, A_MONTH_EACH * SIGNERS, async () => {
    const { rejected } = await store.ingest(messages)
    for (const code of Object.keys(rejected)) throw new Error(`expected messages that verify, got ${code}`)
  })
  return store.checkpoint()
}

/** Returns the batches of all signers, received within the month. @param {number} month */
async function messagesOf(month) {
  const messages = []
  for (const [at, { signingKey }] of keys.entries()) {
    const stream = memory()
    const sdk = await openSdk({ signingKey, annotators: [source()], codec: cbor(), stream, batch: {} })
    const payloads = Array.from({ length: A_MONTH_EACH }, (_, item) =>
      encoder.encode(`${at} ${month} ${item}`),
    )
    await sdk.createMany(payloads)
    await sdk.close()
    const receivedAt = START_MS + month * 30 * DAY_MS + Math.floor((at / SIGNERS) * 30 * DAY_MS)
    messages.push(...stream.messages.map((message) => ({ message, receivedAt })))
  }
  return messages
}

/** @param {import('alvarium-sdk/store').AuditOptions} options */
async function audit(options) {
  const { verdict, says } = await store.audit({ ...options, vkey: store.vkey })
  if (verdict !== 'proved' && verdict !== 'grown') throw new Error(says)
}

/** Runs `act`, and prints its cost. @param {string} what @param {number} bundles @param {() => Promise<unknown>} act */
async function measure(what, bundles, act) {
  const cpuBefore = cpuSeconds()
  const before = performance.now()
  await act()
  const [cpu, seconds] = [cpuSeconds() - cpuBefore, (performance.now() - before) / 1000]
  console.log(row(what, `${bundles}`, cpu.toFixed(1), seconds.toFixed(1), `${Math.round(bundles / cpu)}`))
}

/** Returns the CPU seconds of this process and of the server. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + secondsOf(server.pid())
}

async function sizeInBytes() {
  const client = new pg.Client(server.url)
  await client.connect()
  const { rows } = await client.query('select pg_database_size(current_database()) as bytes')
  await client.end()
  return Number(rows[0].bytes)
}

/** @param {string} name @param {...string} figures */
function row(name, ...figures) {
  return name.padEnd(28) + figures.map((one) => one.padStart(16)).join('')
}
