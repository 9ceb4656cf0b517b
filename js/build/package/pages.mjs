// Bundles dist/browser, which pages load without a bundler: minified modules for an import map, and a script.

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { inPackage, sourceMaps } from './modules.mjs'
import { dist, manifest, NAMES, PAGES, root, SDK } from './names.mjs'

const { out } = SDK

const BANNER =
  '/*! alvarium-sdk (Apache-2.0), with mqtt, valibot, leven (MIT) and others: see THIRD-PARTY-NOTICES.txt */'
/** Module that contains the algorithms other than Ed25519 as text. The module also runs as a script. */
const TEXT = 'foundation/algorithms/generated/inline'

/**
 * Writes the bundles for pages: modules and a script.
 *
 * @returns {Promise<readonly string[]>} paths of the bundled modules
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
 * Rolldown plugin that leaves the text of the algorithms out of bundles. Pages load algorithms.js for the
 * first key that is not an Ed25519 key.
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
    // A script has no `import.meta.url`, so its pool starts workers from text.
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

/** Returns the files for `#` imports, because pages cannot resolve `#` imports. */
function aliases() {
  const own = Object.entries(manifest.imports).map(([name, targets]) => [name, join(root, targets.default)])
  return Object.fromEntries(own)
}
