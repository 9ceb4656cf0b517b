/** Debian's Mosquitto as a process of its own, over WebSocket and TCP, on 127.0.0.1 only: MQTT 5 and 3.1.1. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { answers, freePort } from './ports.mjs'

const HOST = '127.0.0.1'

/**
 * @typedef {object} Mosquitto
 * @property {string} url of the WebSocket listener
 * @property {string} tcpUrl of the plain MQTT listener
 * @property {() => Promise<void>} terminate ends it; what sessions wait for is kept if it was started so
 * @property {() => Promise<void>} start brings it back on the same ports
 * @property {() => Promise<void>} stop ends it, and removes what it kept
 */

/**
 * @param {{ isKept?: boolean }} [options] `isKept`: sessions and messages outlive `terminate`
 * @returns {Promise<Mosquitto>}
 * @throws {Error} with what Mosquitto says when it does not start
 */
export async function startMosquitto({ isKept = false } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-mosquitto-'))
  const [port, tcpPort] = [await freePort(), await freePort()]
  const file = join(folder, 'mosquitto.conf')
  await writeFile(file, configuration(port, tcpPort, isKept ? folder : undefined))
  let broker = await started(file, [port, tcpPort])
  const terminate = async () => {
    if (broker.exitCode === null && broker.kill()) await once(broker, 'exit')
  }
  return {
    url: `ws://${HOST}:${port}`,
    tcpUrl: `mqtt://${HOST}:${tcpPort}`,
    terminate,
    start: async () => {
      broker = await started(file, [port, tcpPort])
    },
    stop: async () => {
      await terminate()
      await rm(folder, { recursive: true })
    },
  }
}

/** As it comes, but for what would be measured instead of us. @param {number} port @param {number} tcpPort @param {string} [kept] */
function configuration(port, tcpPort, kept) {
  const lines = [
    `listener ${port} ${HOST}`,
    'protocol websockets',
    'allow_anonymous true',
    // Without it small packets wait for the acknowledgement of the one before, up to 40 ms.
    'set_tcp_nodelay true',
    `listener ${tcpPort} ${HOST}`,
    // A backlog of more than 1,000 messages would be thrown away.
    'max_queued_messages 0',
    'log_type error',
    // Started by root it would change to a user that cannot read its files here.
    'user root',
    ...(kept ? ['persistence true', `persistence_location ${kept}/`] : []),
  ]
  return `${lines.join('\n')}\n`
}

/** @param {string} file @param {number[]} ports */
async function started(file, ports) {
  const broker = spawn('mosquitto', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  broker.on('error', ({ message }) => {
    output += message
  })
  broker.stderr.on('data', (text) => {
    output += text
  })
  for (const port of ports) {
    while (!(await answers(port))) {
      if (broker.pid === undefined || broker.exitCode !== null)
        throw new Error(`mosquitto ended with ${broker.exitCode}: ${output}`)
      await sleep(10)
    }
  }
  return broker
}
