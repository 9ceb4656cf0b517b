// dist/esm and dist/cjs: the compiled modules put together, so that a process reads five files and not a hundred and fifty. A file for
// each of the package's names and platforms, and what they share in others: there is one copy of each class. There are no
// source maps: whoever wants to step through it installs a clone (`npm install ../alvarium-sdk`), which has the modules and theirs.

import { cpSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { reached } from './graph.mjs'
import { inLines } from './lines.mjs'
import { fileOf, INSTALLED, manifest, NAMES, out, PLATFORMS, root } from './names.mjs'

const dist = (path) => join(root, 'dist', `${path}.js`)
/** What npm installs beside it, and what it asks of who needs it. */
const OUTSIDE = [...INSTALLED, ...Object.keys(manifest.peerDependencies)]
const isInstalled = (id) => OUTSIDE.some((name) => id === name || id.startsWith(`${name}/`))
/** For Node alone, where an ES module can import what is required elsewhere. */
const SCHEMAS = dist('artifacts/schemas')
const TEXT = dist('algorithms/generated/inline')
/** What is large, and loaded late or by few: each stays the file that ../wasm.mjs or ../bundles.mjs has made. dist/browser loads them too. */
const APART = [
  'core/generated/inline',
  'core/generated/ed25519',
  'pool/worker-source',
  'platform/mqtt-workerd',
]
const external = (id) => isInstalled(id) || /^(node:|#)/.test(id)
/** Shorter, and read faster. Functions and classes keep their names: stack traces say them. */
const minify = {
  compress: { keepNames: { function: true, class: true } },
  mangle: { toplevel: true, keepNames: true },
  codegen: { removeWhitespace: true },
}

/** @returns {Promise<readonly string[]>} the modules in them */
export async function bundlePrograms() {
  const paths = [...Object.entries(NAMES), ...PLATFORMS.map((path) => [fileOf(path), path])]
  const command = { alvarium: dist('cli/main') }
  for (const path of APART) cpSync(dist(path), join(out, `dist/esm/${fileOf(path)}.js`))
  const esm = await bundled(
    { input: { ...inputs(paths), ...command }, external, platform: 'neutral', plugins: [beside] },
    { dir: join(out, 'dist/esm'), format: 'esm', codeSplitting: { groups: await groups() } },
  )
  const cjs = await bundled(
    {
      input: { ...inputs(Object.entries(NAMES)), schemas: SCHEMAS },
      external: (id) => isInstalled(id) || id.startsWith('node:'),
      platform: 'node',
      plugins: [neverAsked],
      resolve: { conditionNames: ['node', 'import', 'default'] },
      transform: { inject: NOT_IN_JEST },
    },
    {
      dir: join(out, 'dist/cjs'),
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: 'shared-[name].cjs',
      dynamicImportInCjs: false,
      codeSplitting: { groups: await groups() },
    },
  )
  const commander = await bundled(
    { input: { commander: join(root, 'node_modules/commander/esm.mjs') }, platform: 'node' },
    { dir: join(out, 'dist/esm'), format: 'esm' },
  )
  return [...esm, ...cjs, ...commander]
}

/** Jest's environment of a page has no others, and nothing to load an ES module with. */
const NOT_IN_JEST = {
  TextDecoder: ['node:util', 'TextDecoder'],
  TextEncoder: ['node:util', 'TextEncoder'],
  setImmediate: ['node:timers', 'setImmediate'],
}

/** Texts are for bundles, which are made of the ES modules: CommonJS has the files. */
const neverAsked = {
  name: 'never-asked',
  load(id) {
    if (id === dist('pool/worker-source')) return "export const source = ''"
    if (id === TEXT) return ''
  },
}

const inputs = (paths) => Object.fromEntries(paths.map(([name, path]) => [name, dist(path)]))

/**
 * The command imports the package by its name, as users do: that is a file beside it. What is a script as well is one of dist/browser's.
 */
const beside = {
  name: 'beside',
  resolveId(id, importer) {
    const [, name = 'default'] = /^alvarium-sdk(?:\/(.+))?$/.exec(id) ?? []
    if (/\.wasm(\?module)?$/.test(id)) return { id, external: true }
    // CommonJS, which is put together in a way of its own.
    if (id === 'commander') return { id: './commander.js', external: true }
    if (id.startsWith('alvarium-sdk')) return { id: `./${name.replaceAll('/', '-')}.js`, external: true }
    const found = importer && resolve(dirname(importer), id)
    if (found === SCHEMAS) return { id: '../cjs/schemas.cjs', external: true }
    if (found === TEXT) return { id: '../browser/algorithms.js', external: true }
    const apart = APART.find((path) => found === dist(path))
    if (apart) return { id: `./${fileOf(apart)}.js`, external: true }
  },
}

/** Who only verifies reads what that needs, who does more a file or two more. A bundler leaves out whole files: mqtt, for who has none. */
export async function groups() {
  const verifying = await reached(dist('verifying'))
  const sealing = await reached(dist('sdk'))
  const mqtt = new Set([...(await reached(dist('streams/mqtt/mqtt'))), ...(await reached(dist('subscribe')))])
  const everything = await reached(dist('index'))
  return [
    { name: 'verifying', test: (id) => verifying.has(id), priority: 3 },
    { name: 'sdk', test: (id) => sealing.has(id), priority: 2 },
    { name: 'mqtt', test: (id) => mqtt.has(id), priority: 1 },
    { name: 'streams', test: (id) => everything.has(id), priority: 0 },
  ]
}

async function bundled(options, output) {
  const bundle = await rolldown({ ...options, transform: { target: 'es2022', ...options.transform } })
  const names = { entryFileNames: '[name].js', chunkFileNames: 'shared-[name].js' }
  const settings = { ...names, comments: false, strict: true, minify }
  const { output: files } = await bundle.write({ ...settings, ...output })
  await bundle.close()
  for (const { fileName, code } of files) writeFileSync(join(output.dir, fileName), inLines(code))
  return files.flatMap(({ moduleIds = [] }) => moduleIds)
}
