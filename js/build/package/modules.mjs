// The package's modules: what Node, bundlers, Deno, Bun and edge runtimes load. Readable, with source maps.

import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { dist, isInstalled, MODULES, manifest, out, root } from './names.mjs'

/** Modules that stay imports: Node's, those of a platform (`#core`), the package by its own name, and the WebAssembly. */
const EXTERNAL = new RegExp(`^(node:|#|${manifest.name})|\\.wasm(\\?module)?$`)

/** Reads the maps that tsc has written, so that those of the bundles lead to the TypeScript; the code of others has none. */
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
 * Names a file that is loaded later after its module, and a common one after the module that imports the others.
 *
 * @param {import('rolldown').PreRenderedChunk} chunk
 */
function fileOf({ facadeModuleId, moduleIds }) {
  return facadeModuleId
    ? relative(join(root, 'dist'), facadeModuleId)
    : `common/${basename(moduleIds.at(-1) ?? 'runtime.js')}`
}

/** Finds a source from its map in the package, which has the TypeScript. @param {string} source @param {string} map */
export function inPackage(source, map) {
  return relative(dirname(map), resolve(dirname(map), source).replace(join(root, 'js'), join(out, 'js')))
}

/** @returns {Promise<readonly string[]>} the modules in them */
export async function bundleModules() {
  const bundle = await rolldown({
    input: Object.fromEntries(MODULES.map((path) => [path, dist(path)])),
    external: (id) => EXTERNAL.test(id) || isInstalled(id),
    platform: 'neutral',
    plugins: [sourceMaps],
  })
  const { output } = await bundle.write({
    dir: join(out, 'dist'),
    chunkFileNames: fileOf,
    comments: { annotation: true, jsdoc: false, legal: false },
    sourcemap: true,
    sourcemapPathTransform: inPackage,
  })
  await bundle.close()
  return output.flatMap(({ moduleIds = [] }) => moduleIds)
}
