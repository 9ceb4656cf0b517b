import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { basename, join, normalize } from 'node:path'
import { rolldown } from 'rolldown'
import { launch } from '../../tests/browsers/launch.mjs'

const MIB = 64

/** @param {string} folder with the package @param {import('../../tests/browsers/launch.mjs').BrowserName} name */
export async function openPage(folder, name) {
  const server = await listen(folder)
  const browser = await launch(name)
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${server.address().port}/`)
  await page.waitForFunction(() => globalThis.ways)
  return {
    ways: await page.evaluate(() => Object.keys(globalThis.ways)),
    run: (way) => page.evaluate(async (way) => void (await globalThis.ways[way]()), way),
    async close() {
      await browser.close()
      server.close()
    },
  }
}

const PAGE = `<!doctype html>
<script type="importmap">{ "imports": { "alvarium-sdk": "/node_modules/alvarium-sdk/dist/browser/default.js" } }</script>
<script type="module">
import { waysOf } from '/ways.mjs'
globalThis.ways = waysOf(${MIB})
</script>`

async function listen(root) {
  const server = createServer(async ({ url = '' }, response) => {
    if (url === '/') return response.setHeader('content-type', 'text/html').end(PAGE)
    response.setHeader('content-type', 'text/javascript')
    return response.end(await readFile(join(root, normalize(url))).catch(() => ''))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  return server
}

/** Opens a Worker in Cloudflare's runtime. @param {string} folder with the installed package */
export async function openWorker(folder) {
  const { Miniflare } = createRequire(join(folder, 'package.json'))('miniflare')
  const names = ['core.wasm', 'algorithms.wasm']
  const wasm = names.map(async (name) => ({
    type: 'CompiledWasm',
    path: `/${name}`,
    contents: await readFile(join(folder, 'node_modules/alvarium-sdk/dist', name)),
  }))
  const modules = [{ type: 'ESModule', path: '/worker.mjs', contents: await workerOf(folder) }]
  const runtime = new Miniflare({
    compatibilityDate: '2026-04-01',
    modulesRoot: '/',
    modules: [...modules, ...(await Promise.all(wasm))],
  })
  const ask = async (way) => (await runtime.dispatchFetch(`http://worker/?${encodeURIComponent(way)}`)).text()
  return {
    ways: (await ask('')).split('\n'),
    run: ask,
    close: () => runtime.dispose(),
  }
}

const WORKER = `import { waysOf } from './ways.mjs'
let ways
export default {
  async fetch(request) {
    ways ??= waysOf(${MIB})
    await ways[decodeURIComponent(new URL(request.url).search.slice(1))]?.()
    return new Response(Object.keys(ways).join('\\n'))
  },
}`

/** Makes the bundle of the Worker as Wrangler does: WebAssembly remains an import. */
async function workerOf(folder) {
  const input = join(folder, 'worker.mjs')
  await writeFile(input, WORKER)
  const resolveId = (id) => (id.endsWith('.wasm') ? { id: `./${basename(id)}`, external: true } : undefined)
  const conditionNames = ['workerd', 'worker', 'browser', 'import']
  const bundle = await rolldown({
    input,
    platform: 'browser',
    resolve: { conditionNames },
    plugins: [{ name: 'wasm', resolveId }],
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false, minify: true })
  await bundle.close()
  return output[0].code
}
