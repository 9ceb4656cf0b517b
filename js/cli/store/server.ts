import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { StoreHandler } from 'alvarium-sdk/store/serve'
import { urlIn } from '../../base/text/text.js'
import { type Listening, listenOn } from '../listening.js'

/** A payload key by the hash none has up to 65,536 bytes, and a URL three characters for each. */
const LONGEST_HEAD = 262_144
const LIMITS = {
  maxHeaderSize: LONGEST_HEAD,
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 5_000,
}
const MOST_CONNECTIONS = 256

/** Starts a server. @throws what listening does */
export async function listenWith(
  handler: StoreHandler,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  const server = createServer(LIMITS, (request, response) => void answer(handler, request, response))
  return listenOn(server, { host, port }, MOST_CONNECTIONS)
}

/** What a handler looks at, of what came. */
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
  // What is not read of a body must not be taken for the next request.
  if (status >= 400) response.setHeader('connection', 'close')
  response.writeHead(status, Object.fromEntries(headers))
  response.end(body === null ? undefined : new Uint8Array(await new Response(body).arrayBuffer()))
}

/** Undefined where it is none: `Host` can be anything, and a method too. */
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
