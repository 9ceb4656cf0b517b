/** Code that servers of built pages share: reading files of a folder, and closing a server. */
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
 * Returns the file for a URL, with its media type.
 *
 * @param {string} dir
 * @param {string} url
 * @throws Error if there is no such file; URIError or TypeError for an invalid path such as `/%zz`
 */
export async function fileFor(dir, url) {
  const path = pathOf(url)
  const content = await readFile(join(dir, path))
  return { path, content, type: TYPES[extname(path)] ?? 'application/octet-stream' }
}

/** @param {string} url */
function pathOf(url) {
  const { pathname } = new URL(url, 'http://page')
  // Remove dot segments that were percent-encoded. The URL parser has removed all other dot segments.
  const path = normalize(decodeURIComponent(pathname))
  return path.endsWith('/') ? `${path}index.html` : path
}

/**
 * Returns the URL of a listening server, and a function that closes it.
 *
 * @param {import('node:http').Server} server
 * @param {string} host
 */
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
