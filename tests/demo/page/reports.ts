import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Starts a server for `report-uri`, the only way to see violations of a Content-Security-Policy in workers. */
export async function startReports() {
  const violations: string[] = []
  const server = createServer(async (request, response) => {
    violations.push(`Content-Security-Policy violated: ${await text(request)}`)
    response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${port}/`, violations, close }
}
