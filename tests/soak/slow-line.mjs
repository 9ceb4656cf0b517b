// A line with a delay.

import { connect, createServer } from 'node:net'

/**
 * Starts a proxy of the broker, half a round trip away in either direction.
 *
 * @param {URL} to
 * @param {number} roundTripMs
 */
export async function slowed({ hostname, port }, roundTripMs) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set()
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ host: hostname, port: Number(port), noDelay: true })
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(from)
      from.on('data', (bytes) => setTimeout(() => to.destroyed || to.write(bytes), roundTripMs / 2))
      from.on('error', () => {}) // The other side closes, too.
      from.on('close', () => to.destroy())
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port: own } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { url: `mqtt://127.0.0.1:${own}`, close }
}
