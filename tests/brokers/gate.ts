import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The packets that a gate can hold, by the type in their first byte (MQTT 5, 2.1.2). */
const TYPES = { connect: 1, connack: 2, suback: 9 } as const

export type HeldPacket = keyof typeof TYPES

/** A connection between clients and a broker, which can hold packets of one type. */
export interface Gate {
  readonly url: string
  /** Resolves when a packet is held. */
  waits(): Promise<void>
  /** Releases the held packets, and holds no more. */
  open(): void
  hold(packet: HeldPacket): void
  cut(): void
  /** Returns the number of connections that clients have made, and the number now open. */
  connections(): { readonly made: number; readonly there: number }
  stop(): Promise<void>
}

/** @param brokerUrl - a plain TCP URL, because a packet with a pending answer arrives alone there */
export async function startGate(brokerUrl: string, held?: HeldPacket): Promise<Gate> {
  const { hostname: host, port } = new URL(brokerUrl)
  const nears = new Set<Socket>()
  const waiting: (() => void)[] = []
  let [holds, made, tell] = [held, 0, () => {}]
  const pass = (from: Socket, to: Socket) => {
    from.on('error', () => {}).on('close', () => to.destroy())
    from.on('data', (chunk) => {
      const write = () => void (to.destroyed || to.write(chunk))
      if (holds === undefined || (chunk[0] as number) >> 4 !== TYPES[holds]) return write()
      waiting.push(write)
      tell()
    })
  }
  const server = createServer({ noDelay: true }, (near) => {
    made++
    nears.add(near.on('close', () => nears.delete(near)))
    const far = connect({ port: Number(port), host, noDelay: true })
    pass(near, far)
    pass(far, near)
  }).listen(0, host)
  const cut = () => {
    for (const near of nears) near.destroy()
  }
  await once(server, 'listening')
  return {
    url: `mqtt://${host}:${(server.address() as AddressInfo).port}`,
    waits: () =>
      new Promise((resolve) => {
        tell = resolve
        if (waiting.length > 0) resolve()
      }),
    open: () => {
      holds = undefined
      for (const write of waiting.splice(0)) write()
    },
    hold: (packet) => {
      holds = packet
    },
    cut,
    connections: () => ({ made, there: nears.size }),
    stop: async () => {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
