import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that listens. */
export interface Listening {
  readonly url: string
  /** Finishes the answers in progress, and accepts no more requests. */
  close(): Promise<void>
}

/**
 * Starts a server with a limit for its connections.
 *
 * @throws the errors of listening
 */
export async function listenOn(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  maxConnections: number,
): Promise<Listening> {
  server.maxConnections = maxConnections
  server.listen(port, host)
  await once(server, 'listening')
  const { address, port: bound, family } = server.address() as AddressInfo
  const close = async () => {
    server.close()
    server.closeIdleConnections()
    await once(server, 'close')
  }
  return { url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`, close }
}
