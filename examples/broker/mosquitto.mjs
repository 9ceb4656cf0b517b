/** Runs Mosquitto as a separate process on 127.0.0.1, over WebSocket and TCP, with MQTT 5 and 3.1.1. */
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
 * @property {boolean} [isDefault] true for Mosquitto's default limit of 1,000 queued messages per absent
 * subscriber
 * @property {string} [username] required together with `password`; without both, every client may connect
 * @property {string} [password]
 * @property {readonly string[]} [config] more lines for mosquitto.conf
 *
 * @typedef {object} Mosquitto
 * @property {string} url of the WebSocket listener
 * @property {string} tcpUrl of the TCP listener
 * @property {() => number | undefined} pid of the current process
 * @property {() => Promise<void>} terminate ends the process; sessions and their messages survive if `isKept`
 * @property {() => Promise<void>} kill ends the process as a crash would
 * @property {() => Promise<void>} start restarts the process on the same ports
 * @property {() => Promise<void>} stop ends the process and removes its files
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
 * Returns Mosquitto's configuration, without the defaults that would distort measurements.
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
    // By default, small packets wait up to 40 ms for the acknowledgement of the previous one.
    'set_tcp_nodelay true',
    `listener ${tcpPort} ${HOST}`,
    // By default, messages beyond 1,000 per absent subscriber are dropped.
    ...(isDefault ? [] : ['max_queued_messages 0']),
    'log_type error',
    // Keep the user root: Mosquitto would switch to a user that cannot read its files here.
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

/** Bytes of a packet that is not CONNECT, so that Mosquitto closes the connection and counts no client. */
const NO_CONNECT = Uint8Array.of(0xe0, 0)

/**
 * Waits until Mosquitto has closed a test connection, which shows that its main loop runs. The kernel accepts
 * connections earlier, but Mosquitto loses a SIGTERM that arrives before the main loop, and then runs
 * forever.
 *
 * @param {number} port of the TCP listener
 * @returns {Promise<void>}
 */
function hangsUp(port) {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => socket.write(NO_CONNECT))
    // Ignore a reset, because `close` follows it.
    socket.on('error', () => {})
    socket.once('close', () => resolve()).resume()
  })
}
