import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { textOf } from '../foundation/base/errors.js'
import { invalid } from './fault.js'
import type { Session } from './session.js'

interface Listening {
  readonly url: string
  /** Finishes the responses in progress and accepts no more connections. */
  close(): Promise<void>
}

/** Starts a server with a connection limit. */
export async function listenOn(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  maxConnections: number,
): Promise<Listening> {
  server.maxConnections = maxConnections
  server.listen(port, host)
  await once(server, 'listening').catch((error) => {
    throw invalid('--port', 'a free address and port', textOf(error))
  })
  const { address, port: bound, family } = server.address() as AddressInfo
  const close = async () => {
    server.close()
    server.closeIdleConnections()
    await once(server, 'close')
  }
  return { url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`, close }
}

export async function untilInterrupted({ interrupted }: Pick<Session, 'interrupted'>): Promise<void> {
  if (!interrupted.aborted) await once(interrupted, 'abort')
}
