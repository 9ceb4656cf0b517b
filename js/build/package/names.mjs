// The names of package.json's `exports` and `imports`, and the other things that are published.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../..', import.meta.url))
/** A compiled module, by its path: `pool/pool`. */
export const dist = (path) => join(root, 'dist', `${path}.js`)
/** What is published, before it is packed. */
export const out = join(root, 'package')
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The packages of npm that are installed beside ours. What else package.json has there, `npm start` needs. */
export const DEPENDENCIES = ['commander', 'ws']

/** Packages that package.json does not name, and that are used where they are found: for YAML, and to make a database faster. */
const ADDITIONS = ['yaml', '@electric-sql/pglite-prepopulatedfs']

const OUTSIDE = [...DEPENDENCIES, ...Object.keys(manifest.peerDependencies), ...ADDITIONS]

/** Says whether a module is another package's, which npm installs. @param {string} id */
export const isInstalled = (id) => OUTSIDE.some((name) => id === name || id.startsWith(`${name}/`))

/** The packages of npm that are put into the files: small ones, of which it takes a part. The licences of all are looked at. */
export const BUNDLE_PARTS = ['leven', 'structured-headers', 'valibot']

/** One file that imports nothing: a worker's file is found by its URL. */
export const WORKER = './dist/pool/worker.js'

const ENTRIES = [
  ...Object.values(manifest.exports),
  ...Object.values(manifest.imports).flatMap((targets) => Object.values(targets)),
  ...Object.values(manifest.bin),
  './dist/store/pglite-worker.js',
]

/** The modules that package.json names, and a thread's file: `index`, `pool/pool`, `platform/node`. */
export const MODULES = [...new Set(ENTRIES)]
  .filter((path) => path.endsWith('.js') && path !== WORKER)
  .map(inDist)

/** The names with code, and their modules: `{ default: 'index', pool: 'pool/pool', 'store-serve': 'store/serve/serve' }`. */
export const NAMES = Object.fromEntries(
  Object.entries(manifest.exports)
    .filter(([, path]) => path.endsWith('.js') && path !== WORKER)
    .map(([name, path]) => [
      name === '.' ? 'default' : name.slice('./'.length).replaceAll('/', '-'),
      inDist(path),
    ]),
)

/** The names that pages have without a bundler, in dist/browser. */
export const PAGES = [
  ...['default', 'pool', 'outbox', 'http', 'completeness', 'judge'],
  ...['packs', 'records', 'sets', 'trust', 'verify'],
]

/** @param {string} path `./dist/pool/pool.js` */
function inDist(path) {
  return path.replace(/^(\.\/)?dist\/|\.js$/g, '')
}

/** Pages of the guide that are read before a version is installed: the front page, which README.md replaces, the needs of a gateway, the move from another SDK, and the threats. */
const BEFORE = ['index.md', 'gateway.md', 'migrating.md', 'threats.md']

/**
 * Texts that are published unchanged. README and the guide link to them. npm shows the other things that they link to out of the
 * repository.
 */
export const TEXTS = [
  ...['README.md', 'LICENSE', 'crate/FORMAT.md'],
  'examples/metrics/prometheus.mjs',
  // The guide's pages and pictures, without the program that builds them into a site.
  ...readdirSync(join(root, 'examples/guide'))
    .filter((name) => /\.(md|svg)$/.test(name) && !BEFORE.includes(name))
    .map((name) => `examples/guide/${name}`),
]
