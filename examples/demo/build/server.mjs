/** Static web server for the built page. Sends the page's Content-Security-Policy. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { extname } from 'node:path'
import { fileFor, servedBy } from '../../shared/files.mjs'
import { withBroker } from './broker.mjs'

/** Permitted scripts. Without `'wasm-unsafe-eval'`, the page only shows an error. */
export const SCRIPT_SRC = "'self' 'wasm-unsafe-eval'"

/** @param {string} scriptSrc */
const policy = (scriptSrc) =>
  `default-src 'none'; script-src ${scriptSrc}; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; ` +
  "connect-src 'self' ws: wss:; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * @typedef {object} ServeOptions
 * @property {string} dir folder that `buildPage` has written
 * @property {string} [host] address to listen on; only this machine by default
 * @property {number} [port] 0, the default, chooses a free port; a free port also replaces one in use
 * @property {string} [broker] URL of the page's default broker
 * @property {string} [scriptSrc] of the Content-Security-Policy, {@link SCRIPT_SRC} by default
 */

/** @param {ServeOptions} options */
export async function servePage({ dir, host = '127.0.0.1', port = 0, broker, scriptSrc = SCRIPT_SRC }) {
  const headers = {
    'content-security-policy': policy(scriptSrc),
    // Isolate the page with COOP and COEP, so that its clock has steps of 5 µs instead of 100 µs.
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  }
  const server = createServer(async (request, response) => {
    try {
      const { path, content, type } = await fileFor(dir, request.url ?? '/')
      response.writeHead(200, { ...headers, 'content-type': type })
      response.end(extname(path) === '.html' && broker ? withBroker(content.toString(), broker) : content)
    } catch {
      response.writeHead(404, headers).end('not found')
    }
  })
  await listen(server, port, host)
  return servedBy(server, host)
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
}
