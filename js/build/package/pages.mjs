// dist/browser: the package for pages without a bundler, and for bundlers that know nothing of package.json's `exports`. As modules
// that import nothing but each other by relative paths, for an import map; these load mqtt.js only when it is wanted. And as
// scripts, for a script tag: one that loads the other algorithms from beside it, and one that is a whole in one file.

import { cpSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { fileOf, out, root } from './names.mjs'
import { groups } from './programs.mjs'

const dist = (path) => join(root, 'dist', `${path}.js`)
const PAGES = {
  default: 'entries/default',
  pool: 'pool/pool',
  outbox: 'streams/outbox/outbox',
  http: 'http/http',
  completeness: 'completeness/completeness',
  judge: 'judge/judge',
  packs: 'packs/packs',
  records: 'records/records',
  sets: 'sets/sets',
  trust: 'trust/trust',
  verify: 'entries/verify',
}
const BANNER =
  '/*! alvarium-sdk (Apache-2.0), with mqtt, valibot, leven (MIT) and what they bring: see THIRD-PARTY-NOTICES.txt */'
/** The one that is put together of its modules is two thirds of what mqtt.js brings for browsers. */
const MQTT = 'platform/mqtt-workerd'
/** What dist/esm has in a file of its own, which need not be there twice. */
const BESIDE = ['core/generated/inline', 'pool/worker-source', MQTT]
/** Read by script tags too: dist/browser/algorithms.js. */
const TEXT = 'algorithms/generated/inline'

/** @returns {Promise<readonly string[]>} the modules in them */
export async function bundlePages() {
  const modules = Object.entries(PAGES).map(([name, path]) => [name, dist(path)])
  cpSync(dist(TEXT), join(out, 'dist/browser/algorithms.js'))
  const made = await Promise.all([
    bundled(
      { input: Object.fromEntries(modules), plugins: [stays(BESIDE)] },
      { format: 'esm', codeSplitting: { groups: await groups() } },
    ),
    bundled(
      { input: { script: dist('entries/script') }, plugins: [ownText, stays([])] },
      { format: 'iife', name: 'alvarium', codeSplitting: false },
    ),
  ])
  return made.flat()
}

/**
 * A script has what its workers run already: they get its own text, which says first that it is to serve. That is a function's, so it needs
 * no file, and is not there twice.
 */
const ownText = {
  name: 'own-text',
  load(id) {
    if (id !== dist('pool/worker-source')) return undefined
    const first = `"globalThis[Symbol.for('alvarium-sdk.serving')] = true;"`
    return `export const source = ${first} + '(' + wholeScript + ')({})'`
  },
  renderChunk(code) {
    const named = code.replace('(function(', '(function wholeScript(')
    if (named === code) throw new Error('script.js: expected it to be a function, got none')
    return named
  },
}

async function bundled(options, output) {
  const bundle = await rolldown({
    platform: 'browser',
    transform: {
      target: 'es2022',
      // A script has no such thing: its pool starts workers from their text.
      ...(output.format === 'iife' && { define: { 'import.meta.url': 'undefined' } }),
    },
    resolve: { alias: { mqtt: dist(MQTT) } },
    ...options,
  })
  const names = { entryFileNames: '[name].js', chunkFileNames: 'shared-[name].js' }
  const settings = {
    dir: join(out, 'dist/browser'),
    ...names,
    minify: true,
    comments: false,
    postBanner: BANNER,
  }
  const { output: files } = await bundle.write({ ...settings, ...output })
  await bundle.close()
  return files.flatMap(({ moduleIds = [] }) => moduleIds)
}

/** @param {readonly string[]} paths of the modules that are files of dist/esm */
const stays = (paths) => ({
  name: 'stays-beside',
  resolveId(id, importer) {
    const written = id === 'mqtt' ? dist(MQTT) : id
    const found = importer && id.startsWith('.') ? resolve(dirname(importer), id) : written
    if (found === dist(TEXT)) return { id: './algorithms.js', external: true }
    const path = paths.find((path) => found === dist(path))
    return path && { id: `../esm/${fileOf(path)}.js`, external: true }
  },
})
