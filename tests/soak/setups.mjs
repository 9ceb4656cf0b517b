// The brokers, and the faults of each.

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBroker } from '../../examples/broker/broker.mjs'
import { startMosquitto } from '../../examples/broker/mosquitto.mjs'
import { startRabbit } from '../../examples/cluster/rabbitmq.mjs'

/**
 * @typedef {object} Setup a broker that runs
 * @property {string | string[]} publishTo
 * @property {string | string[]} subscribeTo
 * @property {string[]} witnessAt what the witness connects to, in this order
 * @property {((turn: number) => Promise<void>) | undefined} strike takes it down and brings it back
 * @property {string} struck what that is
 * @property {() => Promise<void>} stop
 */

/** @type {Record<string, (protocol?: string) => Promise<Setup>>} */
export const SETUPS = {
  'mosquitto-ws': () => mosquitto('url'),
  'mosquitto-tcp': () => mosquitto('tcpUrl'),
  rabbitmq: () => rabbit(1),
  'rabbitmq-3': () => rabbit(3),
  'rabbitmq-minority': () => rabbit(3, 2),
  embedded,
  refusing,
}

/** Time for which most nodes are away: messages must wait, because most nodes can store none. */
const AWAY_MS = 15_000
/** Time for which the broker refuses subscriptions. */
const REFUSING_MS = 3_000

/**
 * Starts Mosquitto. Killed with -9, it loses messages that it has acknowledged and not saved, whatever the client: so
 * it is terminated.
 *
 * @param {'url' | 'tcpUrl'} over
 */
async function mosquitto(over) {
  const broker = await startMosquitto({ isKept: true })
  return {
    publishTo: broker[over],
    subscribeTo: broker[over],
    witnessAt: [broker.tcpUrl],
    struck: 'broker, SIGTERM',
    strike: async () => {
      await broker.terminate()
      await broker.start()
    },
    stop: broker.stop,
  }
}

/**
 * Starts RabbitMQ. Calls go in over WebSocket and come out over TCP: 3.10 delivers no messages of a quorum queue to a
 * subscriber on a WebSocket.
 *
 * @param {number} size
 * @param {number} killed at a time; several stay away for a while, in which RabbitMQ ends connections at each PUBLISH
 * @returns {Promise<Setup>}
 */
async function rabbit(size, killed = 1) {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-soak-rabbit-'))
  const { nodes, stop } = await startRabbit(folder, size)
  const [urls, tcpUrls] = [nodes.map(({ url }) => url), nodes.map(({ tcpUrl }) => tcpUrl)]
  const [url, tcpUrl] = [urls[0] ?? '', tcpUrls[0] ?? '']
  return {
    publishTo: size === 1 ? url : urls,
    subscribeTo: size === 1 ? tcpUrl : tcpUrls,
    witnessAt: [...tcpUrls].reverse(),
    struck: size === 1 ? 'broker, kill -9' : `${killed} of ${size} nodes, -9`,
    strike: async (turn) => {
      const struck = nodes.map((_, at) => nodes[(turn + at) % size]).slice(0, killed)
      await Promise.all(struck.map((node) => node?.kill()))
      if (killed > 1) await sleep(AWAY_MS)
      await Promise.all(struck.map((node) => node?.start()))
    },
    stop,
  }
}

/** Starts a broker in this process, without a disk: it stays up. */
async function embedded() {
  return embeddedAt(await startBroker())
}

/** @param {Awaited<ReturnType<typeof startBroker>>} broker @returns {Setup} */
function embeddedAt({ url, tcpUrl, close }) {
  return { publishTo: url, subscribeTo: url, witnessAt: [tcpUrl], struck: '', strike: undefined, stop: close }
}

/**
 * Disconnects the subscriber, and refuses its subscriptions for a while: SUBACK 0x80, as 3.1.1 has it.
 *
 * @returns {Promise<Setup>}
 */
async function refusing() {
  const broker = await startBroker()
  const { aedes } = broker
  const allow = aedes.authorizeSubscribe
  /** @type {Set<import('aedes').Client>} */
  const clients = new Set()
  aedes.on('client', (client) => clients.add(client))
  aedes.on('clientDisconnect', (client) => clients.delete(client))
  return {
    ...embeddedAt(broker),
    struck: 'subscribing refused',
    strike: async () => {
      const isRefused = (/** @type {string | undefined} */ id) => id === 'soak-subscriber'
      const isAccepted = (/** @type {object | null} */ client) =>
        Reflect.get(client ?? {}, 'connackSent') === true
      // Subscriptions of a kept session stay (MQTT 3.1.1, 4.1): aedes asks for them too, before its CONNACK. Without
      // them, messages between CONNACK and the next SUBSCRIBE would wait in its queue until the next connection.
      aedes.authorizeSubscribe = (client, subscription, done) =>
        done(null, isAccepted(client) && isRefused(client?.id) ? null : subscription)
      for (const client of clients) if (isRefused(client.id)) client.close()
      await sleep(REFUSING_MS)
      aedes.authorizeSubscribe = allow
    },
  }
}
