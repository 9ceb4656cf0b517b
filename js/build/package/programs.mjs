// dist/esm and dist/cjs: the compiled modules put together, so that a process reads five files and not a hundred and fifty. A file for
// each of the package's names and platforms, and what they share in others: there is one copy of each class. There are no
// source maps: whoever wants to step through it installs a clone (`npm install ../alvarium-sdk`), which has the modules and theirs.

import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { groups } from './chunks.mjs'
import { writeCommonJs } from './commonjs.mjs'
import { withoutFacades } from './facades.mjs'
import { inLines } from './lines.mjs'
import { dist, fileOf, isInstalled, MINIFIED, NAMES, out, PLATFORMS, root } from './names.mjs'

/** For Node alone, where an ES module can import what is required elsewhere. */
const SCHEMAS = dist('artifacts/schemas')
const TEXT = dist('algorithms/generated/inline')
/** What is large, and loaded late or by few: each stays the file that ../wasm.mjs or ../bundles.mjs has made. dist/browser loads them too. */
const APART = ['platform/mqtt-workerd']
const WORKER_SOURCE = 'pool/worker-source'
/** What these share is a few lines: it is in both, or each connection would ask for a file more. */
const OF_PAGES = ['platform/transport-browser', 'platform/transport-workerd']
const external = (id) => isInstalled(id) || /^(node:|#)/.test(id)

/** @returns {Promise<readonly string[]>} the modules in them */
export async function bundlePrograms() {
  const platforms = PLATFORMS.filter((path) => !OF_PAGES.includes(path))
  const paths = [...Object.entries(NAMES), ...platforms.map((path) => [fileOf(path), path])]
  const command = { alvarium: dist('cli/main') }
  for (const path of APART) cpSync(dist(path), join(out, `dist/esm/${fileOf(path)}.js`))
  await writeWorkerSource()
  const esm = await bundled(
    { input: { ...inputs(paths), ...command }, external, platform: 'neutral', plugins: [beside] },
    { dir: join(out, 'dist/esm'), format: 'esm', codeSplitting: { groups: await groups() } },
  )
  for (const path of OF_PAGES) {
    const input = inputs([[fileOf(path), path]])
    const settings = { dir: join(out, 'dist/esm'), format: 'esm' }
    esm.push(...(await bundled({ input, external, platform: 'neutral', plugins: [beside] }, settings)))
  }
  const commander = await bundled(
    { input: { commander: join(root, 'node_modules/commander/esm.mjs') }, platform: 'node' },
    { dir: join(out, 'dist/esm'), format: 'esm' },
  )
  await bundled(
    { input: { schemas: SCHEMAS }, platform: 'node' },
    { dir: join(out, 'dist/cjs'), format: 'cjs', entryFileNames: '[name].cjs' },
  )
  writeCommonJs()
  return [...esm, ...commander]
}

/**
 * The text of the pool's worker, in two files: in the tarball the worker itself is between them, where gzip finds either half of it. See
 * pack.mjs.
 */
async function writeWorkerSource() {
  const { source } = await import(pathToFileURL(dist(WORKER_SOURCE)).href)
  const half = source.length >> 1
  const [start, rest] = [source.slice(0, half), source.slice(half)].map((text) => JSON.stringify(text))
  const write = (name, code) => writeFileSync(join(out, 'dist/esm', name), code)
  write('pool-worker-source-start.js', `export const start = ${start}\n`)
  write(
    'pool-worker-source.js',
    `import { start } from './pool-worker-source-start.js'\nexport const source = start + ${rest}\n`,
  )
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
    const apart = [...APART, WORKER_SOURCE].find((path) => found === dist(path))
    if (apart) return { id: `./${fileOf(apart)}.js`, external: true }
  },
}

async function bundled(options, output) {
  const bundle = await rolldown({ ...options, transform: { target: 'es2022', ...options.transform } })
  const names = { entryFileNames: '[name].js', chunkFileNames: 'shared-[name].js' }
  const settings = { ...names, comments: false, strict: true, minify: MINIFIED }
  const { output: files } = await bundle.write({ ...settings, ...output })
  await bundle.close()
  for (const { fileName } of files) rmSync(join(output.dir, fileName))
  for (const [name, code] of withoutFacades(files)) writeFileSync(join(output.dir, name), inLines(code))
  return files.flatMap(({ moduleIds = [] }) => moduleIds)
}
