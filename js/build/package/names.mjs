// The package's names, as package.json's `exports` and `imports` have them: each leads to a compiled module. A name more is a line more
// there, and all that is published is made of it.

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
export const INSTALLED = ['mqtt', 'ws', 'yaml']

/** What npm installs beside it, and what it asks of who needs it. */
const OUTSIDE = [...INSTALLED, ...Object.keys(manifest.peerDependencies)]
export const isInstalled = (id) => OUTSIDE.some((name) => id === name || id.startsWith(`${name}/`))

/** What is in no module of ours: another's, Node's, the platform's, the WebAssembly; and for the command, the package. */
export const isOutside = (id) =>
  isInstalled(id) || /^(node:|#|commander$|alvarium-sdk)|\.wasm(\?module)?$/.test(id)

/** The packages of npm that are put into the files: small ones, of which it takes a part. The licences of all are looked at. */
export const BUNDLED = ['commander', 'leven', 'structured-headers', 'valibot']

/** What no other file of the package says again, and stays as it is: a worker's file is found by its URL. */
export const WORKER = './dist/pool/worker.js'

/** The names with code, as files have them, and the paths of their modules in dist: `{ default: 'entries/default', pool: 'entries/pool' }`. */
export const NAMES = Object.fromEntries(
  Object.entries(manifest.exports)
    .filter(([, path]) => path.endsWith('.js') && path !== WORKER)
    .map(([name, path]) => [
      name === '.' ? 'default' : name.slice('./'.length).replaceAll('/', '-'),
      inDist(path),
    ]),
)

/** What differs by platform: `#platform` and its like lead to one of these. */
export const PLATFORMS = [
  ...new Set(Object.values(manifest.imports).flatMap((targets) => Object.values(targets).map(inDist))),
].filter((path) => !Object.values(NAMES).includes(path))

/** The names that pages have without a bundler: dist/browser. */
export const PAGES = [
  'default',
  'pool',
  'outbox',
  'http',
  'completeness',
  'core',
  'judge',
  'packs',
  'records',
  'sets',
  'slim',
  'trust',
  'verify',
]

/** Shorter, and read faster. Functions and classes keep their names: stack traces say them. */
export const MINIFIED = {
  compress: { keepNames: { function: true, class: true } },
  mangle: { toplevel: true, keepNames: true },
  codegen: { removeWhitespace: true },
}

/** A module's name as a file of its own: `platform-node`. */
export const fileOf = (path) => path.replace(/^entries\//, '').replaceAll('/', '-')

/** `./dist/entries/pool.js` without what all of them have. */
function inDist(path) {
  return path.replace(/^\.\/dist\/|\.js$/g, '')
}

/** The file that a path of package.json has become. */
export function published(path) {
  const module = inDist(path)
  const [name = fileOf(module)] = Object.entries(NAMES).find(([, one]) => one === module) ?? []
  return `./dist/esm/${name}.js`
}

/** Pages of the guide that are read before a version is installed: the front page, which README.md replaces, the needs of a gateway, the move from another SDK, and the threats. */
const BEFORE = ['index.md', 'gateway.md', 'migrating.md', 'threats.md']

/**
 * What is published as it stands in the checkout. README and the guide link to it. npm shows the other things that they link to out of the
 * repository: a picture, what is about the code there, a service, the test vectors, and what is read before a version is installed.
 */
export const TEXTS = [
  ...['README.md', 'LICENSE', 'crate/FORMAT.md'],
  'examples/metrics/prometheus.mjs',
  // The guide's pages and pictures, not what builds them into a site.
  ...readdirSync(join(root, 'examples/guide'))
    .filter((name) => /\.(md|svg)$/.test(name) && !BEFORE.includes(name))
    .map((name) => `examples/guide/${name}`),
]
