// Bundles into a store, while ingesters, broker and database are killed in turn: is each stored, and only once?

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { generateKey, mqtt, openSdk, source, subscribe, toHex } from 'alvarium-sdk'
import { openStore, verifyLogConsistency } from 'alvarium-sdk/store'
import pg from 'pg'
import { startMosquitto } from '../../examples/broker/mosquitto.mjs'
import { startPostgres } from '../store/postgres.mjs'

const INGESTER = fileURLToPath(new URL('ingester.mjs', import.meta.url))
const TOPIC = 'killed'
/**
 * Shared subscription of the ingesters. After a restart, Mosquitto has forgotten the group, and accepts messages for
 * no one until an ingester is back: the publisher lets such messages wait. (It does not name the group in
 * `subscribe`, which would leave it on `close()`.)
 */
const SHARED = `$share/store/${TOPIC}`
const ORIGIN = 'soak/store'
/** Size of a batch. Half of the calls go alone, half in batches. */
const BATCH = 250

/**
 * @typedef {{ accepted: number, lost: number, twice: number, strangers: number, gaps: number, unread: number }} Bundles
 * @typedef {{ checkpoints: number, broken: number, audit: string }} Log
 * @typedef {Bundles & Log & { kills: number }} Seen
 */

/**
 * @param {{ calls: number, kills: number }} effort how many bundles, and how often something is killed
 * @param {(text: string) => void} tell
 * @returns {Promise<Seen>}
 */
export async function storeUnderKills({ calls, kills }, tell) {
  const broker = await startMosquitto({ isKept: true, config: ['max_inflight_messages 500'] })
  const server = await startPostgres('oldest')
  const { signingKey, verifyingKey } = generateKey()
  const key = toHex(verifyingKey)
  const log = { origin: ORIGIN, signingKey: toHex(generateKey().signingKey), every: Math.ceil(calls / 100) }
  await (await openStore(server.url, { keyring: [key] })).close()
  const shared = { url: broker.url, topic: SHARED, key, database: server.url, log }
  const ingesters = ['one', 'two'].map((clientId) => new Ingester({ ...shared, clientId }))
  const kept = new Set()
  try {
    await Promise.all(ingesters.map((one) => one.hasSubscribed(broker.url)))
    for (const one of ingesters) one.start()
    const publishing = published(broker.url, signingKey, calls)
    const strikes = [
      ...ingesters.map((one) => () => one.kill()),
      // Killed with -9, Mosquitto would lose messages that it has acknowledged and not saved.
      async () => {
        await broker.terminate()
        await broker.start()
      },
      async () => {
        await server.kill()
        await backAgain(server)
      },
    ]
    for (let kill = 1; kill <= kills; kill++) {
      await stored(server.url, (calls * kill) / (kills + 1))
      for (const note of await checkpointsIn(server.url)) kept.add(note)
      await strikes[kill % strikes.length]?.()
      tell(`kill ${kill} of ${kills}`)
    }
    const accepted = await publishing
    await stored(server.url, accepted.size)
    const bundles = await seenIn(server.url, accepted)
    return { ...bundles, ...(await auditOf(server.url, { keyring: [key], log }, kept)), kills }
  } finally {
    for (const one of ingesters) await one.stop()
    await server.stop()
    await broker.stop()
  }
}

/** A process that is restarted whenever it ends. */
class Ingester {
  #options
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #process
  #isStopped = false

  /** @param {{ url: string, topic: string, key: string, clientId: string, database: string, log: object }} options */
  constructor(options) {
    this.#options = options
  }

  /** Subscribes once, so that the broker keeps its messages from now on. @param {string} url */
  async hasSubscribed(url) {
    const { topic, clientId, key } = this.#options
    const introduced = subscribe({ url, topic, clientId, keyring: [key] })
    await introduced.open()
    await introduced.close()
  }

  start() {
    const child = spawn(process.execPath, [INGESTER, JSON.stringify(this.#options)], { stdio: 'ignore' })
    this.#process = child
    child.once('exit', () => {
      if (!this.#isStopped) setTimeout(() => this.start(), 100)
    })
  }

  async kill() {
    const child = this.#process
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  async stop() {
    this.#isStopped = true
    await this.kill()
  }
}

/**
 * Publishes calls. Returns the ids of the bundles that the broker has accepted.
 *
 * @param {string} url
 * @param {Uint8Array} signingKey
 * @param {number} calls
 */
async function published(url, signingKey, calls) {
  const stream = mqtt({ url, topic: TOPIC, noSubscribers: 'wait' })
  const sdk = await openSdk({ signingKey, annotators: [source()], stream })
  const ids = new Set()
  for (let at = 0; at < calls; at += 2 * BATCH) {
    const payloads = Array.from({ length: 2 * BATCH }, (_, one) => new TextEncoder().encode(`${at + one}`))
    const alone = payloads.slice(BATCH).map((payload) => () => sdk.create(payload).then(({ id }) => [id]))
    const together = () => sdk.createMany(payloads.slice(0, BATCH)).then((many) => many.map(({ id }) => id))
    for (const some of await Promise.all([together, ...alone].map(untilAccepted))) {
      for (const id of some) ids.add(id)
    }
  }
  await sdk.close()
  return ids
}

/**
 * Repeats a call, with another bundle, while the broker is away.
 *
 * @template T
 * @param {() => Promise<T>} call
 * @returns {Promise<T>}
 */
async function untilAccepted(call) {
  for (;;) {
    try {
      return await call()
    } catch {
      await sleep(50)
    }
  }
}

/**
 * Starts the server again. Processes left by a killed server end without help, and block the next one until then.
 *
 * @param {import('../store/postgres.mjs').Postgres} server
 */
async function backAgain(server) {
  for (;;) {
    try {
      return await server.start()
    } catch {
      await sleep(100)
    }
  }
}

/** Waits until so many bundles are stored. @param {string} url @param {number} count */
async function stored(url, count) {
  for (;;) {
    const [row] = await rowsOf(url, 'select count(*)::integer as count from alvarium.leaf').catch(() => [])
    if (row?.count >= count) return
    await sleep(50)
  }
}

/**
 * Compares the stored bundles with the accepted ones.
 *
 * @param {string} url
 * @param {ReadonlySet<string>} accepted
 * @returns {Promise<Bundles>}
 */
async function seenIn(url, accepted) {
  const leaves = await rowsOf(
    url,
    "select seq::integer, encode(id, 'hex') as id from alvarium.leaf order by seq",
  )
  const ids = new Set(leaves.map(({ id }) => id))
  const [{ unread }] = await rowsOf(
    url,
    `select count(*)::integer as unread from alvarium.leaf
     left join alvarium.bundle using (seq) left join alvarium.evidence on evidence.seq = bundle.evidence
     where message is null`,
  )
  return {
    accepted: accepted.size,
    lost: [...accepted].filter((id) => !ids.has(id)).length,
    twice: leaves.length - ids.size,
    // A call whose acknowledgement was lost was repeated, and both bundles are stored.
    strangers: [...ids].filter((id) => !accepted.has(id)).length,
    gaps: leaves.filter(({ seq }, at) => seq !== at).length,
    unread,
  }
}

/** Returns the signed notes that are stored now. @param {string} url @returns {Promise<string[]>} */
async function checkpointsIn(url) {
  const rows = await rowsOf(url, "select convert_from(note, 'UTF8') as note from alvarium.checkpoint")
  return rows.map(({ note }) => note)
}

/**
 * Checks that the log has only grown since each checkpoint kept during the run, and audits against the oldest.
 *
 * @param {string} url
 * @param {import('alvarium-sdk/store').StoreOptions} options
 * @param {Iterable<string>} kept
 * @returns {Promise<Log>}
 */
async function auditOf(url, options, kept) {
  const store = await openStore(url, options)
  try {
    const newest = await store.checkpoint()
    const older = [...kept].filter((note) => note !== newest.note)
    let broken = 0
    for (const note of older) {
      const growth = await store.proveGrowth(note)
      try {
        verifyLogConsistency({
          older: note,
          newer: newest.note,
          path: growth?.path ?? [],
          vkey: store.vkey ?? '',
        })
      } catch {
        broken++
      }
    }
    const [checkpoint = newest.note] = older
    const { verdict } = await store.audit({ checkpoint })
    return { checkpoints: older.length, broken, audit: verdict }
  } finally {
    await store.close()
  }
}

/** @param {string} url @param {string} text @returns {Promise<any[]>} */
async function rowsOf(url, text) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(text)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

/** @param {Seen} seen */
export function storeText({
  accepted,
  lost,
  twice,
  strangers,
  gaps,
  unread,
  kills,
  checkpoints,
  broken,
  audit,
}) {
  return [
    `a store, ${kills} kills of ingester, ingester, broker and server in turn`,
    `accepted ${accepted}, lost ${lost}, twice ${twice}, gaps in the log ${gaps}, without a message ${unread}`,
    `stored although their call was rejected ${strangers}`,
    `the log has only grown since ${checkpoints - broken} of ${checkpoints} checkpoints that were signed on the way, audit: ${audit}`,
  ].join('\n')
}

/** @param {Seen} seen */
export const isStoreHeld = ({ lost, twice, gaps, unread, broken, audit }) =>
  lost + twice + gaps + unread + broken === 0 && audit === 'proved'
