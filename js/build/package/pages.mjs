// dist/browser: the package for pages without a bundler, minified. Modules for an import map, and a script for a script tag.

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { inPackage, sourceMaps } from './modules.mjs'
import { dist, manifest, out, PAGES } from './names.mjs'

const BANNER =
  '/*! alvarium-sdk (Apache-2.0), with mqtt, valibot, leven (MIT) and others: see THIRD-PARTY-NOTICES.txt */'
/** The other algorithms, as text: a script and a module at once. */
const TEXT = 'algorithms/generated/inline'

/** @returns {Promise<readonly string[]>} the modules in them */
export async function bundlePages() {
  cpSync(dist(TEXT), join(out, 'dist/browser/algorithms.js'))
  const modules = Object.fromEntries(Object.entries(PAGES).map(([name, path]) => [name, dist(path)]))
  return [
    ...(await bundled(modules, { format: 'esm', chunkFileNames: 'common-[hash].js' })),
    ...(await bundled(
      { script: dist('entries/script') },
      { format: 'iife', name: 'alvarium', codeSplitting: false },
    )),
  ]
}

/** The text of the algorithms stays a file beside the script, which loads it with the first key of such an algorithm. */
const textBeside = {
  name: 'text-beside',
  resolveId(/** @type {string} */ id) {
    return id.endsWith('/generated/inline.js') && id.includes('algorithms')
      ? { id: './algorithms.js', external: true }
      : undefined
  },
}

async function bundled(input, output) {
  const isScript = output.format === 'iife'
  const bundle = await rolldown({
    input,
    platform: 'browser',
    resolve: { alias: aliases() },
    plugins: [textBeside, sourceMaps],
    // A script has no URL of its own: its pool starts workers from their text.
    ...(isScript && { transform: { define: { 'import.meta.url': 'undefined' } } }),
  })
  const settings = {
    dir: join(out, 'dist/browser'),
    minify: true,
    sourcemap: true,
    sourcemapPathTransform: inPackage,
    postBanner: BANNER,
  }
  const { output: files } = await bundle.write({ ...settings, ...output })
  await bundle.close()
  return files.flatMap(({ moduleIds = [] }) => moduleIds)
}

/** Pages find neither packages nor names with `#`. */
function aliases() {
  const own = Object.entries(manifest.imports).map(([name, targets]) => [
    name,
    join(out, '..', targets.default),
  ])
  return { ...Object.fromEntries(own), mqtt: dist('platform/mqtt-workerd') }
}
