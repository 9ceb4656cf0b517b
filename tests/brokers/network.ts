import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The way between a client and a broker, for a test to break. */
export interface Network {
  /** The broker's URL, by way of this network. */
  readonly url: string
  /** Breaks every connection; new ones are broken at once. */
  fail(): Promise<void>
  recover(): Promise<void>
  /** Takes nothing more from either side of the connections that there are, and does not end them. */
  freeze(): Promise<void>
  /** Brings nothing more from the broker over the connections that there are. */
  silence(): Promise<void>
  /** How many connections have been made through it so far, those it broke included. */
  connections(): Promise<number>
  /** How many bytes have come from the broker, once no more come. */
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
