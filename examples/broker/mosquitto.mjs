/** Debian's Mosquitto as a process of its own, over WebSocket and TCP, on 127.0.0.1 only: MQTT 5 and 3.1.1. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { answers, freePort } from './ports.mjs'

const HOST = '127.0.0.1'

/**
 * @typedef {object} MosquittoOptions
 * @property {boolean} [isKept] sessions and messages outlive `terminate`
 * @property {boolean} [isDefault] with Mosquitto's own limit: more than 1,000 messages for a subscriber that is away are dropped
 * @property {string} [username] only this user is let in; without it everybody is
 * @property {string} [password]
 * @property {readonly string[]} [config] more lines for mosquitto.conf
 *
 * @typedef {object} Mosquitto
 * @property {string} url of the WebSocket listener
 * @property {string} tcpUrl of the plain MQTT listener
 * @property {() => number | undefined} pid of the process that runs now
 * @property {() => Promise<void>} terminate ends it; what sessions wait for is kept if it was started so
 * @property {() => Promise<void>} kill ends it as a crash would
 * @property {() => Promise<void>} start brings it back on the same ports
 * @property {() => Promise<void>} stop ends it, and removes what it kept
 */

/**
 * @param {MosquittoOptions} [options]
 * @returns {Promise<Mosquitto>}
 * @throws {Error} with what Mosquitto says when it does not start
 */
export async function startMosquitto(options = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-mosquitto-'))
  const [port, tcpPort] = [await freePort(), await freePort()]
  const file = join(folder, 'mosquitto.conf')
  await writeFile(file, `${configuration(port, tcpPort, folder, options).join('\n')}\n`)
  let broker = await started(file, [port, tcpPort])
  const end = async (/** @type {NodeJS.Signals} */ signal) => {
    if (broker.exitCode === null && broker.signalCode === null && broker.kill(signal))
      await once(broker, 'exit')
  }
  return {
    url: `ws://${HOST}:${port}`,
    tcpUrl: `mqtt://${HOST}:${tcpPort}`,
    pid: () => broker.pid,
    terminate: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    start: async () => {
      broker = await started(file, [port, tcpPort])
    },
    stop: async () => {
      await end('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * As it comes, but for what would be measured instead of us.
 *
 * @param {number} port
 * @param {number} tcpPort
 * @param {string} folder
 * @param {MosquittoOptions} options
 */
function configuration(port, tcpPort, folder, options) {
  const { isKept = false, isDefault = false, username, password, config = [] } = options
  return [
    `listener ${port} ${HOST}`,
    'protocol websockets',
    // Without it small packets wait for the acknowledgement of the one before, up to 40 ms.
    'set_tcp_nodelay true',
    `listener ${tcpPort} ${HOST}`,
    // A backlog of more than 1,000 messages would be thrown away.
    ...(isDefault ? [] : ['max_queued_messages 0']),
    'log_type error',
    // Started by root it would change to a user that cannot read its files here.
    'user root',
    ...admission(folder, username, password),
    ...(isKept ? ['persistence true', `persistence_location ${folder}/`] : []),
    ...config,
  ]
}

/** @param {string} folder @param {string} [username] @param {string} [password] */
function admission(folder, username, password) {
  if (username === undefined || password === undefined) return ['allow_anonymous true']
  const file = join(folder, 'passwords')
  execFileSync('mosquitto_passwd', ['-b', '-c', file, username, password], { stdio: 'pipe' })
  return ['allow_anonymous false', `password_file ${file}`]
}

/** @param {string} file @param {number[]} ports */
async function started(file, ports) {
  const broker = spawn('mosquitto', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  broker.on('error', ({ message }) => {
    output += `${message}: apt-get install mosquitto, or node js/build/ready.mjs --test`
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
  await hangsUp(/** @type {number} */ (ports.at(-1)))
  return broker
}

/** Instead of CONNECT: what MQTT begins with nowhere, so that no client is counted. */
const NO_CONNECT = Uint8Array.of(0xe0, 0)

/**
 * The kernel takes connections as soon as there is a listener. Mosquitto forgets a SIGTERM that comes between its handlers and its main
 * loop, and then runs for ever: so it is started when that loop has ended a connection.
 *
 * @param {number} port of the plain MQTT listener
 * @returns {Promise<void>}
 */
function hangsUp(port) {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => socket.write(NO_CONNECT))
    // A reset is an answer too.
    socket.on('error', () => {})
    socket.once('close', () => resolve()).resume()
  })
}
