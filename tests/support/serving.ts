import type { IncomingHttpHeaders, IncomingMessage, RequestOptions, Server } from 'node:http'
import { request as overHttp } from 'node:http'
import type { Http2SecureServer, Http2Server } from 'node:http2'
import { request as overHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** Starts a server on a free port, and returns the port. */
export async function listening(server: Server | Http2Server | Http2SecureServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

export interface Got {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Begins a request whose body a test sends, piece by piece. Returns it with its answer. */
export function posting(url: string, options: RequestOptions = {}) {
  const send = url.startsWith('https:') ? overHttps : overHttp
  const request = send(url, { method: 'POST', rejectUnauthorized: false, agent: false, ...options })
  const got = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject)
  }).then(async (response): Promise<Got> => {
    const { statusCode: status, headers } = response
    return { status, headers, text: (await buffer(response)).toString() }
  })
  // A test that disconnects does not await the answer.
  got.catch(() => {})
  return { request, got }
}

/** Sends a body as JSON, because body parsers look at the content type. Returns the answer. */
export function post(url: string, body: Uint8Array, headers: Record<string, string> = {}): Promise<Got> {
  const { request, got } = posting(url, { headers: { 'Content-Type': 'application/json', ...headers } })
  request.end(body)
  return got
}
