// A real Mosquitto for as long as a suite runs, over WebSocket.

import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensure } from '../js/build/debian.mjs'

const HOST = '127.0.0.1'

/** Installs Mosquitto where it may. @throws Error that says what to install */
export function needMosquitto() {
  ensure(['mosquitto'], ['mosquitto'], 'The suites connected and roundtrip run against a real Mosquitto')
}

/**
 * @template T
 * @param {(url: string) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withMosquitto(use) {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-bench-mosquitto-'))
  const port = await freePort()
  const file = join(folder, 'mosquitto.conf')
  await writeFile(file, configuration(port, join(folder, 'socket')))
  const broker = spawn('mosquitto', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  try {
    await listening(broker, port)
    return await use(`ws://${HOST}:${port}`)
  } finally {
    if (broker.exitCode === null && broker.kill()) await once(broker, 'exit')
    await rm(folder, { recursive: true })
  }
}

/** As it comes, but for what would be measured instead of us. @param {number} port @param {string} socket a path */
function configuration(port, socket) {
  const lines = [
    `listener ${port} ${HOST}`,
    'protocol websockets',
    'allow_anonymous true',
    // Without it small packets wait for the acknowledgement of the one before, up to 40 ms.
    'set_tcp_nodelay true',
    // Mosquitto 2.0 does not start with WebSocket alone.
    `listener 0 ${socket}`,
    // A backlog of more than 1,000 messages would be thrown away.
    'max_queued_messages 0',
    'log_type error',
    // Started by root it would change to a user that cannot read its files here.
    'user root',
  ]
  return `${lines.join('\n')}\n`
}

/**
 * Below the ports that systems give to outgoing connections: one that looks whether the broker is there could get the
 * broker's own port, and would take it away while it talks to itself.
 *
 * @returns {Promise<number>}
 */
async function freePort() {
  const port = randomInt(20_000, 32_000)
  return (await answers(port)) ? freePort() : port
}

/** @param {import('node:child_process').ChildProcessByStdio<null, null, import('node:stream').Readable>} broker @param {number} port */
async function listening(broker, port) {
  let output = ''
  broker.stderr.on('data', (text) => {
    output += text
  })
  while (!(await answers(port))) {
    if (broker.exitCode !== null) throw new Error(`mosquitto ended with ${broker.exitCode}: ${output}`)
    await sleep(10)
  }
}

/** @param {number} port @returns {Promise<boolean>} */
function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => socket.end(() => resolve(true)))
    socket.once('error', () => resolve(false))
  })
}
