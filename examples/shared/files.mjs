/** Shared parts of servers for built pages: files of a folder, and the end of a server. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/**
 * Returns the file for a URL, and its media type.
 *
 * @param {string} dir
 * @param {string} url
 * @throws Error if there is no such file; URIError or TypeError for an invalid path: anyone can request `/%zz`
 */
export async function fileFor(dir, url) {
  const path = pathOf(url)
  const content = await readFile(join(dir, path))
  return { path, content, type: TYPES[extname(path)] ?? 'application/octet-stream' }
}

/** @param {string} url */
function pathOf(url) {
  const { pathname } = new URL(url, 'http://page')
  // The URL has resolved its dots already; normalize() resolves the encoded ones.
  const path = normalize(decodeURIComponent(pathname))
  return path.endsWith('/') ? `${path}index.html` : path
}

/** Returns the address of a listening server, and a function that ends it. @param {import('node:http').Server} server @param {string} host */
export function servedBy(server, host) {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    url: `http://${host}:${port}/`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
