import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join, normalize } from 'node:path'
import { launch } from '../../tests/browsers/launch.mjs'

const FILES = '/alvarium-sdk/dist'
const CORE = `${FILES}/core.wasm`

/** Ways to have the package in a page: what the head has for it, and what comes before its first use. */
const WAYS = {
  default: { entry: 'default.js', head: '', first: '' },
  // As the guide has it: examples/guide/runtimes.md.
  slim: {
    entry: 'slim.js',
    head: `<link rel="preload" as="fetch" crossorigin href="${CORE}">`,
    first: `const core = WebAssembly.compileStreaming(fetch('${CORE}'))
const { useCore } = await import('alvarium-sdk')
useCore(await core)
`,
  },
}

/**
 * Pages of one Chromium, one after another, whose files are in its cache: from where they are opened until they are done.
 *
 * @param {string} folder
 * @param {keyof typeof WAYS} [way]
 */
export async function openPages(folder, way = 'default') {
  const server = await listen(join(folder, 'node_modules'), way)
  const browser = await launch('chromium')
  return {
    async started(code) {
      // Which has no page of modules.
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

async function listen(root, way) {
  const server = createServer(async ({ url = '' }, response) => {
    const { pathname, search } = new URL(url, 'http://page')
    if (pathname === '/favicon.ico') return response.end()
    if (pathname === '/')
      return response
        .setHeader('content-type', 'text/html')
        .end(pageOf(decodeURIComponent(search.slice(1)), way))
    response.setHeader('content-type', pathname.endsWith('.wasm') ? 'application/wasm' : 'text/javascript')
    response.setHeader('cache-control', 'max-age=31536000, immutable')
    return response.end(await readFile(join(root, normalize(pathname))))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  return server
}

function pageOf(code, way) {
  const { entry, head, first } = WAYS[way]
  const isOurs = code.includes("'alvarium-sdk'")
  const imports = {
    'alvarium-sdk': `${FILES}/browser/${entry}`,
    '@noble/ed25519': '/@noble/ed25519/index.js',
  }
  return `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>${isOurs ? head : ''}
<script type="module">
${isOurs ? first : ''}${code}
globalThis.took = performance.now()
</script>`
}
