// Runs a consumer that writes messages from a broker into a database, and kills it repeatedly with SIGKILL. A
// publisher sends messages in the meantime, some of them twice. At the end, each bundle is stored once. CI
// runs this:
//
//   node examples/database-consumer/run.mjs [bundles] [kills]
//   DATABASE=postgres://… node examples/database-consumer/run.mjs    adds tables to your own server

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKey, keyOf, toHex, verifyMessages } from 'alvarium-sdk'
import { startBroker } from '../broker/broker.mjs'
import { Child } from '../shared/child.mjs'
import { numberGiven } from '../shared/program.mjs'
import { dim, green, red } from '../shared/terminal.mjs'
import { Publisher } from './publisher.mjs'
import { startPostgres } from './server.mjs'

const count = numberGiven(0, 400)
const kills = numberGiven(1, 3)
/** Number of bundles that are delivered together and stored in one transaction. */
const GROUP = 20

const folder = await mkdtemp(join(tmpdir(), 'alvarium-'))
const { signingKey, verifyingKey } = generateKey()
await writeFile(join(folder, 'public.key'), toHex(verifyingKey))
const broker = await startBroker()
/** @type {Child[]} */
const children = []
const own = process.env.DATABASE
const server = own === undefined ? await startPostgres() : undefined
try {
  for (const database of own ? [own] : [join(folder, 'archive.sqlite'), server?.url ?? ''])
    await play(database)
  console.log(green('✓ everything went as expected'))
} catch (error) {
  console.error(red(`✗ ${error.message}`))
  process.exitCode = 1
} finally {
  await Promise.all(children.map((child) => child.stop()))
  await broker.close()
  await server?.close()
  await rm(folder, { recursive: true })
}

/** @typedef {Awaited<ReturnType<import('./sqlite.mjs').openStore>>} Store */

/** @param {string} database */
async function play(database) {
  const name = database.startsWith('postgres') ? 'postgres' : 'sqlite'
  const start = () => startConsumer(name, database)
  let consumer = await start() // the broker must know the session before the first message
  const publisher = await Publisher.open({ url: broker.url, topic: name, signingKey, group: GROUP })
  for (let kill = 0; kill < kills; kill++) {
    const published = publisher.some(Math.max(1, Math.floor(count / (kills + 1))))
    await consumer.says('stored') // wait for a new message, because all earlier ones may be stored already
    await sleep(randomInt(100)) // kill the consumer at a random moment
    process.kill(/** @type {number} */ (consumer.pid), 'SIGKILL')
    await consumer.stop()
    await published
    consumer = await start()
  }
  const all = await publisher.rest(count)
  const { openStore } = await import(`./${name}.mjs`)
  const store = await openStore(database, { create: false })
  await untilStored(store, all.payloads) // all of them: this broker sends new messages before old ones
  assert.equal(await consumer.stop(), 0, 'the consumer ends with exit code 0')
  await check(name, store, all)
  await store.close()
}

/** @param {string} name @param {string} database @returns {Promise<Child>} resolves when it listens */
async function startConsumer(name, database) {
  const env = { DATABASE: database, BROKER: broker.url, TOPIC: name, PUBLIC_KEY: join(folder, 'public.key') }
  const child = new Child(new URL('consumer.mjs', import.meta.url), {
    ...env,
    CLIENT_ID: name,
    GROUP: `${GROUP}`,
  })
  children.push(child)
  child.on('line', (line) => console.log(dim(`${name.padEnd(8)}  ${line}`)))
  await child.says('listening')
  return child
}

/** @param {Store} store @param {Uint8Array[]} payloads */
async function untilStored(store, payloads) {
  const end = performance.now() + 60_000
  for (const payload of payloads) {
    while ((await store.said('sha256', keyOf(payload))).length === 0) {
      if (performance.now() > end) throw new Error('expected all bundles to be stored within 60 s')
      await sleep(20)
    }
  }
}

/** @param {string} name @param {Store} store @param {{ payloads: Uint8Array[], ids: string[] }} published */
async function check(name, store, { payloads, ids }) {
  const stored = []
  const messages = new Map()
  for (const payload of payloads) {
    const key = keyOf(payload)
    stored.push(...(await store.said('sha256', key)).map(({ id }) => id))
    for (const message of await store.evidence('sha256', key)) messages.set(toHex(message), message)
  }
  assert.deepEqual(stored, ids) // each bundle exactly once
  const outcomes = await verifyMessages([...messages.values()], { keyring: [verifyingKey] })
  assert.ok(outcomes.every(({ status }) => status === 'fulfilled'))
  const what = `${stored.length} bundles are stored once each, in ${messages.size} messages that verify again`
  console.log(`${name}: after ${kills} kills, ${what}`)
}
