import { once } from 'node:events'
import { createServer as createWebServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Aedes, AedesOptions } from 'aedes'
import { createWebSocketStream, WebSocketServer } from 'ws'
import { codeOf, textOf } from '../../foundation/base/errors.js'
import { urlIn } from '../../foundation/base/text/text.js'
import { invalid } from '../fault.js'
import { limitPackets, MAX_PACKET_BYTES, PacketTooLarge } from './packet-limit.js'

const HOST = '127.0.0.1'

export interface Broker {
  readonly url: string
  readonly tcpUrl: string
  close(): Promise<void>
}

/** Starts a broker that listens only on 127.0.0.1, because it authenticates no client. */
export async function startBroker({
  port,
  tcpPort,
  allowedOrigins,
  onTooLarge,
}: {
  readonly port: number
  readonly tcpPort: number
  /** Origins of pages that may connect, in addition to pages of this machine. */
  readonly allowedOrigins: readonly string[]
  /** Callback for each connection that is closed because of a packet or frame above {@link MAX_PACKET_BYTES}. */
  readonly onTooLarge: (error: PacketTooLarge) => void
}): Promise<Broker> {
  const aedes = await (await import('aedes')).Aedes.createBroker({ preConnect: refuseNameless })
  const report = (_: unknown, error: Error) => error instanceof PacketTooLarge && onTooLarge(error)
  aedes.on('clientError', report).on('connectionError', report)
  const [web, tcp] = [webServer(aedes, allowedOrigins, onTooLarge), createServer({ noDelay: true })]
  tcp.on('connection', (socket) => aedes.handle(limitPackets(socket)))
  const cuts = [cuttable(web), cuttable(tcp)]
  const close = async () => {
    for (const cut of cuts) cut()
    await new Promise<void>((resolve) => aedes.close(resolve))
  }
  try {
    return {
      url: `ws://${HOST}:${await listen(web, port, '--port')}`,
      tcpUrl: `mqtt://${HOST}:${await listen(tcp, tcpPort, '--tcp-port')}`,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Error code of `ws` for a frame over `maxPayload`, which does not reach {@link limitPackets}. */
const FRAME_TOO_LARGE = 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'

/** CONNACK with the return code 2, identifier rejected (MQTT 3.1.1, 3.2.2.3). */
const IDENTIFIER_REJECTED = Uint8Array.of(0x20, 2, 0, 2)

/** Refuses an empty client id with clean session 0 (MQTT-3.1.3-8): no client could resume that session. */
const refuseNameless: NonNullable<AedesOptions['preConnect']> = (client, packet, callback) => {
  const { clientId, clean, protocolVersion } = packet
  if (clientId !== '' || clean || protocolVersion === 5) return callback(null, true)
  client.conn.end(IDENTIFIER_REJECTED)
  callback(new Error('a session without a client id'), false)
}

function webServer(
  aedes: Aedes,
  allowedOrigins: readonly string[],
  onTooLarge: (error: PacketTooLarge) => void,
): Server {
  const web = createWebServer((_, response) => response.writeHead(426, { Upgrade: 'websocket' }).end())
  // Do not pass `server`: WebSocketServer would throw when that server fails to listen.
  const maxPayload = MAX_PACKET_BYTES
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload })
  web.on('upgrade', (request, socket, head) => {
    if (!mayEnter(request, allowedOrigins)) return refuse(socket)
    sockets.handleUpgrade(request, socket, head, (one) => {
      one.on('error', (error) => codeOf(error) === FRAME_TOO_LARGE && onTooLarge(new PacketTooLarge('more')))
      aedes.handle(limitPackets(createWebSocketStream(one)), request)
    })
  })
  return web
}

function refuse(socket: Duplex): void {
  socket.on('error', () => {})
  socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
}

async function listen(server: Server, port: number, option: string): Promise<number> {
  server.listen(port, HOST)
  await once(server, 'listening').catch((error) => {
    throw codeOf(error) === 'EADDRINUSE' ? invalid(option, 'a free port', textOf(error)) : error
  })
  return (server.address() as AddressInfo).port
}

/** Returns a function that closes a server and its open connections, for which `close` would wait. */
function cuttable(server: Server): () => void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  return () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
}

/** Host names for programs on this machine. In a DNS rebinding attack, the Host header has another name. */
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]']

/**
 * Returns whether a client may connect. Any page in a browser can open a WebSocket to this machine without
 * permission, but the browser sends the page's origin (RFC 6455 §10.2). Programs send no origin.
 *
 * @param allowed - origins of pages that may connect, in addition to pages of this machine
 */
function mayEnter({ headers }: IncomingMessage, allowed: readonly string[]): boolean {
  const { host, origin } = headers
  if (!LOCAL_HOSTS.includes(hostOf(`http://${host}`))) return false
  return origin === undefined || allowed.includes(origin) || LOCAL_HOSTS.includes(hostOf(origin))
}

function hostOf(url: string): string {
  return urlIn(url)?.hostname ?? ''
}
