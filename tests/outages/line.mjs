// A proxy between clients and a broker, which a trial breaks in the ways in which networks break.

import { connect, createServer } from 'node:net'

/**
 * @typedef {object} Line
 * @property {string} url the broker's, by way of this line
 * @property {() => void} reset breaks all connections, as the crash of a machine does
 * @property {() => void} end ends all connections politely
 * @property {() => void} freeze lets nothing through over the connections that there are, and ends none
 * @property {() => void} close
 */

/** @param {string} brokerUrl of plain TCP @returns {Promise<Line>} */
export async function startLine(brokerUrl) {
  const { hostname: host, port } = new URL(brokerUrl)
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set()
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
    const far = connect({ host, port: Number(port), noDelay: true })
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => {}).on('close', () => sockets.delete(from) && to.destroy())
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port: own } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const each = (/** @type {(socket: import('node:net').Socket) => void} */ act) => {
    for (const socket of [...sockets]) act(socket)
  }
  return {
    url: `mqtt://127.0.0.1:${own}`,
    reset: () => each((socket) => socket.resetAndDestroy()),
    end: () => each((socket) => socket.end()),
    freeze: () => each((socket) => socket.unpipe().pause()),
    close: () => {
      server.close()
      each((socket) => socket.destroy())
    },
  }
}
