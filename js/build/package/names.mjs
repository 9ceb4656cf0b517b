// Names the three published packages and the contents of each, from the checkout's package.json files.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Returns the path of a compiled module, by its name: `pool/pool`. */
export const dist = (path) => join(root, 'dist', `${path}.js`)
const manifestIn = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
export const manifest = manifestIn('.')

/** Modules that are loaded by their file's URL: the store's thread, and the pool's worker, which imports nothing. */
const THREAD = './dist/store/database/pglite-worker.js'
export const WORKER = './dist/sdk/pool/worker.js'

/** Small npm packages that are bundled, in part. Their licences are checked. */
export const BUNDLE_PARTS = ['leven', 'structured-headers', 'valibot', 'yaml']

/** Packages that stay imports even if the manifest does not name them. */
const ADDITIONS = ['mqtt', '@electric-sql/pglite-prepopulatedfs']

/** Published texts. README and the guide link to them; texts.mjs changes their links to other files. */
export const TEXTS = [
  ...['README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE', 'crate/FORMAT.md'],
  'examples/metrics/prometheus.mjs',
  // Pages and pictures of the guide, without the program that builds the site.
  ...readdirSync(join(root, 'examples/guide'))
    .filter((name) => /\.(md|svg)$/.test(name))
    .map((name) => `examples/guide/${name}`),
]

const POOL = ['dist/sdk/pool/worker.js', 'dist/sdk/pool/worker.js.map']
const wasm = (...names) => names.flatMap((name) => [`dist/${name}.wasm`, `dist/${name}.wasm.d.ts`])
/** Modules for the names with `#`, in Node. */
const OF_NODE = Object.values(manifest.imports).map(({ node }) => node)

/** Packages that contain the SDK's modules that they need, so that neither depends on the internals of another copy. */
const ARTIFACTS = packageOf('js/packages/artifacts', {})
const COMMAND = packageOf('js/packages/command', {
  files: [...POOL, ...wasm('core', 'algorithms')],
  entries: [...OF_NODE, THREAD],
})
export const SDK = packageOf('.', {
  files: [
    ...TEXTS,
    ...POOL,
    ...['schema.json', 'trust.schema.json', 'judge.schema.json'].map((name) => `dist/${name}`),
    ...wasm('core', 'reference', 'algorithms'),
  ],
  entries: [...Object.values(manifest.imports).flatMap((targets) => Object.values(targets)), THREAD],
  // Names with `#`, the package's own names and the annotators of files stay imports.
  outside: [ARTIFACTS.name, manifest.name, '#'],
})
export const PACKAGES = [SDK, ARTIFACTS, COMMAND]

/**
 * Describes a package.
 *
 * @param {string} source the folder of its package.json
 * @param {{ files?: string[], entries?: string[], outside?: string[] }} parts files to copy; further modules; further packages that stay
 *   imports
 */
function packageOf(source, { files = [], entries = [], outside = [] }) {
  const own = manifestIn(source)
  const { name, bin = {}, exports, dependencies, peerDependencies = {} } = own
  const installed = source === '.' ? [] : Object.keys(dependencies)
  const modules = [...Object.values(exports), ...Object.values(bin), ...entries].filter(isModule).map(inDist)
  const names = Object.entries(exports).filter(([, path]) => isModule(path))
  const key = name.replace('alvarium-', '')
  return {
    ...{ name, key, source, own, files },
    /** Folder of its files before npm packs them: `package/sdk`. */
    out: join(root, 'package', key),
    /** npm packages that are installed with it. */
    installed,
    /** Names of packages that stay imports. */
    outside: [...installed, ...Object.keys(peerDependencies), ...ADDITIONS, ...outside],
    modules: [...new Set(modules)],
    /**
     * Export names with code, and their modules: `{ default: 'index', pool: 'pool/pool', 'store-serve':
     * 'store/serve/serve' }`.
     */
    names: Object.fromEntries(names.map(([at, path]) => [nameOf(at), inDist(path)])),
  }
}

/** Export names of alvarium-sdk, and their modules. */
export const NAMES = SDK.names

/** Export names that pages can load without a bundler, in dist/browser. */
export const PAGES = [
  ...['default', 'pool', 'outbox', 'http', 'completeness', 'judge'],
  ...['packs', 'records', 'sets', 'trust', 'verify'],
]

/**
 * Returns whether a path is a module to import.
 *
 * @param {string} path
 */
function isModule(path) {
  return path.endsWith('.js') && path !== WORKER
}

/**
 * Returns the name of a bundle.
 *
 * @param {string} name `./store/serve`
 */
function nameOf(name) {
  return name === '.' ? 'default' : name.slice('./'.length).replaceAll('/', '-')
}

/**
 * Returns a module's name in dist/.
 *
 * @param {string} path `./dist/sdk/pool/pool.js`
 */
function inDist(path) {
  return path.replace(/^(\.\/)?dist\/|\.js$/g, '')
}
