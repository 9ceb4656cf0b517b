// A broker without persistence is restarted again and again, and forgets its subscriber each time. Publisher and
// subscriber reconnect in random order, and the publisher is restarted too. Each accepted call must arrive.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKey, mqtt, openSdk, source, subscribe } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { startMosquitto } from '../../examples/broker/mosquitto.mjs'
import { randomFrom } from '../damage/random.mjs'

const TOPIC = 'forgetful'
/** Time for the messages of a round to arrive, in milliseconds. */
const ARRIVAL_MS = 60_000

/**
 * @typedef {object} Forgetfulness
 * @property {number} rounds
 * @property {number} seed
 * @property {number} accepted calls
 * @property {number} received of them
 * @property {number} duplicates that came more than once
 * @property {boolean} isHeld whether all arrived
 */

/**
 * Restarts a broker so many times.
 *
 * @param {{ rounds: number, seed: number }} effort
 * @returns {Promise<Forgetfulness>}
 */
export async function forgetfulness({ rounds, seed }) {
  const random = randomFrom(seed)
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-forgetful-'))
  const broker = await startMosquitto({ config: ['max_queued_messages 0'] })
  const { signingKey, verifyingKey } = generateKey()
  const where = { url: broker.tcpUrl, topic: TOPIC }
  const publisher = new Publisher(() =>
    openSdk({
      signingKey,
      annotators: [source()],
      stream: outbox({ stream: mqtt({ ...where, closeTimeoutMs: 500 }), store: folder, closeTimeoutMs: 500 }),
    }),
  )
  const subscriber = new Subscriber(() =>
    subscribe({ ...where, clientId: 'archive', keyring: [verifyingKey] }),
  )
  try {
    // First contact: from now on the outbox knows that the topic has a subscriber.
    await subscriber.open()
    await publisher.open()
    await publisher.call(1)
    await arrival(publisher, subscriber)
    for (let round = 0; round < rounds; round++) {
      await restart({ broker, publisher, subscriber, random })
      await publisher.call(random(20))
      await arrival(publisher, subscriber)
    }
    const [accepted, received] = [publisher.ids.size, missing(publisher, subscriber).length]
    const counts = { accepted, received: accepted - received, duplicates: subscriber.duplicates }
    return { rounds, seed, ...counts, isHeld: received === 0 }
  } finally {
    await publisher.close()
    await subscriber.close()
    await broker.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Kills a broker and starts it again. @param {{ broker: import('../../examples/broker/mosquitto.mjs').Mosquitto, publisher: Publisher, subscriber: Subscriber, random: import('../damage/random.mjs').Random }} parts */
async function restart({ broker, publisher, subscriber, random }) {
  const isSubscriberAway = random(2) === 0
  const isPublisherRestarted = random(3) === 0
  if (isSubscriberAway) await subscriber.close()
  await (random(2) === 0 ? broker.kill() : broker.terminate())
  await publisher.call(random(50))
  if (isPublisherRestarted) {
    await publisher.close()
    await publisher.open()
  }
  await broker.start()
  await publisher.call(random(10))
  if (!isSubscriberAway) return
  await sleep(random(1_500))
  await subscriber.open()
}

/** The calls of an SDK that is opened again and again. */
class Publisher {
  /** Ids of accepted calls. @type {Set<string>} */
  ids = new Set()
  #make
  /** @type {import('alvarium-sdk').Sdk | undefined} */
  #sdk
  /** @param {() => Promise<import('alvarium-sdk').Sdk>} make */
  constructor(make) {
    this.#make = make
  }

  async open() {
    this.#sdk = await this.#make()
  }

  async close() {
    await this.#sdk?.close()
  }

  /** @param {number} count */
  async call(count) {
    for (let number = 0; number < count; number++) {
      const receipt = await this.#sdk?.create(new TextEncoder().encode(`${this.ids.size}`))
      if (receipt) this.ids.add(receipt.id)
    }
  }
}

/** The bundles that arrive at one durable subscriber. */
class Subscriber {
  /** @type {Set<string>} */
  ids = new Set()
  duplicates = 0
  #make
  /** @type {import('alvarium-sdk').Subscription | undefined} */
  #bundles
  /** @type {Promise<void> | undefined} */
  #loop
  /** @param {() => import('alvarium-sdk').Subscription} make */
  constructor(make) {
    this.#make = make
  }

  async open() {
    const bundles = this.#make()
    await bundles.open()
    this.#bundles = bundles
    this.#loop = this.#read(bundles)
  }

  async close() {
    await this.#bundles?.close()
    await this.#loop
  }

  /** @param {import('alvarium-sdk').Subscription} bundles */
  async #read(bundles) {
    for await (const { id } of bundles) {
      if (this.ids.has(id)) this.duplicates++
      this.ids.add(id)
    }
  }
}

/** Returns the accepted calls that have not arrived. @param {Publisher} publisher @param {Subscriber} subscriber */
const missing = ({ ids }, subscriber) => [...ids].filter((id) => !subscriber.ids.has(id))

/** Waits until all calls have arrived. @param {Publisher} publisher @param {Subscriber} subscriber */
async function arrival(publisher, subscriber) {
  const end = performance.now() + ARRIVAL_MS
  while (missing(publisher, subscriber).length > 0 && performance.now() < end) await sleep(20)
}

/** Writes a line about the outcome. @param {Forgetfulness} seen */
export function forgetfulnessText({ rounds, seed, accepted, received, duplicates, isHeld }) {
  const counts = `${accepted} accepted, ${received} received, ${duplicates} of them again`
  return `${isHeld ? '✓' : '✗'} a broker that forgets its subscriber, ${rounds} restarts (seed ${seed}): ${counts}`
}
