/** What servers of built pages share: files of a folder, and the end of a server. */
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
 * The file that a URL asks for, and its type.
 *
 * @param {string} dir
 * @param {string} url
 * @throws Error where there is none; URIError, TypeError for what is no path: anybody can ask for `/%zz`
 */
export async function fileFor(dir, url) {
  const path = pathOf(url)
  const content = await readFile(join(dir, path))
  return { path, content, type: TYPES[extname(path)] ?? 'application/octet-stream' }
}

/** @param {string} url */
function pathOf(url) {
  const { pathname } = new URL(url, 'http://page')
  // The URL has resolved its dots already; normalize() sees to the encoded ones.
  const path = normalize(decodeURIComponent(pathname))
  return path.endsWith('/') ? `${path}index.html` : path
}

/** Where a server is that listens, and how it ends. @param {import('node:http').Server} server @param {string} host */
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
