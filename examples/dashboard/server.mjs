// Serves the page that `main.mjs --build DIR` wrote, and the store's API below /api/:
//
//   DATABASE=postgres://reader@localhost/alvarium FOLDER=/page PORT=8080 node examples/dashboard/server.mjs

import { once } from 'node:events'
import { createServer } from 'node:http'
import 'alvarium-sdk/verify' // loads the core
import { openStore } from 'alvarium-sdk/store'
import { serveStore } from 'alvarium-sdk/store/serve'
import { fileFor, servedBy } from '../shared/files.mjs'
import { isStarted } from '../shared/started.mjs'

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}
/** Request headers that the store's handler reads. */
const LOOKED_AT = ['origin', 'if-none-match', 'content-length', 'transfer-encoding']

/**
 * @typedef {object} DashboardOptions
 * @property {string} dir folder that `buildPage` has written
 * @property {import('alvarium-sdk/store').Store} store
 * @property {string} [host] address to listen on; only this machine by default
 * @property {number} [port] 0, the default, chooses a free one
 */

/** @param {DashboardOptions} options */
export async function serveDashboard({ dir, store, host = '127.0.0.1', port = 0 }) {
  const ask = serveStore(store, { path: '/api' })
  // Allow long URLs, because a payload key with hash `none` has up to 65,536 bytes.
  const server = createServer({ maxHeaderSize: 262_144 }, async (request, response) => {
    if (request.url?.startsWith('/api/')) await answer(ask, request, response)
    else await sendFile(dir, request.url ?? '/', response)
  })
  server.listen(port, host)
  await once(server, 'listening')
  return servedBy(server, host)
}

/**
 * @param {import('alvarium-sdk/store/serve').StoreHandler} ask
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function answer(ask, request, response) {
  try {
    const answered = await ask(requestOf(request, response))
    const content = Buffer.from(await answered.arrayBuffer())
    response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(content)
  } catch {
    response.writeHead(400, HEADERS).end()
  }
}

/**
 * Converts a request for the store's handler. Aborts the request when the client disconnects, so that the store skips
 * the query.
 *
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
export function requestOf({ url, method, headers }, response) {
  const leaving = new AbortController()
  response.once('close', () => leaving.abort())
  const given = LOOKED_AT.flatMap((name) => (headers[name] ? [[name, `${headers[name]}`]] : []))
  return new Request(`http://${headers.host}${url}`, {
    method,
    headers: Object.fromEntries(given),
    signal: leaving.signal,
  })
}

/** @param {string} dir @param {string} url @param {import('node:http').ServerResponse} response */
async function sendFile(dir, url, response) {
  try {
    const { content, type } = await fileFor(dir, url)
    response.writeHead(200, { ...HEADERS, 'content-type': type })
    response.end(content)
  } catch {
    response.writeHead(404, HEADERS).end('not found')
  }
}

if (isStarted(import.meta.url)) {
  await import('../shared/program.mjs')
  const {
    DATABASE = 'postgres://localhost/alvarium',
    FOLDER: dir = '/page',
    HOST: host,
    PORT = '8080',
  } = process.env
  const store = await openStore(DATABASE, { keyring: [], create: false })
  const page = await serveDashboard({ dir, store, host, port: Number(PORT) })
  console.log(`the page: ${page.url}`)
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => page.close().then(() => store.close()))
}
