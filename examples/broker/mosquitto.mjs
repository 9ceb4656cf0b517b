/** Runs Debian's Mosquitto as a separate process, over WebSocket and TCP, on 127.0.0.1 only, with MQTT 5 and 3.1.1. */
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
 * @property {boolean} [isKept] true if sessions and messages survive `terminate`
 * @property {boolean} [isDefault] true for Mosquitto's own limit: it drops messages beyond 1,000 for an absent subscriber
 * @property {string} [username] the only user who may connect; by default, everyone may
 * @property {string} [password]
 * @property {readonly string[]} [config] more lines for mosquitto.conf
 *
 * @typedef {object} Mosquitto
 * @property {string} url of the WebSocket listener
 * @property {string} tcpUrl of the plain MQTT listener
 * @property {() => number | undefined} pid of the current process
 * @property {() => Promise<void>} terminate ends it; sessions and their messages survive if `isKept`
 * @property {() => Promise<void>} kill ends it as a crash would
 * @property {() => Promise<void>} start restarts it on the same ports
 * @property {() => Promise<void>} stop ends it, and removes its files
 */

/**
 * @param {MosquittoOptions} [options]
 * @returns {Promise<Mosquitto>}
 * @throws {Error} with Mosquitto's output if it does not start
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
 * Returns the default configuration, except for settings that would distort measurements.
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
    // Without this setting, small packets wait up to 40 ms for the acknowledgement of the previous one.
    'set_tcp_nodelay true',
    `listener ${tcpPort} ${HOST}`,
    // Without this setting, a backlog beyond 1,000 messages would be dropped.
    ...(isDefault ? [] : ['max_queued_messages 0']),
    'log_type error',
    // Started by root, Mosquitto would otherwise change to a user that cannot read its files here.
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

/** Bytes sent instead of CONNECT. No MQTT connection begins with them, so Mosquitto counts no client. */
const NO_CONNECT = Uint8Array.of(0xe0, 0)

/**
 * Waits until Mosquitto's main loop has ended a connection. The kernel accepts connections as soon as there is a
 * listener. Mosquitto loses a SIGTERM that arrives between setting its handlers and its main loop, and then runs
 * forever.
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
