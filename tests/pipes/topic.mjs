// Pipelines that receive messages from a topic under a client id.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  generateKey,
  memory,
  openDeadLetter,
  openSdk,
  source,
  verifyBatch,
  verifyMessage,
} from 'alvarium-sdk'
import mqtt from 'mqtt'
import { startBroker } from '../../examples/broker/broker.mjs'
import { runAndKill, start } from './command.mjs'

const COMMAND = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const utf8 = new TextEncoder()
/** Messages that are published for each kill. */
const MESSAGES = 120
const MAX_BATCH = 40
/** Maximum time of a run until its kill: the start needs most of a second. */
const MAX_RUN_MS = 2_500
/** Time without an acknowledgement after which missing messages count as lost. */
const PATIENCE_MS = 6_000

/**
 * @typedef {object} Place
 * @property {readonly string[]} args of the command
 * @property {string} path of a file that grows
 * @property {() => readonly Uint8Array[]} read messages, when no command runs
 */
/** @typedef {(folder: string, where: { url: string, topic: string }) => Place} PlaceIn */

/** @type {PlaceIn} */
export function archiveOf(folder, { url, topic }) {
  const path = join(folder, 'archive.ndjson')
  return {
    args: ['listen', url, topic, '--raw', '--out', path],
    path,
    read: () => linesIn(path),
  }
}

/** @type {PlaceIn} */
export function storeOf(folder, { url, topic }) {
  const database = join(folder, 'store')
  execFileSync(process.execPath, [COMMAND, 'store', 'init', '--database', database])
  return {
    args: ['store', 'ingest', '--url', url, '--topic', topic, '--database', database],
    path: join(folder, 'dead.ndjson'),
    read() {
      const exported = join(folder, 'exported.ndjson')
      const args = [COMMAND, 'store', 'export', '--database', database]
      writeFileSync(exported, execFileSync(process.execPath, args, { maxBuffer: 2 ** 30 }))
      return linesIn(exported)
    },
  }
}

/** @param {string} path */
function linesIn(path) {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  if (lines.pop() !== '') throw new Error(`${path} ends with a torn line`)
  return lines.map((line) => utf8.encode(line))
}

/**
 * Publishes messages, some of them altered, while a command receives them and is killed again and again.
 *
 * @param {PlaceIn} placeIn
 * @param {number} kills
 * @param {import('../damage/random.mjs').Random} random
 * @param {string} folder
 */
export async function topicThroughKills(placeIn, kills, random, folder) {
  const { signingKey, verifyingKey } = generateKey()
  const key = join(folder, 'public.key')
  writeFileSync(key, Buffer.from(verifyingKey).toString('hex'))
  const broker = await startBroker()
  const publisher = await mqtt.connectAsync(broker.tcpUrl)
  const letters = join(folder, 'dead.ndjson')
  const { args, path, read } = placeIn(folder, { url: broker.url, topic: 'pipes/#' })
  const named = [...args, '--key', key, '--client-id', 'keeper', '--dead-letters', letters]
  try {
    const accepted = { ids: new Set(), altered: new Set() }
    // The broker keeps messages from the first subscription on.
    await subscribeOnce(broker, start(named))
    for (let kill = 0; kill < kills; kill++) {
      const publishing = publish(publisher, signingKey, random, kill, accepted)
      await runAndKill(named, random, path, MAX_RUN_MS, once(broker.aedes, 'subscribe'))
      await publishing
    }
    await takeTheRest(broker, named)
    const { received, repeated, faults } = await bundlesIn(read(), verifyingKey)
    const told = toldIn(letters)
    for (const id of received) if (!accepted.ids.has(id)) faults.push(`${id} was not published`)
    return {
      accepted: accepted.ids.size + accepted.altered.size,
      received: received.size,
      told: [...accepted.altered].filter((topic) => told.has(topic)).length,
      repeated,
      faults,
    }
  } finally {
    await publisher.endAsync()
    await broker.close()
  }
}

/** Ends the command when the broker has its subscription. */
async function subscribeOnce(
  /** @type {Awaited<ReturnType<typeof startBroker>>} */ { aedes },
  /** @type {ReturnType<typeof start>} */ { child, ended },
) {
  await Promise.race([once(aedes, 'subscribe'), ended])
  child.kill('SIGKILL')
  await ended
}

/** Publishes single bundles, batches and altered messages, each to its own topic. */
async function publish(
  /** @type {import('mqtt').MqttClient} */ client,
  /** @type {Uint8Array} */ signingKey,
  /** @type {import('../damage/random.mjs').Random} */ random,
  /** @type {number} */ round,
  /** @type {{ ids: Set<string>, altered: Set<string> }} */ accepted,
) {
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream })
  for (let number = 0; number < MESSAGES; number++) {
    const count = random(8) === 0 ? 2 + random(MAX_BATCH) : 1
    const payloads = Array.from({ length: count }, (_, at) => utf8.encode(`${round} ${number} ${at}`))
    const receipts = await sdk.createMany(payloads)
    const message = /** @type {Uint8Array} */ (stream.messages.at(-1))
    const topic = `pipes/${round}-${number}`
    const isAltered = random(10) === 0
    await client.publishAsync(topic, Buffer.from(isAltered ? alter(message) : message), { qos: 1 })
    if (isAltered) accepted.altered.add(topic)
    else for (const { id } of receipts) accepted.ids.add(id)
  }
  await sdk.close()
}

/** @param {Uint8Array} message */
function alter(message) {
  return utf8.encode(new TextDecoder().decode(message).replaceAll('"create"', '"mutate"'))
}

/** Runs the command until it acknowledges nothing more, and stops it as Ctrl-C does. */
async function takeTheRest(
  /** @type {Awaited<ReturnType<typeof startBroker>>} */ { aedes },
  /** @type {readonly string[]} */ args,
) {
  const listens = once(aedes, 'subscribe')
  const { child, ended } = start(args)
  await Promise.race([listens, ended])
  let last = performance.now()
  aedes.on('ack', () => {
    last = performance.now()
  })
  while (performance.now() - last < PATIENCE_MS) await sleep(100)
  child.kill('SIGINT')
  const { code, said } = await ended
  // Some messages were altered, so the outcome is no.
  if (code !== 130 && code !== 1) throw new Error(`the last run ended with ${code}: ${said}`)
}

async function bundlesIn(
  /** @type {readonly Uint8Array[]} */ messages,
  /** @type {Uint8Array} */ verifyingKey,
) {
  const [received, faults] = [new Set(), /** @type {string[]} */ ([])]
  let repeated = 0
  for (const [at, message] of messages.entries()) {
    try {
      for (const { id } of await verify(message, [verifyingKey])) {
        if (received.has(id)) repeated++
        received.add(id)
      }
    } catch (error) {
      faults.push(`line ${at + 1} does not verify: ${error}`)
    }
  }
  return { received, repeated, faults }
}

async function verify(/** @type {Uint8Array} */ message, /** @type {Uint8Array[]} */ keyring) {
  const isBatch = new TextDecoder().decode(message).includes('"alvarium.AnnotationBatch/1"')
  return isBatch ? verifyBatch(message, { keyring }) : [await verifyMessage(message, { keyring })]
}

/** Reads the topics of dead letters. Lines that a kill has torn are skipped. @param {string} path */
function toldIn(path) {
  const topics = new Set()
  for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
    try {
      topics.add(openDeadLetter(utf8.encode(line)).topic)
    } catch {}
  }
  return topics
}
