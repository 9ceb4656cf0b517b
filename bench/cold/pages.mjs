import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join, normalize } from 'node:path'
import { launch } from '../../tests/browsers/launch.mjs'

const FILES = '/alvarium-sdk/dist'
/**
 * Measures page loads in one Chromium with cached files, from opening a page until its code has run.
 *
 * @param {string} folder
 */
export async function openPages(folder) {
  const server = await listen(join(folder, 'node_modules'))
  const browser = await launch('chromium')
  return {
    async started(code) {
      // Skip mqtt, because the page's import map does not contain it.
      if (code.includes("'mqtt'")) return undefined
      const page = await browser.newPage()
      await page.goto(`http://127.0.0.1:${server.address().port}/?${encodeURIComponent(code)}`)
      const clock = await page.waitForFunction(() => globalThis.took).then((took) => took.jsonValue())
      await page.close()
      return { clock }
    },
    async close() {
      await browser.close()
      server.close()
    },
  }
}

async function listen(root) {
  const server = createServer(async ({ url = '' }, response) => {
    const { pathname, search } = new URL(url, 'http://page')
    if (pathname === '/favicon.ico') return response.end()
    if (pathname === '/')
      return response.setHeader('content-type', 'text/html').end(pageOf(decodeURIComponent(search.slice(1))))
    response.setHeader('content-type', 'text/javascript')
    response.setHeader('cache-control', 'max-age=31536000, immutable')
    return response.end(await readFile(join(root, normalize(pathname))))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  return server
}

function pageOf(code) {
  const imports = {
    'alvarium-sdk': `${FILES}/browser/default.js`,
    '@noble/ed25519': '/@noble/ed25519/index.js',
  }
  return `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">
${code}
globalThis.took = performance.now()
</script>`
}
