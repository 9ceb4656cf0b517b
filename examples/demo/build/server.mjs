/** A static web server for the built page, with the page's Content-Security-Policy. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { withBroker } from './broker.mjs'

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/** What scripts may do; without `'wasm-unsafe-eval'` the page can only say that it is missing. */
export const SCRIPT_SRC = "'self' 'wasm-unsafe-eval'"

/** @param {string} scriptSrc */
const policy = (scriptSrc) =>
  `default-src 'none'; script-src ${scriptSrc}; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; ` +
  "connect-src 'self' ws: wss:; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * @typedef {object} ServeOptions
 * @property {string} dir what `buildPage` has written
 * @property {string} [host] to listen on; this machine only, unless given
 * @property {number} [port] another free one is taken if it is in use; 0, the default: any
 * @property {string} [broker] written into the page as its default
 * @property {string} [scriptSrc] of the Content-Security-Policy; see {@link SCRIPT_SRC}, the default
 */

/** @param {ServeOptions} options */
export async function servePage({ dir, host = '127.0.0.1', port = 0, broker, scriptSrc = SCRIPT_SRC }) {
  const headers = {
    'content-security-policy': policy(scriptSrc),
    // With these two, the browser gives the page its finest clock (5 instead of 100 µs).
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  }
  const server = createServer(async (request, response) => {
    try {
      const path = pathOf(request.url ?? '/')
      const content = await readFile(join(dir, path))
      response.writeHead(200, {
        ...headers,
        'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
      })
      response.end(extname(path) === '.html' && broker ? withBroker(content.toString(), broker) : content)
    } catch {
      response.writeHead(404, headers).end('not found')
    }
  })
  const taken = await listen(server, port, host)
  return {
    url: `http://${host}:${taken}/`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** @param {string} url @throws URIError, TypeError for what is no path: anybody can ask for `/%zz` */
function pathOf(url) {
  const { pathname } = new URL(url, 'http://page')
  // The URL has resolved its dots already; normalize() sees to the encoded ones.
  const path = normalize(decodeURIComponent(pathname))
  return path.endsWith('/') ? `${path}index.html` : path
}

/** @param {import('node:http').Server} server @param {number} port @param {string} host */
async function listen(server, port, host) {
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    if (error.code !== 'EADDRINUSE' || port === 0) throw error
    server.listen(0, host)
    await once(server, 'listening')
  }
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port
}
