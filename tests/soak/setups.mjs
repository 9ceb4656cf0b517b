// The brokers, and what can be done to each.

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  embedded,
}

/** Killed with -9 it loses what it has acknowledged and not saved, whoever publishes: so it is told to end. @param {'url' | 'tcpUrl'} over */
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
 * Calls go in over WebSocket and come out over TCP: 3.10 gives nothing of a quorum queue to a subscriber on a WebSocket.
 *
 * @param {number} size
 * @returns {Promise<Setup>}
 */
async function rabbit(size) {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-soak-rabbit-'))
  const { nodes, stop } = await startRabbit(folder, size)
  const [urls, tcpUrls] = [nodes.map(({ url }) => url), nodes.map(({ tcpUrl }) => tcpUrl)]
  const [url, tcpUrl] = [urls[0] ?? '', tcpUrls[0] ?? '']
  return {
    publishTo: size === 1 ? url : urls,
    subscribeTo: size === 1 ? tcpUrl : tcpUrls,
    witnessAt: [...tcpUrls].reverse(),
    struck: size === 1 ? 'broker, kill -9' : 'a node, kill -9',
    strike: async (turn) => {
      const node = nodes[turn % size]
      await node?.kill()
      await node?.start()
    },
    stop,
  }
}

/** In this process, and with nothing on a disk: it stays up. @returns {Promise<Setup>} */
async function embedded() {
  const broker = await startBroker()
  return {
    publishTo: broker.url,
    subscribeTo: broker.url,
    witnessAt: [broker.tcpUrl],
    struck: '',
    strike: undefined,
    stop: broker.close,
  }
}
