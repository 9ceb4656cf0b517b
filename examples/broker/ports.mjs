import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'

const HOST = '127.0.0.1'

/**
 * A port of this machine that nobody listens on, and that no other process gets from here while this one runs. Below those
 * that systems give to outgoing connections: one that looks whether a broker is there could get the broker's own port, and
 * would take it away while it talks to itself.
 *
 * @returns {Promise<number>}
 */
export async function freePort() {
  const port = randomInt(20_000, 32_000)
  return (await isOurs(port)) && !(await answers(port)) ? port : freePort()
}

/**
 * Takes the UDP port of the same number, which only one process can have, and keeps it until that ends.
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

/** Whether somebody listens there. @param {number} port @returns {Promise<boolean>} */
export function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => socket.end(() => resolve(true)))
    socket.once('error', () => resolve(false))
  })
}
