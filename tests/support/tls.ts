import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import tls, { type TLSSocket } from 'node:tls'
import { selfSigned } from '../brokers/certificate.js'

const certificate = selfSigned()

export interface TlsPair extends Disposable {
  readonly client: TLSSocket
  readonly server: TLSSocket
}

/** Connects a client to a server with a self-signed certificate, which the client trusts or does not. */
export async function tlsPair({ isTrusted }: { isTrusted: boolean }): Promise<TlsPair> {
  const listener = tls.createServer(certificate).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const accepted = once(listener, 'secureConnection') as Promise<[TLSSocket]>
  const trust = isTrusted ? { ca: certificate.cert } : { rejectUnauthorized: false }
  const client = tls.connect({ host: '127.0.0.1', port: portOf(listener), ...trust })
  await once(client, 'secureConnect')
  const [server] = await accepted
  return {
    client,
    server,
    [Symbol.dispose]: () => {
      for (const end of [client, server]) end.destroy()
      listener.close()
    },
  }
}

/** Returns a client whose TCP connection is established, but whose handshake the server never answers. */
export async function unansweredHandshake(): Promise<Disposable & { readonly client: TLSSocket }> {
  const held: net.Socket[] = []
  const listener = net.createServer((socket) => held.push(socket)).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const client = tls.connect({ host: '127.0.0.1', port: portOf(listener), rejectUnauthorized: false })
  client.on('error', () => {})
  await once(client, 'connect')
  return {
    client,
    [Symbol.dispose]: () => {
      for (const socket of [client, ...held]) socket.destroy()
      listener.close()
    },
  }
}

export async function plainSocket(): Promise<Disposable & { readonly client: net.Socket }> {
  const listener = net.createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const client = net.connect(portOf(listener), '127.0.0.1')
  await once(client, 'connect')
  return {
    client,
    [Symbol.dispose]: () => {
      client.destroy()
      listener.close()
    },
  }
}

/** Returns a client that has only begun to connect. */
export function notYetConnected(): Disposable & { readonly client: TLSSocket } {
  const client = tls.connect({ host: '127.0.0.1', port: 1, rejectUnauthorized: false })
  client.on('error', () => {})
  return { client, [Symbol.dispose]: () => void client.destroy() }
}

function portOf(listener: net.Server): number {
  return (listener.address() as AddressInfo).port
}
