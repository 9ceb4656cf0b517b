import { once } from 'node:events'
import { type AddressInfo, createServer, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createWebSocketStream, WebSocketServer } from 'ws'
import { latin1, utf8 } from '../support/bytes.js'

/** The types of MQTT packets, by the first four bits of each. */
export const TYPE = {
  connect: 1,
  connack: 2,
  publish: 3,
  puback: 4,
  pubrec: 5,
  pubrel: 6,
  pubcomp: 7,
  subscribe: 8,
  suback: 9,
  unsubscribe: 10,
  unsuback: 11,
  pingreq: 12,
  pingresp: 13,
  disconnect: 14,
} as const
type Name = keyof typeof TYPE

export interface Heard {
  readonly name: Name
  /** The bytes after the fixed header. */
  readonly body: readonly number[]
  /** The same bytes as text, for searches. */
  readonly text: string
  /** The number of the connection that brought it, from 0. */
  readonly connection: number
}

/** Returns the answer to a packet as whole packets, or an empty array for none. */
export type Answer = (heard: Heard) => Uint8Array | undefined

/** A broker that sends the packets of the test to its newest client. */
export interface ScriptedBroker {
  readonly url: string
  readonly heard: readonly Heard[]
  /** Resolves with this many packets of that kind, once they have arrived. */
  hears(name: Name, count?: number): Promise<Heard[]>
  send(...packets: Uint8Array[]): void
  /** Sends packets to an older client, by the number of its connection. */
  sendTo(connection: number, ...packets: Uint8Array[]): void
  /** Ends the newest connection after the packets sent; `reset` ends it at once, like the crash of a machine. */
  cut(how?: 'end' | 'reset'): void
  stop(): Promise<void>
}

/** Returns a packet of fewer than 128 bytes. */
export const packet = (name: Name, body: readonly number[], flags = 0) =>
  Uint8Array.of((TYPE[name] << 4) | flags, body.length, ...body)

/** Returns a message in MQTT 3.1.1, on topic `t` by default. */
export function message(
  text: string,
  { topic = 't', qos = 1, id = 1, dup = false, retain = false, properties = [] as number[] | undefined } = {},
) {
  const ids = qos > 0 ? [id >> 8, id & 0xff] : []
  const body = [0, topic.length, ...utf8(topic), ...ids, ...(properties ?? []), ...utf8(text)]
  return packet('publish', body, (dup ? 8 : 0) | (qos << 1) | (retain ? 1 : 0))
}

const NAMES = Object.keys(TYPE) as Name[]
const isV5 = ({ body }: Heard) => body[6] === 5

export async function startScripted(
  answers: Partial<Record<Name, Answer>> = {},
  over: 'mqtt' | 'ws' = 'mqtt',
): Promise<ScriptedBroker> {
  const heard: Heard[] = []
  const sockets: Duplex[] = []
  let check = () => {}
  const { url, close } = await listening(over, (socket) => {
    const connection = sockets.push(socket) - 1
    let v5 = false
    const hear = (one: Heard) => {
      heard.push(one)
      if (one.name === 'connect') v5 = isV5(one)
      const answer = (answers[one.name] ?? usual(one.name, v5))?.(one)
      if (answer) socket.write(answer)
      check()
    }
    socket.on('error', () => {})
    socket.on('data', reading(connection, hear))
  })
  const newest = () => sockets.at(-1)
  return {
    url,
    heard,
    hears: (name, count = 1) =>
      new Promise((resolve) => {
        const of = () => heard.filter((one) => one.name === name)
        const before = check
        check = () => {
          before()
          if (of().length >= count) resolve(of())
        }
        check()
      }),
    send: (...packets) => void newest()?.write(Buffer.concat(packets)),
    sendTo: (connection, ...packets) => void sockets[connection]?.write(Buffer.concat(packets)),
    cut: (how) => {
      const socket = newest()
      if (how !== 'reset') socket?.end()
      else if (socket instanceof Socket) socket.resetAndDestroy()
      else socket?.destroy()
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      close()
    },
  }
}

async function listening(over: 'mqtt' | 'ws', take: (connection: Duplex) => void) {
  const server =
    over === 'mqtt'
      ? createServer({ noDelay: true }, take).listen(0, '127.0.0.1')
      : new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'mqtt' })
  if (server instanceof WebSocketServer) server.on('connection', (one) => take(createWebSocketStream(one)))
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `${over}://127.0.0.1:${port}`, close: () => void server.close() }
}

function reading(connection: number, hear: (one: Heard) => void) {
  let rest: number[] = []
  return (chunk: Uint8Array) => {
    rest.push(...chunk)
    for (let length = lengthOf(rest); length !== undefined; length = lengthOf(rest)) {
      const body = rest.slice(length.header, length.whole)
      const name = NAMES[((rest[0] as number) >> 4) - 1] as Name
      rest = rest.slice(length.whole)
      hear({ name, body, text: latin1(Uint8Array.from(body)), connection })
    }
  }
}

/** Returns the lengths of the first packet, if it is complete. */
function lengthOf(bytes: readonly number[]): { header: number; whole: number } | undefined {
  const digits = bytes.slice(1).findIndex((byte) => byte < 128) + 1
  if (digits === 0) return undefined
  const length = bytes.slice(1, 1 + digits).reduce((sum, byte, at) => sum + (byte & 127) * 128 ** at, 0)
  const whole = 1 + digits + length
  return whole <= bytes.length ? { header: 1 + digits, whole } : undefined
}

/** Returns the answers of a broker that accepts everything. */
function usual(name: Name, v5: boolean): Answer | undefined {
  const none = v5 ? [0] : []
  const idOf = ({ body }: Heard) => body.slice(0, 2)
  const usually: Partial<Record<Name, Answer>> = {
    connect: () => packet('connack', [0, 0, ...none]),
    subscribe: (one) => packet('suback', [...idOf(one), ...none, ...granted(one, v5)]),
    unsubscribe: (one) => packet('unsuback', [...idOf(one), ...(v5 ? [0, 0] : [])]),
    pubrec: (one) => packet('pubrel', idOf(one), 2),
    pingreq: () => packet('pingresp', []),
  }
  return usually[name]
}

/** Returns the requested QoS of each filter, from the lowest two bits. */
const granted = (one: Heard, v5: boolean) => filtersOf(one, v5).map(({ options }) => options & 3)

export function filtersOf({ body }: Heard, v5: boolean): { filter: string; options: number }[] {
  const found: { filter: string; options: number }[] = []
  let at = v5 ? 3 + (body[2] as number) : 2
  while (at < body.length) {
    const end = at + 2 + (((body[at] as number) << 8) | (body[at + 1] as number))
    const filter = String.fromCharCode(...body.slice(at + 2, end))
    found.push({ filter, options: body[end] as number })
    at = end + 1
  }
  return found
}
