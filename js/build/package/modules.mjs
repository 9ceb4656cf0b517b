// Bundles the modules of a package for Node, bundlers, Deno, Bun and edge runtimes, with source maps.

import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { dist, root } from './names.mjs'

/** Browser build of yaml as ES modules, which also runs in Node. The build of yaml for Node is CommonJS. */
const YAML = join(root, 'node_modules/yaml/browser/index.js')
const ALWAYS_OUTSIDE = /^node:|\.wasm(\?module)?$/

/** Loads tsc's source maps, so that the maps of bundles lead to the TypeScript. Other code gets no map. */
export const sourceMaps = {
  name: 'source-maps',
  load(/** @type {string} */ id) {
    if (!/\.m?js$/.test(id)) return undefined
    const isOwn = id.startsWith(join(root, 'dist')) && existsSync(`${id}.map`)
    const map = isOwn ? readFileSync(`${id}.map`, 'utf8') : { mappings: '', sources: [] }
    return { code: readFileSync(id, 'utf8'), map }
  },
}

/**
 * Names a chunk after the module or package that is loaded lazily from it. A shared chunk gets the name of
 * its last module, which imports the others. Shared chunks lie as many folders deep as
 * `foundation/modules/files.ts`, because that module loads WebAssembly by relative URL and may be in a shared
 * chunk.
 *
 * @param {import('rolldown').PreRenderedChunk} chunk
 */
function fileOf({ facadeModuleId, moduleIds }) {
  const [, foreign] = /node_modules\/([\w-]+)/.exec(facadeModuleId ?? '') ?? []
  if (foreign) return `foundation/common/${foreign}.js`
  return facadeModuleId
    ? relative(join(root, 'dist'), facadeModuleId)
    : `foundation/common/${basename(moduleIds.at(-1) ?? 'runtime.js')}`
}

/** Returns a function that points source maps to the package's copy of the TypeScript. @param {string} out */
export const inPackage = (out) => (/** @type {string} */ source, /** @type {string} */ map) =>
  relative(dirname(map), resolve(dirname(map), source).replace(join(root, 'js'), join(out, 'js')))

/**
 * Writes the bundles of a package.
 *
 * @param {import('./names.mjs').PACKAGES[number]} one
 * @returns {Promise<readonly string[]>} paths of the bundled modules
 */
export async function bundleModules({ modules, outside, out }) {
  const bundle = await rolldown({
    input: Object.fromEntries(modules.map((path) => [path, dist(path)])),
    external: (id) => ALWAYS_OUTSIDE.test(id) || outside.some((name) => isPartOf(id, name)),
    platform: 'neutral',
    // Resolve `#` imports to the modules for Node. Only alvarium-command and alvarium-artifacts bundle these
    // imports.
    resolve: { conditionNames: ['node', 'import'], alias: { yaml: YAML } },
    plugins: [sourceMaps],
  })
  const { output } = await bundle.write({
    dir: join(out, 'dist'),
    chunkFileNames: fileOf,
    comments: { annotation: true, jsdoc: false, legal: false },
    sourcemap: true,
    sourcemapPathTransform: inPackage(out),
  })
  await bundle.close()
  return output.flatMap(({ moduleIds = [] }) => moduleIds)
}

/**
 * Returns whether an import leads to a package, to a path in the package, or to a `#` import.
 *
 * @param {string} id of the import: a specifier or a path
 * @param {string} name of the package, or `#` for all `#` imports
 */
function isPartOf(id, name) {
  return id === name || id.startsWith(`${name}/`) || (name === '#' && id.startsWith(name))
}
