import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A server that accepts connections but is no broker. */
export interface Impostor {
  /** The host and port. */
  readonly host: string
  connected(): Promise<void>
  connections(): Promise<number>
  stop(): Promise<void>
}

const GREETINGS = {
  'says nothing': () => {},
  'hangs up': (socket: Socket) => void socket.end(),
  resets: (socket: Socket) => void socket.resetAndDestroy(),
  'is a web server': (socket: Socket) => void socket.end('HTTP/1.1 404 Not Found\r\n\r\n'),
}

export async function startImpostor(manner: keyof typeof GREETINGS): Promise<Impostor> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    GREETINGS[manner](socket)
  }).listen(0, '127.0.0.1')
  const first = once(server, 'connection')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    connected: async () => void (await first),
    connections: async () => sockets.length,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
