import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A connection between a client and a broker that a test can break. */
export interface Network {
  readonly url: string
  /** Breaks every connection, and new ones at once. */
  fail(): Promise<void>
  recover(): Promise<void>
  /** Stops reading from both sides of the open connections, without closing them. */
  freeze(): Promise<void>
  /** Stops forwarding from the broker on the open connections. */
  silence(): Promise<void>
  /** Returns the number of connections so far, the broken ones included. */
  connections(): Promise<number>
  /** Returns the number of bytes from the broker, once no more arrive. */
  settledBytes(): Promise<number>
  stop(): Promise<void>
}

export async function startNetwork(brokerUrl: string): Promise<Network> {
  const { hostname: host, port, protocol } = new URL(brokerUrl)
  const sockets = new Set<Socket>()
  const fars = new Set<Socket>()
  let [broken, received, connections] = [false, 0, 0]
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const server = createServer({ noDelay: true }, (near) => {
    connections++
    const far = connect({ port: Number(port), host, noDelay: true })
    keep(near)
    keep(far)
    fars.add(far)
    if (broken) return cut()
    near.pipe(far)
    far.pipe(near).on('close', () => far.destroy())
    near.on('close', () => far.destroy())
    far.on('data', (chunk) => {
      received += chunk.length
    })
  }).listen(0, '127.0.0.1')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  await once(server, 'listening')
  return {
    url: `${protocol}//${host}:${(server.address() as AddressInfo).port}`,
    fail: async () => {
      broken = true
      cut()
    },
    recover: async () => {
      broken = false
    },
    freeze: async () => {
      for (const socket of sockets) socket.unpipe().pause()
    },
    silence: async () => {
      for (const socket of fars) socket.unpipe().pause()
    },
    connections: async () => connections,
    settledBytes: async () => {
      for (let before = -1; before !== received; await sleep(200)) before = received
      return received
    },
    stop: async () => {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
