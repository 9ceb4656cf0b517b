// Packs package/ as npm does, and then smaller: the same files in a tarball that takes less to download.
//
//   npm run pack                              into the folder where it is run, or of npm's --pack-destination
//
// gzip finds what was there in the last 32 kB. npm sorts by the ends of names: the ES module of a name, its CommonJS and what pages have
// instead, which are nearly the same, are far from each other then. Beside each other, cut as chunks.mjs does and compressed by Zopfli,
// they take a sixth less.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { tool } from '../wasm.mjs'
import { out, root } from './names.mjs'

/** What tar counts in. A file is a header of one block, and as many as its bytes fill. */
const BLOCK = 512

/**
 * @param {string} folder
 * @returns {Promise<string>} the tarball in it
 */
export async function pack(folder) {
  mkdirSync(folder, { recursive: true })
  const args = ['pack', out, '--json', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(
    execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  const tarball = join(folder, filename)
  const entries = entriesOf(gunzipSync(readFileSync(tarball)))
  entries.sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
  const bytes = entries.map((entry) => entry.bytes)
  writeFileSync(`${tarball}.tar`, Buffer.concat([...bytes, Buffer.alloc(2 * BLOCK)]))
  const xtask = await tool(join(root, 'crate'), 'tarball')
  xtask('gzip', `${tarball}.tar`, tarball)
  rmSync(`${tarball}.tar`)
  return tarball
}

/** @param {Buffer} tar as npm writes it: no entry has a header before its header */
function entriesOf(tar) {
  const entries = []
  for (let at = 0, end = 0; tar[at] !== 0; at = end) {
    const name = textOf(tar.subarray(at, at + 100))
    const size = Number.parseInt(textOf(tar.subarray(at + 124, at + 136)), 8)
    end = at + BLOCK + BLOCK * Math.ceil(size / BLOCK)
    if (textOf(tar.subarray(at + 156, at + 157)) !== '0')
      throw new Error(`package: expected files, got another entry: ${name}`)
    entries.push({ name, bytes: tar.subarray(at, end) })
  }
  return entries
}

const textOf = (field) => field.toString().replace(/\0.*$/s, '')

/** What has the same as what is before it, near enough, by how it was cut: see programs.mjs and pages.mjs. */
const TOGETHER = [
  ...['pool-worker-source-start.js', 'worker.js', 'pool-worker-source.js'],
  ...['modules-inline.js', 'script.js', 'shared-unpacked.js'],
]

/** package.json first, for who looks for that alone; then programs, declarations and texts, each by what they are of. */
function placeOf({ name }) {
  const at = TOGETHER.indexOf(basename(name))
  if (at >= 0) return `1  ${at}`
  const of = basename(name).replace(/(\.d)?\.c?[jt]s$/, '')
  const kind =
    name === 'package/package.json' ? 0 : /(?<!\.d)\.c?js$/.test(name) ? 1 : /\.c?ts$/.test(name) ? 2 : 3
  return `${kind} ${of} ${name}`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({
    options: { 'pack-destination': { type: 'string', default: '.' }, silent: { type: 'boolean' } },
  })
  const tarball = await pack(resolve(values['pack-destination']))
  if (!values.silent) console.log(`${tarball}: ${(readFileSync(tarball).length / 1e6).toFixed(2)} MB`)
}
