// Strangers publish random messages to the topic of a consumer, which is restarted at random: each accepted message
// is received, or kept as a dead letter.
//
//   node tests/stray/main.mjs                  some rounds, in less than a minute
//   node tests/stray/main.mjs --full           100 rounds for each stream that keeps dead letters
//   node tests/stray/main.mjs --count 5 --seed 7 --only 'a file'
//
// The table has a line for each stream: messages accepted, received, kept as dead letters, kept without the message,
// and how often the loop ended because the stream failed. Each fault is shown with its seed. The exit code is 1 if
// there was one.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { generateKey, memory, mqtt, openSdk, source, subscribe } from 'alvarium-sdk'
import { startBroker } from '../../examples/broker/broker.mjs'
import { randomFrom } from '../damage/random.mjs'
import { KINDS } from './streams.mjs'

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    count: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
})
const count = Number(values.count ?? (values.full ? 100 : 4))
const kinds = Object.entries(KINDS).filter(([name]) => !values.only || name === values.only)
const MESSAGES = 60
const PATIENCE_MS = 60_000

const utf8 = new TextEncoder()
const [known, stranger] = [generateKey(), generateKey()]

/** @param {Uint8Array} signingKey @param {number} number */
async function signed(signingKey, number) {
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, host: 'edge-7' })
  await sdk.create(utf8.encode(`${number}`))
  await sdk.close()
  return /** @type {Uint8Array} */ (stream.messages[0])
}

/** Messages that strangers publish. @type {readonly ((random: import('../damage/random.mjs').Random, number: number) => Uint8Array | Promise<Uint8Array>)[]} */
const STRAY = [
  (random) => Uint8Array.from({ length: random(3000) }, () => random(256)),
  (random) => utf8.encode(JSON.stringify({ celsius: random(30) }, null, 2).replaceAll('\n', '\r\n')),
  () => utf8.encode('\n'),
  () => new Uint8Array(),
  (_, number) => signed(stranger.signingKey, number),
  async (random, number) => {
    const message = new Uint8Array(await signed(known.signingKey, number))
    const at = random(message.length)
    message[at] = (message[at] ?? 0) ^ (1 << random(8))
    return message
  },
]

/**
 * @param {import('./streams.mjs').Kind} kind
 * @param {import('../damage/random.mjs').Random} random
 * @param {string} folder
 * @param {string} url
 * @param {string} topic
 */
async function round(kind, random, folder, url, topic) {
  const letters = kind(folder, random)
  /** @type {Set<string>} */
  const received = new Set()
  const where = {
    url,
    clientId: topic,
    topic: `${topic}/#`,
    keyring: [known.verifyingKey],
    closeTimeoutMs: 2_000,
  }
  let bundles = subscribe({ ...where, deadLetter: letters.stream() })
  await bundles.open()
  const genuine = new Set(await published(random, url, topic))
  /** @type {Map<string, number>} */
  const told = new Map()
  let ended = 0
  const end = performance.now() + PATIENCE_MS
  while (performance.now() < end) {
    // A consumer may be stopped after any bundle: messages that it had not acknowledged are redelivered.
    const most = random(10)
    const timer = setTimeout(() => void bundles.close(), 100 + random(200))
    try {
      for await (const bundle of bundles) {
        received.add(bundle.topic)
        if (received.size % 10 === most) break
      }
    } catch (error) {
      if (error !== letters.fault) throw error
      ended++
    }
    clearTimeout(timer)
    await bundles.close()
    for (const letter of letters.read()) told.set(letter.topic, letter.message ? letter.size : -1)
    if (received.size + told.size >= MESSAGES) break
    bundles = subscribe({ ...where, deadLetter: letters.stream() })
  }
  const faults = []
  for (let number = 0; number < MESSAGES; number++) {
    const name = `${topic}/${number}`
    if (!received.has(name) && !told.has(name)) faults.push(`${number} neither received nor kept`)
    if (received.has(name) && told.has(name)) faults.push(`${number} received and kept`)
    if (received.has(name) !== genuine.has(name)) faults.push(`${number} received: ${received.has(name)}`)
  }
  const without = [...told.values()].filter((size) => size < 0).length
  return { received: received.size, told: told.size, without, ended, faults }
}

/** Publishes genuine messages and others, each to its own topic. Returns the topics of the genuine ones. */
async function published(
  /** @type {import('../damage/random.mjs').Random} */ random,
  /** @type {string} */ url,
  /** @type {string} */ topic,
) {
  const genuine = []
  for (let number = 0; number < MESSAGES; number++) {
    const isGenuine = random(3) === 0
    const stray = STRAY[random(STRAY.length)]
    const message = isGenuine || !stray ? await signed(known.signingKey, number) : await stray(random, number)
    const stream = mqtt({ url, topic: `${topic}/${number}` })
    await stream.connect()
    await stream.publish(message)
    await stream.close()
    if (isGenuine) genuine.push(`${topic}/${number}`)
  }
  return genuine
}

const root = mkdtempSync(join(tmpdir(), 'alvarium-stray-'))
const rows = new Map(
  kinds.map(([name]) => [
    name,
    { rounds: 0, accepted: 0, received: 0, kept: 0, withoutMessage: 0, ended: 0, failures: 0 },
  ]),
)
const began = performance.now()
const broker = await startBroker()
try {
  for (const [at, [name, kind]] of kinds.entries()) {
    const row = rows.get(name)
    for (let number = 0; row && number < count; number++) {
      const seed = Number(values.seed) * 100_000 + at * 1_000 + number
      const folder = mkdtempSync(join(root, 'round-'))
      const done = await round(kind, randomFrom(seed), folder, broker.url, `stray-${at}-${number}`)
      row.rounds++
      row.accepted += MESSAGES
      row.received += done.received
      row.kept += done.told
      row.withoutMessage += done.without
      row.ended += done.ended
      if (done.faults.length === 0) continue
      row.failures++
      console.log(`✗ ${name}, round ${number} (--seed ${values.seed}): ${done.faults.join(', ')}`)
    }
  }
} finally {
  await broker.close()
  rmSync(root, { recursive: true, force: true })
}
console.table(Object.fromEntries(rows))
const failures = [...rows.values()].reduce((sum, row) => sum + row.failures, 0)
console.log(`${Math.round((performance.now() - began) / 1000)} s, ${failures} failures`)
process.exitCode = failures > 0 ? 1 : 0
