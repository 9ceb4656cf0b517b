// The size of the package in a bundle, compared with its budget, and its starting time. Raise a budget only for a
// worthwhile addition.

import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ESBUILD } from './environments/bundlers.mjs'
import { succeed } from './processes.mjs'
import { layOut } from './project.mjs'
import { UNUSED, unusedSizes } from './unused.mjs'

/** Programs, and their budgets in bytes of gzip. */
export const BUDGETS = {
  'all of alvarium-sdk/verify, core inside': ['export * from "alvarium-sdk/verify"', 111_000],
  'verifying only, core inside': ['export { verifyMessage } from "alvarium-sdk/verify"', 102_000],
  'verifying sets, core inside': [
    'export { Keyring } from "alvarium-sdk/verify"; export { verifySet, verifyMember, verifyAbsent } from "alvarium-sdk/sets"',
    // The program shares a chunk with trust policies, of which esbuild keeps a kilobyte.
    108_000,
  ],
  'sealing only, core inside, as it starts': [
    'export { openSdk, source, memory } from "alvarium-sdk"',
    130_000,
    'at first',
  ],
  'everything with mqtt, core inside': [
    'export * from "alvarium-sdk"; export * from "alvarium-sdk/pool"',
    235_000,
  ],
}
export const FILES = {
  "the pool's worker": ['dist/sdk/pool/worker.js', 34_000],
  'the core': ['dist/core.wasm', 94_000],
  'the other algorithms': ['dist/algorithms.wasm', 113_000],
}
const BUNDLE = ['--bundle', '--splitting', '--minify', '--format=esm', '--log-level=error', '--outdir=out']
/** Files that are loaded on first use: for a key of another algorithm, and for a source, which is 2 kB. */
const ON_FIRST_USE = /dist\/(?:foundation\/algorithms\/generated\/inline|signing\/sources\/digest)\.js$/
const STARTS = 5
const START = `const from = performance.now()
const { generateKey, memory, openSdk, source } = await import('alvarium-sdk')
const loaded = performance.now()
const sdk = await openSdk({ signingKey: generateKey().signingKey, annotators: [source()], stream: memory() })
await sdk.create(new Uint8Array(100))
console.log(JSON.stringify([loaded - from, performance.now() - from]))
await sdk.close()
`

/** @typedef {{ name: string, bytes: number, most: number }} Size */

/** @returns {Promise<Size[]>} */
export async function sizes(given) {
  const project = { name: 'sizes', packages: ESBUILD, files: { 'start.mjs': START } }
  const folder = await layOut(project, given)
  const found = []
  for (const [name, [program, most, when]] of Object.entries(BUDGETS)) {
    found.push({ name, most, bytes: await bundleSize(program, folder, when === 'at first') })
  }
  for (const [name, [path, most]] of Object.entries(FILES)) {
    found.push({ name, most, bytes: await gzipped(join(folder, 'node_modules/alvarium-sdk', path)) })
  }
  return [...found, ...(await unusedSizes(await layOut(UNUSED, given)))]
}

async function bundleSize(program, folder, isAtFirst) {
  await writeFile(join(folder, 'in.mjs'), program)
  const out = join(folder, 'out')
  await rm(out, { recursive: true, force: true })
  await succeed(['npx', 'esbuild', 'in.mjs', ...BUNDLE, '--metafile=out/meta.json'], folder)
  const { outputs } = JSON.parse(await readFile(join(out, 'meta.json'), 'utf8'))
  const code = await Promise.all(
    filesOf(outputs, 'out/in.js', isAtFirst).map((path) => readFile(join(folder, path))),
  )
  return gzipSync(Buffer.concat(code), { level: 9 }).length
}

/** Returns the files that are loaded, at first or in total; esbuild also leaves chunks that no file imports. */
function filesOf(outputs, from, isAtFirst) {
  const found = new Set([from])
  for (const path of found) {
    for (const { path: next, kind } of outputs[path].imports) {
      if (isAtFirst && kind === 'dynamic-import') continue
      if (!Object.keys(outputs[next].inputs).some((input) => ON_FIRST_USE.test(input))) found.add(next)
    }
  }
  return [...found]
}

const gzipped = async (path) => gzipSync(await readFile(path), { level: 9 }).length

/**
 * Returns median starting times in milliseconds, without a limit, because other users of the machine slow them down.
 */
export async function startingTimes({ cache }) {
  const times = []
  for (let start = 0; start < STARTS; start++) {
    times.push(JSON.parse(await succeed([process.execPath, 'start.mjs'], join(cache, 'sizes'))))
  }
  const [loaded, created] = [0, 1].map((column) => middle(times.map((row) => row[column])))
  return `cold import ${loaded.toFixed(0)} ms, first create() after ${created.toFixed(0)} ms (Node ${process.versions.node})`
}

const middle = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]

/** @param {Size} size */
export function sizeRow({ name, bytes, most }) {
  return `${name.padEnd(50)}${bytes <= most ? '✓' : '✗'} ${bytes} bytes of gzip, at most ${most}`
}
