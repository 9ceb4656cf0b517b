import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'

/** A broker's attack on its subscribers' memory. */
export interface HostileOptions {
  /** The packets after SUBACK: one PUBLISH of 260 MB; or 600 of a megabyte with QoS 2, which are never released. */
  readonly sends: 'a long packet' | 'a packet of no length' | 'unreleased messages'
  readonly over: 'tcp' | 'ws'
  /** True to put the long packet into one WebSocket message. */
  readonly asOneFrame?: boolean
}

export interface HostileBroker {
  readonly url: string
  /** Returns the Maximum Packet Size of the last CONNECT; undefined if it is missing, as in 3.1.1. */
  announced(): Promise<number | undefined>
  /** Returns the number of bytes of PUBLISH packets that it could send. */
  sent(): Promise<number>
  stop(): Promise<void>
}

const MIB = 1024 * 1024
const LONG = 260_000_000

/** Ignores the error of a send after the subscriber has disconnected, as it should. */
const gone = () => {}

/** Sends to the client; resolves when the bytes are written. */
type Send = (bytes: Uint8Array) => Promise<unknown>

export async function startHostile({ sends, over, asOneFrame }: HostileOptions): Promise<HostileBroker> {
  const state = { sent: 0, announced: undefined as number | undefined }
  const sockets = new Set<Socket>()
  const converse = async (data: Uint8Array, send: Send, raw: Socket) => {
    const [type, isV5] = [(data[0] as number) >> 4, data[8] === 5]
    if (type === 1) {
      state.announced = isV5 ? maximumPacketSize(data) : undefined
      versions.set(raw, isV5)
      await send(Uint8Array.from(isV5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0]))
    }
    if (type !== 8) return
    const v5 = versions.get(raw) === true
    // The granted QoS is the requested one, in the last byte of SUBSCRIBE.
    const granted = (data.at(-1) as number) & 3
    const id = data.subarray(2, 4)
    await send(Uint8Array.from(v5 ? [0x90, 4, ...id, 0, granted] : [0x90, 3, ...id, granted]))
    // Keep the SUBACK apart, because in one piece it would share the fate of the packets after it.
    await sleep(50)
    const counting: Send = async (bytes) => {
      await send(bytes)
      state.sent += bytes.length
    }
    if (sends === 'unreleased messages') await unreleased(counting, v5)
    else if (sends === 'a packet of no length')
      await counting(Uint8Array.of(0x30, 0xff, 0xff, 0xff, 0xff, 0x7f))
    else await long(counting, asOneFrame ? raw : undefined)
  }
  const versions = new WeakMap<Socket, boolean>()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  const { port } = server.address() as AddressInfo
  const web = over === 'ws' ? await overWebSocket(converse, sockets) : undefined
  if (!web)
    server.on('connection', (socket) =>
      socket.on('data', (data) => converse(data, sending(socket), socket).catch(gone)),
    )
  return {
    url: web ? web.url : `mqtt://127.0.0.1:${port}`,
    announced: async () => state.announced,
    sent: async () => state.sent,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      web?.close()
    },
  }
}

type Converse = (data: Uint8Array, send: Send, raw: Socket) => Promise<void>

async function overWebSocket(converse: Converse, sockets: Set<Socket>) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  await once(server, 'listening')
  server.on('connection', (socket: WebSocket, { socket: raw }) => {
    sockets.add(raw)
    socket.on('error', () => {})
    const send: Send = (bytes) =>
      new Promise((resolve, reject) => {
        socket.send(bytes, (error) => (error ? reject(error) : resolve(undefined)))
      })
    socket.on('message', (data: Buffer) => converse(data, send, raw).catch(gone))
  })
  const { port } = server.address() as AddressInfo
  return { url: `ws://127.0.0.1:${port}`, close: () => server.close() }
}

/** Returns a function that writes to the socket, and rejects when the connection has ended. */
const sending =
  (socket: Socket): Send =>
  (bytes) =>
    new Promise((resolve, reject) => {
      socket.write(bytes, (error) => (error ? reject(error) : resolve(undefined)))
    })

/** Sends a PUBLISH that announces 260 MB, and zeros for as long as the client reads. */
async function long(send: Send, raw: Socket | undefined): Promise<void> {
  const header = Uint8Array.from([0x30, ...varint(LONG), 0, 1, 0x74])
  const toSocket = raw && sending(raw)
  // Write the binary frame's head directly to the socket, because `ws` would need its whole content in memory.
  if (toSocket) await toSocket(Uint8Array.from([0x82, 127, ...u64(header.length + LONG - 3)]))
  const write = toSocket ?? send
  await write(header)
  const zeros = new Uint8Array(64 * 1024)
  for (let left = LONG - 3; left > 0; left -= zeros.length) await write(zeros)
}

async function unreleased(send: Send, isV5: boolean): Promise<void> {
  const payload = new Uint8Array(MIB)
  for (let id = 1; id <= 600; id++) {
    const variable = [0, 1, 0x74, id >> 8, id & 0xff, ...(isV5 ? [0] : [])]
    await send(Uint8Array.from([0x34, ...varint(variable.length + MIB), ...variable]))
    await send(payload)
  }
}

function varint(number: number): number[] {
  const rest = Math.floor(number / 128)
  return rest > 0 ? [(number % 128) | 0x80, ...varint(rest)] : [number]
}

const u64 = (number: number) => [
  0,
  0,
  0,
  0,
  number >>> 24,
  (number >> 16) & 255,
  (number >> 8) & 255,
  number & 255,
]

/** Returns the property 0x27 of a CONNECT, searched for where properties begin. */
function maximumPacketSize(connect: Uint8Array): number | undefined {
  const properties = connect.subarray(13, 13 + (connect[12] as number))
  for (let at = 0; at < properties.length; at += 5) {
    const [name, a = 0, b = 0, c = 0, d = 0] = properties.subarray(at, at + 5)
    if (name === 0x27) return ((a * 256 + b) * 256 + c) * 256 + d
  }
  return undefined
}
