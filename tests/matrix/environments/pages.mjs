import { createHash } from 'node:crypto'
import { esm, html, IN_PAGE, module } from './programs.mjs'

const POLICY = [
  ...["default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "worker-src 'self'"],
  ...['connect-src *', 'img-src data:', "style-src 'self'"],
].join('; ')
const VITE = { vite: '8.3.8' }
const files = { 'index.html': html(module('./main.mjs')), 'main.mjs': esm({ broker: IN_PAGE }) }
const build = [['npx', 'vite', 'build']]

/** A page that requires trusted scripts; the guide shows how its worker becomes trusted. */
const trusted = {
  'index.html': html(module('./main.mjs')),
  'main.mjs': `import url from 'alvarium-sdk/pool/worker?url'
const policy = trustedTypes.createPolicy('workers', { createScriptURL: (url) => url })
${esm({
  broker: IN_PAGE,
  pool: '() => pool({ workers: 1, worker: () => new Worker(policy.createScriptURL(url)) })',
})}`,
}

/** Builds a page with Vite's defaults, so that only the browser or its policy differs. */
const built = (name, page, more = {}) => ({
  name,
  packages: VITE,
  files,
  build,
  page: { root: 'dist', ...page },
  ...more,
})

const serviceWorker = `navigator.serviceWorker.onmessage = ({ data }) => console.log(data)
await navigator.serviceWorker.register('sw.js' + location.search, { type: 'module' })
`
const inServiceWorker = `import * as sdk from 'alvarium-sdk'
import { job } from './job.mjs'

addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(run()))
async function run() {
  await clients.claim()
  const results = await job({ sdk, broker: new URLSearchParams(location.search).get('broker') })
  for (const client of await clients.matchAll({ includeUncontrolled: true })) {
    client.postMessage('MATRIX ' + JSON.stringify(results))
  }
}
`

const INSTALLED = '/node_modules/alvarium-sdk/dist/browser'
const subpaths = ['pool', 'outbox', 'http', 'verify']
const importMap = `<script type="importmap">${JSON.stringify({
  imports: {
    'alvarium-sdk': `${INSTALLED}/default.js`,
    ...Object.fromEntries(subpaths.map((name) => [`alvarium-sdk/${name}`, `${INSTALLED}/${name}.js`])),
  },
})}</script>`
/** A missing name stops the page. */
const everyName = subpaths.map((name) => `import 'alvarium-sdk/${name}'\n`).join('')
/** Returns a page with the installed files, which a CDN serves too. */
const raw = (name, index, main) => ({
  name,
  files: { 'index.html': index, 'main.mjs': main },
  page: { root: '.' },
  short: true,
})
const globalProgram = `import { job } from './job.mjs'

const openPool = () => alvarium.pool({ workers: 1 })
job({ sdk: alvarium, openPool, broker: ${IN_PAGE} })
`

/** The job for scripts without imports. */
const classicJob = `self.module = {}
importScripts('${INSTALLED}/script.js', '${INSTALLED}/algorithms.js', 'job.cjs')
addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(run()))
async function run() {
  await clients.claim()
  const results = await module.exports.job({ sdk: alvarium, broker: new URLSearchParams(location.search).get('broker') })
  for (const client of await clients.matchAll({ includeUncontrolled: true })) {
    client.postMessage('MATRIX ' + JSON.stringify(results))
  }
}
`
const registersClassic = `navigator.serviceWorker.onmessage = ({ data }) => console.log(data)
await navigator.serviceWorker.register('sw.js' + location.search)
`
const inSharedWorker = `import * as sdk from 'alvarium-sdk'
import { job } from './job.mjs'

const broker = new URLSearchParams(self.name).get('broker')
self.onconnect = async ({ ports: [port] }) => port.postMessage('MATRIX ' + JSON.stringify(await job({ sdk, broker })))
`
/** A shared worker with a pool; Firefox lets it start workers. */
const sharedWithPool = inSharedWorker
  .replace('import { job }', "import { pool } from 'alvarium-sdk/pool'\nimport { job }")
  .replace('{ sdk, broker }', '{ sdk, openPool: () => pool({ workers: 1 }), broker }')
/** The name of the worker passes the page's parameters. */
const sharedWorker = `globalThis.worker = new SharedWorker('shared.js', { name: location.search, type: 'module' })
worker.port.onmessage = ({ data }) => console.log(data)
`
/** Returns a page with a shared worker, which is loaded next to the page's own scripts. */
const inSharedPage = (name, worker, more) => ({
  name,
  packages: { esbuild: '0.28.2' },
  files: { 'index.html': html(module('./main.mjs')), 'main.mjs': sharedWorker, 'worker.mjs': worker },
  build: [['npx', 'esbuild', 'worker.mjs', '--bundle', '--format=esm', '--outfile=shared.js']],
  page: { root: '.' },
  ...more,
})

const MATCHES = ['http://127.0.0.1/*']
const manifestOf = (more) => JSON.stringify({ manifest_version: 3, name: 'matrix', version: '1', ...more })
const EXTENSION = manifestOf({
  content_scripts: [
    {
      matches: MATCHES,
      js: ['begin.js', 'job.js', 'script.js', 'algorithms.js', 'content.js'],
    },
  ],
})
/** An extension's id consists of 32 letters for the digits of its key's hash. */
const KEY = Buffer.from('the matrix of alvarium-sdk')
const digits = createHash('sha256').update(KEY).digest('hex').slice(0, 32)
const letters = digits.replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)))
/** The origin of the background script, for a broker that allows it. */
export const BACKGROUND_ORIGIN = `chrome-extension://${letters}`
/** An extension whose background script does the job for a page. */
const BACKGROUND = manifestOf({
  key: KEY.toString('base64'),
  background: { service_worker: 'background.js' },
  content_scripts: [{ matches: MATCHES, js: ['content.js'] }],
  content_security_policy: { extension_pages: "script-src 'self' 'wasm-unsafe-eval'" },
})
const background = `globalThis.module = {}
importScripts('job.js', 'script.js', 'algorithms.js')
chrome.runtime.onMessage.addListener((broker, _, answer) => {
  module.exports.job({ sdk: alvarium, broker }).then(answer)
  return true
})
`
const intoExtension = [
  ['cp', ...['script', 'algorithms'].map((name) => `.${INSTALLED}/${name}.js`), 'extension'],
  // A file with another ending is not loaded, without any error.
  ['cp', 'job.cjs', 'extension/job.js'],
]
/** The server has another host name, so a browser treats it as another origin. */
const fromElsewhere = `<script>
for (const name of ['script', 'algorithms'])
  document.write('<script src="http://localhost:' + location.port + '${INSTALLED}/' + name + '.js"></' + 'script>')
</script>`
/** A frame without an origin, which can load only scripts. */
const frame = `const frame = document.createElement('iframe')
frame.sandbox = 'allow-scripts'
frame.src = 'frame.html' + location.search
document.body.append(frame)
`
const inFrame = html(
  `<script>module.exports.job({ sdk: alvarium, openPool: () => alvarium.pool({ workers: 1 }), broker: ${IN_PAGE} })</script>`,
  `<script>self.module = {}</script><script src="job.cjs"></script>${['script', 'algorithms']
    .map((name) => `<script src="${INSTALLED}/${name}.js"></script>`)
    .join('')}`,
)

/** @type {import('../environment.mjs').Environment[]} */
export const pages = [
  raw(
    'script tag',
    html(module('./main.mjs'), `<script src="${INSTALLED}/script.js"></script>`),
    globalProgram,
  ),
  raw('script tags of another origin', html(module('./main.mjs'), fromElsewhere), globalProgram),
  {
    name: 'script tags in a sandboxed frame',
    files: { 'index.html': html(module('./main.mjs')), 'main.mjs': frame, 'frame.html': inFrame },
    page: { root: '.' },
  },
  {
    name: 'service worker, classic, with importScripts',
    files: { 'index.html': html(module('./main.mjs')), 'main.mjs': registersClassic, 'sw.js': classicJob },
    page: { root: '.' },
    without: { pool: 'service workers start no workers' },
  },
  {
    name: 'content script of an extension (Manifest V3)',
    files: {
      'index.html': html(''),
      'extension/manifest.json': EXTENSION,
      'extension/begin.js': 'globalThis.module = {}\n',
      'extension/content.js': `module.exports.job({ sdk: alvarium, openPool: () => alvarium.pool({ workers: 1 }), broker: ${IN_PAGE} })\n`,
    },
    build: intoExtension,
    page: { root: '.', extension: 'extension' },
  },
  {
    name: 'background of an extension (Manifest V3)',
    files: {
      'index.html': html(''),
      'extension/manifest.json': BACKGROUND,
      'extension/background.js': background,
      'extension/content.js': `chrome.runtime.sendMessage(${IN_PAGE}, (results) => console.log('MATRIX ' + JSON.stringify(results)))\n`,
    },
    build: intoExtension,
    page: { root: '.', extension: 'extension' },
    without: { pool: 'service workers start no workers' },
  },
  raw('import map', html(module('./main.mjs'), importMap), everyName + esm({ broker: IN_PAGE })),
  inSharedPage('shared worker', inSharedWorker, {
    without: { pool: "Chromium's shared workers start no workers" },
  }),
  inSharedPage('shared worker, Firefox', sharedWithPool, { page: { root: '.', browser: 'firefox' } }),
  built('Chromium', {}),
  built('Firefox', { browser: 'firefox' }, { short: true }),
  built('strict Content-Security-Policy', { policy: POLICY }, { short: true }),
  built('Trusted Types', { policy: `${POLICY}; require-trusted-types-for 'script'` }, { files: trusted }),
  {
    name: 'service worker',
    packages: { esbuild: '0.28.2' },
    files: {
      'index.html': html(module('./main.mjs')),
      'main.mjs': serviceWorker,
      'worker.mjs': inServiceWorker,
    },
    build: [['npx', 'esbuild', 'worker.mjs', '--bundle', '--format=esm', '--outfile=sw.js']],
    page: { root: '.' },
    without: { pool: 'service workers start no workers' },
  },
]
