// One broker, one publisher, one subscriber and a witness; all but the witness are killed again and again.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKey, toHex } from 'alvarium-sdk'
import mqtt from 'mqtt'
import { Child } from './child.mjs'
import { Ledger } from './ledger.mjs'

const TOPIC = 'alvarium/soak'
const IN_FLIGHT = 64
/** Time without an arrival after which missing messages count as lost. */
const PATIENCE_MS = 30_000

/**
 * @typedef {object} Fault
 * @property {number} at seconds since the start
 * @property {string} what
 * @property {number} promised calls that had resolved by then
 * @property {number} back seconds until the next call resolved, or the next bundle came
 */

/**
 * @param {import('./setups.mjs').Setup} setup
 * @param {{ calls: number, kills: number, seconds: number }} effort each is struck `kills` times; at least so many calls and seconds
 * @param {(text: string) => void} say
 */
export async function run(setup, effort, say) {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-soak-'))
  const ledger = new Ledger()
  const { signingKey, verifyingKey } = generateKey()
  const witness = await witnessOf(setup, ledger)
  const publisher = new Child(
    'publisher.mjs',
    // Calls in progress at the kill may have been stored: their numbers are not used again.
    () => ({
      ...where(setup.publishTo),
      folder,
      key: toHex(signingKey).slice(0, 64),
      from: ledger.last + 1 + 2 * IN_FLIGHT,
    }),
    (word, ...rest) => ledger.published(word, ...rest),
  )
  const subscriber = new Child(
    'subscriber.mjs',
    () => ({ ...where(setup.subscribeTo), clientId: 'soak-subscriber', key: toHex(verifyingKey) }),
    (word, ...rest) => ledger.received(word, ...rest),
  )
  try {
    subscriber.start()
    await until(() => ledger.isListening)
    const start = performance.now()
    publisher.start()
    const faults = await strikes(setup, { publisher, subscriber, ledger, start }, effort, say)
    await publisher.stop()
    await settled(ledger)
    const seconds = (performance.now() - start) / 1000
    await subscriber.stop()
    return { ledger, faults, seconds }
  } finally {
    await Promise.all([publisher.kill(), subscriber.kill(), witness.endAsync(true)])
    await rm(folder, { recursive: true, force: true })
  }
}

/** @param {string | string[]} url */
const where = (url) => ({ url, topic: TOPIC, inFlight: IN_FLIGHT })

/** Starts a plain mqtt.js client that keeps its session. @param {import('./setups.mjs').Setup} setup @param {Ledger} ledger */
async function witnessOf({ witnessAt }, ledger) {
  const servers = witnessAt.map((url) => {
    const { hostname, port } = new URL(url)
    return { host: hostname, port: Number(port), protocol: /** @type {const} */ ('mqtt') }
  })
  const client = mqtt.connect({
    servers,
    clientId: 'soak-witness',
    clean: false,
    protocolVersion: 4,
    reconnectPeriod: 200,
  })
  client.on('error', () => {}) // The client tries again.
  client.on('message', (_, message) => {
    const { content } = JSON.parse(message.toString())
    ledger.witness.add(content.key, content.signature)
  })
  // Nodes that have just met refuse clients until they have elected a leader.
  for (let attempt = 1; ; attempt++) {
    try {
      await client.subscribeAsync(TOPIC, { qos: 1 })
      return client
    } catch (error) {
      if (attempt === 60) throw error
      await sleep(500)
    }
  }
}

/**
 * Kills publisher, subscriber and broker in turn, spread over the calls and the time.
 *
 * @param {import('./setups.mjs').Setup} setup
 * @param {{ publisher: Child, subscriber: Child, ledger: Ledger, start: number }} running
 * @param {{ calls: number, kills: number, seconds: number }} effort
 * @param {(text: string) => void} say
 */
async function strikes({ strike, struck }, { publisher, subscriber, ledger, start }, effort, say) {
  const again = (/** @type {Child} */ child) => async () => {
    await child.kill()
    child.start()
  }
  /** @type {[what: string, act: (turn: number) => Promise<void>, count: () => number][]} */
  const targets = [
    ['publisher, kill -9', again(publisher), () => ledger.promised.size],
    ['subscriber, kill -9', again(subscriber), () => ledger.subscriber.arrivals],
    ...(strike ? [/** @type {const} */ ([struck, strike, () => ledger.delivered])] : []),
  ]
  const total = targets.length * effort.kills
  /** @type {Fault[]} */
  const faults = []
  const isDue = (/** @type {number} */ share) =>
    ledger.promised.size >= share * effort.calls && performance.now() - start >= share * effort.seconds * 1000
  for (let turn = 0; turn < total; turn++) {
    await until(() => isDue((turn + 1) / (total + 1)))
    const [what, act, count] = /** @type {typeof targets[number]} */ (targets[turn % targets.length])
    const [at, promised] = [performance.now(), ledger.promised.size]
    await act(Math.floor(turn / targets.length))
    const before = count()
    await until(() => count() > before)
    const fault = { at: (at - start) / 1000, what, promised, back: (performance.now() - at) / 1000 }
    faults.push(fault)
    say(
      `${fault.at.toFixed(1).padStart(8)} s  ${what.padEnd(20)} after ${promised} calls, back in ${fault.back.toFixed(1)} s`,
    )
  }
  await until(() => isDue(1))
  return faults
}

/** Waits until all promised messages have arrived, or no more do. @param {Ledger} ledger */
async function settled(ledger) {
  const all = [ledger.witness, ledger.subscriber]
  const isWhole = () => all.every((seen) => ledger.lostBy(seen) === 0)
  const isQuiet = () => all.every(({ lastAt }) => performance.now() - lastAt > PATIENCE_MS)
  while (!isWhole() && !isQuiet()) await sleep(500)
}

/** @param {() => boolean} isSo */
async function until(isSo) {
  const start = performance.now()
  while (!isSo()) {
    if (performance.now() - start > 600_000) throw new Error('nothing has happened for ten minutes')
    await sleep(5)
  }
}
