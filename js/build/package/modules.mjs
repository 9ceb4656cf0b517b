// Bundles the modules of a package for Node, bundlers, Deno, Bun and edge runtimes: readable, with source maps.

import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { dist, root } from './names.mjs'

/** The ES modules of yaml, which also run in Node: yaml's build for Node is CommonJS. */
const YAML = join(root, 'node_modules/yaml/browser/index.js')
/** Modules that stay imports in all packages: Node's, and WebAssembly. */
const ALWAYS_OUTSIDE = /^node:|\.wasm(\?module)?$/

/** Loads tsc's source maps, so that the maps of the bundles lead to the TypeScript. Third-party code gets no map. */
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
 * Names a lazily loaded file after its module or package, and a shared file after the module that imports the others. Shared files are
 * as deep as the modules that find a file by their own URL (`foundation/modules/files.ts`).
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

/** Makes the source maps in a package lead to the copy of the TypeScript there. @param {string} out */
export const inPackage = (out) => (/** @type {string} */ source, /** @type {string} */ map) =>
  relative(dirname(map), resolve(dirname(map), source).replace(join(root, 'js'), join(out, 'js')))

/**
 * Makes the bundles of a package.
 *
 * @param {import('./names.mjs').PACKAGES[number]} one
 * @returns {Promise<readonly string[]>} the modules in the bundles
 */
export async function bundleModules({ modules, outside, out }) {
  const bundle = await rolldown({
    input: Object.fromEntries(modules.map((path) => [path, dist(path)])),
    external: (id) => ALWAYS_OUTSIDE.test(id) || outside.some((name) => isPartOf(id, name)),
    platform: 'neutral',
    // Options for names with `#` that are bundled: the command and the annotators of files run in Node.
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
 * Returns whether a module belongs to a package.
 *
 * @param {string} id of a module
 * @param {string} name of a package, or `#`
 */
function isPartOf(id, name) {
  return id === name || id.startsWith(`${name}/`) || (name === '#' && id.startsWith(name))
}
