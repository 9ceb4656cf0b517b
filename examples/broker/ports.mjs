import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'

const HOST = '127.0.0.1'

/**
 * Returns a free port. While this process runs, no other process gets the port from this function. The port is below
 * the range for outgoing connections: otherwise a program that checks for a broker could get the broker's port as the
 * source port of its connection, connect to itself, and occupy the port.
 *
 * @returns {Promise<number>}
 */
export async function freePort() {
  const port = randomInt(20_000, 32_000)
  return (await isOurs(port)) && !(await answers(port)) ? port : freePort()
}

/**
 * Claims the UDP port with the same number until this process ends. Only one process can bind it.
 *
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function isOurs(port) {
  return new Promise((resolve) => {
    const claim = createSocket('udp4').unref()
    claim.once('error', () => resolve(false))
    claim.bind({ port, address: HOST, exclusive: true }, () => resolve(true))
  })
}

/** Returns whether a server listens on a port. @param {number} port @returns {Promise<boolean>} */
export function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => socket.end(() => resolve(true)))
    socket.once('error', () => resolve(false))
  })
}
