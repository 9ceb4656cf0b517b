// Describes the three published packages, from the checkout's package.json files.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Returns the path of a compiled module by its name, such as `sdk/pool/pool`. */
export const dist = (path) => join(root, 'dist', `${path}.js`)
const manifestIn = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
export const manifest = manifestIn('.')

/** Entry files of workers, which are loaded by URL: the store's thread, and the pool's worker. */
const THREAD = './dist/store/database/pglite-worker.js'
export const WORKER = './dist/sdk/pool/worker.js'

/** Small npm packages that the published packages bundle in part. The tests check their licences. */
export const BUNDLE_PARTS = ['leven', 'structured-headers', 'valibot', 'yaml']

/** Packages that are never bundled, even if the manifest does not name them. */
const ADDITIONS = ['mqtt', '@electric-sql/pglite-prepopulatedfs']

/** Published text files. README and the guide link to them; texts.mjs rewrites links to other files. */
export const TEXTS = [
  ...['README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE', 'crate/FORMAT.md'],
  'examples/metrics/prometheus.mjs',
  // Add the pages and pictures of the guide, without the program that builds the site.
  ...readdirSync(join(root, 'examples/guide'))
    .filter((name) => /\.(md|svg)$/.test(name))
    .map((name) => `examples/guide/${name}`),
]

const POOL = ['dist/sdk/pool/worker.js', 'dist/sdk/pool/worker.js.map']
const wasm = (...names) => names.flatMap((name) => [`dist/${name}.wasm`, `dist/${name}.wasm.d.ts`])
const OF_NODE = Object.values(manifest.imports).map(({ node }) => node)

/** Packages that bundle the SDK's modules, and so do not depend on an installed alvarium-sdk's internals. */
const ARTIFACTS = packageOf('js/packages/artifacts', {})
const COMMAND = packageOf('js/packages/command', {
  files: [...POOL, ...wasm('core', 'algorithms')],
  entries: [...OF_NODE, THREAD],
})
export const SDK = packageOf('.', {
  files: [
    ...TEXTS,
    ...POOL,
    ...['schema.json', 'trust.schema.json', 'score.schema.json'].map((name) => `dist/${name}`),
    ...wasm('core', 'reference', 'algorithms'),
  ],
  entries: [...Object.values(manifest.imports).flatMap((targets) => Object.values(targets)), THREAD],
  // Do not bundle `#` imports, the package's own exports and alvarium-artifacts.
  outside: [ARTIFACTS.name, manifest.name, '#'],
})
export const PACKAGES = [SDK, ARTIFACTS, COMMAND]

/**
 * Describes a published package.
 *
 * @param {string} source folder of its package.json
 * @param {{ files?: string[], entries?: string[], outside?: string[] }} parts files to copy, further
 *   modules, and further packages that are not bundled
 */
function packageOf(source, { files = [], entries = [], outside = [] }) {
  const own = manifestIn(source)
  const { name, bin = {}, exports, dependencies, peerDependencies = {} } = own
  const installed = source === '.' ? [] : Object.keys(dependencies)
  const modules = [...Object.values(exports), ...Object.values(bin), ...entries].filter(isModule).map(inDist)
  const names = Object.entries(exports).filter(([, path]) => isModule(path))
  const key = name.replace('alvarium-', '')
  return {
    name,
    key,
    source,
    own,
    files,
    /** Folder that npm packs, such as `package/sdk`. */
    out: join(root, 'package', key),
    /** npm packages that npm installs as dependencies of the package. */
    installed,
    /** Names of packages that are not bundled. */
    outside: [...installed, ...Object.keys(peerDependencies), ...ADDITIONS, ...outside],
    modules: [...new Set(modules)],
    /** Export names with code, and their modules: `{ default: 'index', pool: 'sdk/pool/pool', … }`. */
    names: Object.fromEntries(names.map(([at, path]) => [nameOf(at), inDist(path)])),
  }
}

/** Export names of alvarium-sdk, and their modules. */
export const NAMES = SDK.names

/** Export names of alvarium-sdk with a bundle in dist/browser, for pages without a bundler. */
export const PAGES = [
  ...['default', 'pool', 'outbox', 'http', 'completeness', 'score'],
  ...['packs', 'records', 'sets', 'trust', 'verify'],
]

/**
 * Returns whether a path is a JavaScript module other than the pool's worker.
 *
 * @param {string} path
 */
function isModule(path) {
  return path.endsWith('.js') && path !== WORKER
}

/**
 * Returns the bundle name of an export: `store-serve` for `./store/serve`.
 *
 * @param {string} name
 */
function nameOf(name) {
  return name === '.' ? 'default' : name.slice('./'.length).replaceAll('/', '-')
}

/**
 * Returns the name of a module in dist/: `sdk/pool/pool` for `./dist/sdk/pool/pool.js`.
 *
 * @param {string} path
 */
function inDist(path) {
  return path.replace(/^(\.\/)?dist\/|\.js$/g, '')
}
