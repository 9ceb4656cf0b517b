// A consumer writes what comes over a broker into a database, and is killed again and again with SIGKILL while a publisher
// publishes, some of it twice. In the end each bundle is stored once. CI runs this.
//
//   node examples/database-consumer/run.mjs [bundles] [kills]
//   DATABASE=postgres://… node examples/database-consumer/run.mjs    with your own server, whose tables it adds to

import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKey, keyOf, mqtt, openSdk, source, toHex, verifyMessages } from 'alvarium-sdk'
import { startBroker } from '../broker/broker.mjs'
import { Child } from '../shared/child.mjs'
import { numberGiven } from '../shared/program.mjs'
import { dim, green, red } from '../shared/terminal.mjs'
import { startPostgres } from './server.mjs'

const count = numberGiven(0, 400)
const kills = numberGiven(1, 3)
/** As many bundles come at a time, and are stored by one transaction. */
const GROUP = 20

const folder = await mkdtemp(join(tmpdir(), 'alvarium-'))
const { signingKey, verifyingKey } = generateKey()
await writeFile(join(folder, 'public.key'), toHex(verifyingKey))
const broker = await startBroker()
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
  await broker.close()
  await server?.close()
  await rm(folder, { recursive: true })
}

/** @param {string} database */
async function play(database) {
  const name = database.startsWith('postgres') ? 'postgres' : 'sqlite'
  const start = () => startConsumer(name, database)
  let consumer = await start() // the broker must know it before the first message
  const published = publish(name)
  for (let kill = 0; kill < kills; kill++) {
    await consumer.says('stored')
    await sleep(randomInt(100)) // whatever it does then
    process.kill(/** @type {number} */ (consumer.pid), 'SIGKILL')
    await consumer.stop()
    consumer = await start()
  }
  const all = await published
  await consumer.says(all.last) // the broker keeps the order: all others came before it
  assert.equal(await consumer.stop(), 0, 'the consumer ends with exit code 0')
  await check(name, database, all)
}

/** @param {string} name @param {string} database @returns {Promise<Child>} once it listens */
async function startConsumer(name, database) {
  const env = { DATABASE: database, BROKER: broker.url, TOPIC: name, PUBLIC_KEY: join(folder, 'public.key') }
  const child = new Child(new URL('consumer.mjs', import.meta.url), {
    ...env,
    CLIENT_ID: name,
    GROUP: `${GROUP}`,
  })
  child.on('line', (line) => console.log(dim(`${name.padEnd(8)}  ${line}`)))
  await child.says('listening')
  return child
}

/** Half of the bundles alone, half in batches, some messages twice. @param {string} topic @returns what `check` looks for */
async function publish(topic) {
  const stream = mqtt({ url: broker.url, topic })
  const sdk = await openSdk({ signingKey, annotators: [source()], stream })
  const payloads = Array.from({ length: count }, () => randomBytes(16))
  const ids = []
  for (let at = 0; at < count; at += GROUP) {
    const some = payloads.slice(at, at + GROUP)
    const batched = await sdk.createMany(some.slice(0, GROUP / 2))
    const alone = await Promise.all(some.slice(GROUP / 2).map((payload) => sdk.create(payload)))
    ids.push(...[...batched, ...alone].map(({ id }) => id))
    for (const { message } of [...batched.slice(0, 1), ...alone.slice(0, 1)]) await stream.publish(message)
  }
  const { id: last } = await sdk.create(randomBytes(16))
  await sdk.close()
  return { payloads, ids, last }
}

/** @param {string} name @param {string} database @param {{ payloads: Uint8Array[], ids: string[] }} published */
async function check(name, database, { payloads, ids }) {
  const { openStore } = await import(`./${name}.mjs`)
  const store = await openStore(database)
  const stored = []
  const messages = new Map()
  for (const payload of payloads) {
    const key = keyOf(payload)
    stored.push(...(await store.said('sha256', key)).map(({ id }) => id))
    for (const message of await store.evidence('sha256', key)) messages.set(toHex(message), message)
  }
  await store.close()
  assert.deepEqual(stored, ids) // each once: not twice, and none is missing
  const outcomes = await verifyMessages([...messages.values()], { keyring: [verifyingKey] })
  assert.ok(outcomes.every(({ status }) => status === 'fulfilled'))
  const what = `${stored.length} bundles are stored once each, in ${messages.size} messages that verify again`
  console.log(`${name}: after ${kills} kills, ${what}`)
}
