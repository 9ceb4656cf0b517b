// Reads the console of a page in a real browser. Its files come from a server that adds no headers.

import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { launch } from '../browsers/launch.mjs'

const LIMIT_MS = 150_000
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.cjs': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
}

/**
 * @param {{ folder: string, broker: string, root?: string, url?: string, policy?: string, browser?: 'chromium' | 'firefox', extension?: string }} page
 *   `extension`: the folder of a browser extension
 * @returns {Promise<Record<string, string>>}
 */
export async function readPage({ folder, broker, root = '.', url, policy, browser = 'chromium', extension }) {
  const server = url ? undefined : await listen(join(folder, root), policy)
  const opened = await launch(
    browser,
    extension ? { pipe: true, enableExtensions: [join(folder, extension)] } : {},
  )
  try {
    const address = new URL(url ?? `http://127.0.0.1:${server.address().port}/`)
    address.searchParams.set('broker', broker)
    return await saidBy(await opened.newPage(), address.href)
  } finally {
    await opened.close()
    server?.closeAllConnections()
    server?.close()
  }
}

/** @returns {Promise<Record<string, string>>} the results of the job; without them, rejects with the other output */
function saidBy(page, url) {
  const said = []
  return new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error([why, ...said].join('\n')))
    const timer = setTimeout(() => fail(`nothing within ${LIMIT_MS / 1000} s`), LIMIT_MS)
    page.on('console', (line) => {
      const [, results] = line.text().match(/MATRIX (\{.*\})/) ?? []
      if (!results) return said.push(line.text())
      clearTimeout(timer)
      return resolve(JSON.parse(results))
    })
    page.on('pageerror', (error) => {
      said.push(String(error))
      clearTimeout(timer)
      // The page's last messages arrive within a second.
      setTimeout(() => fail('the page failed'), 1000)
    })
    page.goto(url).catch((error) => fail(String(error)))
  })
}

async function listen(root, policy) {
  const server = createServer(async ({ url }, response) => {
    const path = normalize(new URL(url, 'http://x').pathname)
    const file = join(root, path.endsWith('/') ? `${path}index.html` : path)
    const bytes = await readFile(file).catch(() => undefined)
    if (policy) response.setHeader('Content-Security-Policy', policy)
    response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream')
    response.writeHead(bytes ? 200 : 404).end(bytes)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
