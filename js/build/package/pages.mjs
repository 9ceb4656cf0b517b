// Bundles dist/browser: the package for pages without a bundler, minified, as modules for an import map and as a
// script.

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { inPackage, sourceMaps } from './modules.mjs'
import { dist, manifest, NAMES, PAGES, root, SDK } from './names.mjs'

const { out } = SDK

const BANNER =
  '/*! alvarium-sdk (Apache-2.0), with mqtt, valibot, leven (MIT) and others: see THIRD-PARTY-NOTICES.txt */'
/** Module with the other algorithms as text, which also runs as a script. */
const TEXT = 'foundation/algorithms/generated/inline'

/**
 * Makes the bundles: modules and the script.
 *
 * @returns {Promise<readonly string[]>} the modules in the bundles
 */
export async function bundlePages() {
  cpSync(dist(TEXT), join(out, 'dist/browser/algorithms.js'))
  const modules = Object.fromEntries(PAGES.map((name) => [name, dist(NAMES[name])]))
  return [
    ...(await bundle(modules, { format: 'esm', chunkFileNames: 'common-[hash].js' })),
    ...(await bundle(
      { script: dist('entries/script') },
      { format: 'iife', name: 'alvarium', codeSplitting: false },
    )),
  ]
}

/**
 * Plugin that leaves the text of the algorithms in a separate file, which the script loads with the first key of such
 * an algorithm.
 */
const separateText = {
  name: 'separate-text',
  resolveId(/** @type {string} */ id) {
    return id.endsWith('/generated/inline.js') && id.includes('algorithms')
      ? { id: './algorithms.js', external: true }
      : undefined
  },
}

async function bundle(input, output) {
  const isScript = output.format === 'iife'
  const rolled = await rolldown({
    input,
    platform: 'browser',
    resolve: { alias: aliases() },
    plugins: [separateText, sourceMaps],
    // A script has no URL of its own, so its pool starts workers from their text.
    ...(isScript && { transform: { define: { 'import.meta.url': 'undefined' } } }),
  })
  const settings = {
    dir: join(out, 'dist/browser'),
    minify: true,
    sourcemap: true,
    sourcemapPathTransform: inPackage(out),
    postBanner: BANNER,
  }
  const { output: files } = await rolled.write({ ...settings, ...output })
  await rolled.close()
  return files.flatMap(({ moduleIds = [] }) => moduleIds)
}

/** Returns files for the names with `#`, which pages cannot resolve. */
function aliases() {
  const own = Object.entries(manifest.imports).map(([name, targets]) => [name, join(root, targets.default)])
  return Object.fromEntries(own)
}
