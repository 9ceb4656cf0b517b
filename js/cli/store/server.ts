import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { StoreHandler } from 'alvarium-sdk/store/serve'
import { urlIn } from '../../foundation/base/text/text.js'
import { type Listening, listenOn } from '../listening.js'

/** Maximum bytes of a head: a payload key by the hash none has up to 65,536 bytes, and a URL three characters for each. */
const MAX_HEAD_BYTES = 262_144
const LIMITS = {
  maxHeaderSize: MAX_HEAD_BYTES,
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 5_000,
}
const MAX_CONNECTIONS = 256

/** Starts a server. @throws the error of listening */
export async function listenWith(
  handler: StoreHandler,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  const server = createServer(LIMITS, (request, response) => void answer(handler, request, response))
  return listenOn(server, { host, port }, MAX_CONNECTIONS)
}

/** Headers that the handler reads. */
const HEADERS = ['authorization', 'origin', 'if-none-match', 'content-length', 'transfer-encoding']

async function answer(
  handler: StoreHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const leaving = new AbortController()
  response.once('close', () => leaving.abort())
  const asked = requestOf(request, leaving.signal)
  if (asked === undefined) {
    response.writeHead(400, { connection: 'close' }).end()
    return
  }
  const { status, headers, body } = await handler(asked)
  // Close the connection: the unread rest of a body must not be read as the next request.
  if (status >= 400) response.setHeader('connection', 'close')
  response.writeHead(status, Object.fromEntries(headers))
  response.end(body === null ? undefined : new Uint8Array(await new Response(body).arrayBuffer()))
}

/** Returns the request, or undefined if it is not valid HTTP: `Host` and the method are client input. */
function requestOf(
  { url = '', method = '', headers }: IncomingMessage,
  signal: AbortSignal,
): Request | undefined {
  const target = url.startsWith('/') ? urlIn(`http://${headers.host}${url}`) : undefined
  if (!target) return undefined
  const given = HEADERS.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : []))
  try {
    return new Request(target, { method, headers: Object.fromEntries(given), signal })
  } catch {
    return undefined
  }
}
