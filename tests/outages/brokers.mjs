// Brokers, and the faults of each broker and of the network.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBroker } from '../../examples/broker/broker.mjs'
import { startMosquitto } from '../../examples/broker/mosquitto.mjs'
import { startRabbit } from '../../examples/cluster/rabbitmq.mjs'

/** @typedef {import('./line.mjs').Line} Line */
/** @typedef {(line: Line) => Promise<void> | void} Fault ends when the broker works again */

/**
 * @typedef {object} Setup a broker that runs
 * @property {string} url of plain MQTT
 * @property {Record<string, Fault>} faults by their names
 * @property {() => Promise<void>} stop
 */

/** Milliseconds for which a broker is away, or refuses. */
const AWAY_MS = 500
/** Limit of a message in bytes: less than any bundle. */
const FEW_BYTES = 300

/** Faults of the line, which every broker has. @type {Record<string, Fault>} */
const OF_LINE = {
  reset: (line) => line.reset(),
  FIN: (line) => line.end(),
  'half-open': (line) => line.freeze(),
}

/** All faults, in the order of the page. */
export const FAULTS = [
  ...Object.keys(OF_LINE),
  'restart, sessions kept',
  'restart, sessions lost',
  'right to publish taken away',
  'limit of size',
]

/**
 * @typedef {object} Broker
 * @property {boolean} isShared by all trials, as it takes long to start
 * @property {0 | 1 | 2} maxQos that it grants
 * @property {boolean} hasGroups knows shared subscriptions
 * @property {(isKept: boolean) => Promise<Setup>} start
 */

/** @type {Record<string, Broker>} */
export const BROKERS = {
  Mosquitto: { isShared: false, maxQos: 2, hasGroups: true, start: mosquitto },
  RabbitMQ: { isShared: true, maxQos: 1, hasGroups: false, start: rabbit },
  'the broker of the examples': { isShared: false, maxQos: 2, hasGroups: false, start: exampleBroker },
}

/** Returns whether a fault is one of the line, which other trials at the broker do not notice. @param {string} fault */
export const isOfLine = (fault) => fault in OF_LINE

/**
 * Starts Mosquitto with rights by `pattern`. After a restart, rights by `topic` are unknown until an anonymous client
 * is back, and messages for it are dropped.
 *
 * @param {boolean} isKept sessions outlive a restart
 * @returns {Promise<Setup>}
 */
async function mosquitto(isKept) {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-outages-'))
  const [rights, more] = [join(folder, 'rights'), join(folder, 'more')]
  await mkdir(more)
  const allow = (/** @type {string} */ right) => writeFile(rights, `pattern ${right} #\n`)
  const limit = (/** @type {string} */ line) => writeFile(join(more, 'limits.conf'), `${line}\n`)
  await Promise.all([allow('readwrite'), limit('')])
  const broker = await startMosquitto({ isKept, config: [`acl_file ${rights}`, `include_dir ${more}`] })
  const restart = async () => {
    await (isKept ? broker.terminate() : broker.kill())
    await sleep(AWAY_MS)
    await broker.start()
  }
  const reload = () => process.kill(/** @type {number} */ (broker.pid()), 'SIGHUP')
  return {
    url: broker.tcpUrl,
    faults: {
      ...OF_LINE,
      [isKept ? 'restart, sessions kept' : 'restart, sessions lost']: restart,
      'right to publish taken away': async () => {
        await allow('read')
        reload()
        await sleep(AWAY_MS)
        await allow('readwrite')
        reload()
      },
      'limit of size': async () => {
        await limit(`max_packet_size ${FEW_BYTES}`)
        await restart()
        await sleep(AWAY_MS)
        await limit('')
        await restart()
      },
    },
    stop: async () => {
      await broker.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** @returns {Promise<Setup>} */
async function rabbit() {
  const { nodes, stop } = await startRabbit(await mkdtemp(join(tmpdir(), 'alvarium-outages-rabbit-')))
  const node = /** @type {import('../../examples/cluster/rabbitmq.mjs').RabbitNode} */ (nodes[0])
  const allow = (/** @type {string} */ names) =>
    node.control('set_permissions', '--vhost', '/', 'guest', '.*', names, '.*')
  return {
    url: node.tcpUrl,
    faults: {
      ...OF_LINE,
      'restart, sessions kept': async () => {
        await node.kill()
        await node.start()
      },
      'right to publish taken away': async () => {
        await allow('^mqtt-subscription-.*')
        await sleep(AWAY_MS)
        await allow('.*')
      },
    },
    stop,
  }
}

/** @returns {Promise<Setup>} */
async function exampleBroker() {
  let broker = await startBroker()
  const { port, tcpPort, tcpUrl } = broker
  return {
    url: tcpUrl,
    faults: {
      ...OF_LINE,
      'restart, sessions lost': async () => {
        await broker.close()
        await sleep(AWAY_MS)
        broker = await startBroker({ port, tcpPort })
      },
      'right to publish taken away': async () => {
        const allow = broker.aedes.authorizePublish
        broker.aedes.authorizePublish = (_client, _packet, done) => done(new Error('not allowed'))
        await sleep(AWAY_MS)
        broker.aedes.authorizePublish = allow
      },
    },
    stop: () => broker.close(),
  }
}
