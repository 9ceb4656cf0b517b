import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Store } from 'alvarium-sdk/store'
import { type StoreHandler, serveStore } from 'alvarium-sdk/store/serve'
import { needs, textOf } from '../../foundation/base/errors.js'
import { silentLogger } from '../../foundation/base/logger.js'
import { urlIn } from '../../foundation/base/text/text.js'
import { pathText } from '../fault.js'
import { textIn } from '../input/text.js'
import { openTrust } from '../keys/trusted.js'
import { listenOn, untilInterrupted } from '../listening.js'
import { EXIT, type Run, type Session } from '../session.js'
import { dim, green, red, safeText } from '../terminal/safe-text.js'
import { short } from '../terminal/words.js'
import { type DatabaseOptions, isServer, storeAt } from './database.js'
import type { TrustArgument } from './trust-argument.js'

interface ServeArguments extends DatabaseOptions, TrustArgument {
  readonly host: string
  readonly port: number
  readonly tokenFile?: string
  readonly allowOrigin?: readonly string[]
  readonly connections: number
}

const LOCAL_HOSTS = ['127.0.0.1', '::1', 'localhost']

export const run: Run<ServeArguments> = async (_, options, session) => {
  const { host, port, allowOrigin: origins = [] } = options
  const token = await tokenIn(options)
  const logger = loggerOf(session)
  await using trust =
    options.trust === undefined ? undefined : await openTrust(options.trust, session.err, logger)
  const stores = await storesFor(options, session)
  try {
    const handler = serveStore(stores, { token, origins, logger, ...(trust && { trust }) })
    session.begin()
    const server = createServer(LIMITS, (request, response) => void answer(handler, request, response))
    const listening = await listenOn(server, { host, port }, MAX_CONNECTIONS)
    await session.out.line(safeText`${green('✓')} ${listening.url}/docs`)
    if (trust) {
      const text = safeText`answers go by the trust policy ${pathText(options.trust ?? '')}, ${short(trust.digest)}, and follow its file`
      await session.err.line(dim(text))
    }
    await session.err.line(dim('it only reads; Ctrl-C ends it'))
    await untilInterrupted(session)
    await listening.close()
  } finally {
    for (const store of stores) await store.close()
  }
  return EXIT.yes
}

async function tokenIn({ host, tokenFile }: ServeArguments): Promise<string | undefined> {
  if (tokenFile === undefined) {
    if (LOCAL_HOSTS.includes(host)) return undefined
    const requirement = `a file with a token, because others reach --host ${host} (openssl rand -hex 32 > token)`
    throw needs('--token-file', requirement)
  }
  return (await textIn('--token-file', tokenFile)).trim()
}

/** Opens one store per connection to a server, or a single store for a folder. */
async function storesFor(options: ServeArguments, session: Session): Promise<Store[]> {
  const stores = [await storeAt(options, session)]
  const more = isServer(options.database) ? options.connections - 1 : 0
  for (let at = 0; at < more; at++) stores.push(await storeAt(options, session))
  return stores
}

/** Returns a logger that prints errors on standard error. Clients do not see the errors. */
function loggerOf({ err }: Session) {
  return {
    ...silentLogger,
    error: ({ err: error }: { err?: unknown }, text: string) =>
      err.line(safeText`${red('✗')} ${text}: ${textOf(error)}`),
  }
}

/**
 * Maximum length of a request head in bytes. A payload key in a URL has up to 3 × 65,536 characters, because
 * percent-encoding writes each byte as three.
 */
const MAX_HEAD_BYTES = 262_144
const LIMITS = {
  maxHeaderSize: MAX_HEAD_BYTES,
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 5_000,
}
const MAX_CONNECTIONS = 256

const HEADERS = ['authorization', 'origin', 'if-none-match', 'content-length', 'transfer-encoding']

async function answer(
  handler: StoreHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const leaving = new AbortController()
  response.once('close', () => leaving.abort())
  const webRequest = requestOf(request, leaving.signal)
  if (webRequest === undefined) {
    response.writeHead(400, { connection: 'close' }).end()
    return
  }
  const { status, headers, body } = await handler(webRequest)
  // Close the connection, because the unread rest of a body would be parsed as the next request.
  if (status >= 400) response.setHeader('connection', 'close')
  response.writeHead(status, Object.fromEntries(headers))
  response.end(body === null ? undefined : new Uint8Array(await new Response(body).arrayBuffer()))
}

/** Converts a request for the handler; undefined if the client sent an invalid `Host`, target or method. */
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
