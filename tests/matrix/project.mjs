// A project on the disk: its files, what is installed from the registry (kept from run to run while it is wanted as it
// is), and the package out of its tarball, unpacked anew for each run.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { succeed } from './processes.mjs'

const job = fileURLToPath(new URL('job.mjs', import.meta.url))
const NPM = ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

/**
 * @param {import('./environment.mjs').Environment} environment
 * @param {{ tarball: string, cache: string, heldMs?: number }} given
 * @returns {Promise<string>} the project's folder
 */
export async function layOut(environment, { tarball, cache, heldMs }) {
  const folder = join(cache, environment.name.replace(/\W+/g, '-').toLowerCase())
  if (environment.tool) await installedTool(environment.tool, cache)
  const wanted = { ...environment.packages, 'alvarium-sdk': `file:${tarball}` }
  if (environment.install) await rm(folder, { recursive: true, force: true })
  await write(folder, environment.files, heldMs)
  await installed(folder, wanted, environment)
  if (!environment.install) await unpack(tarball, folder)
  return folder
}

async function write(folder, files, heldMs = 1000) {
  const source = (await readFile(job, 'utf8')).replace('HELD_MS = 1000', `HELD_MS = ${heldMs}`)
  const commonJs = `${source.replace('export async function', 'async function')}\nmodule.exports = { job }\n`
  for (const [path, text] of Object.entries({ ...files, 'job.mjs': source, 'job.cjs': commonJs })) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

/** Each in a folder of its own: projects are made two at a time, and one must not take away what another runs. */
async function installedTool({ name, version }, cache) {
  await installed(join(cache, 'tools', name), { [name]: version })
}

/** Runs the command in the folder, unless it was run there for the same packages. */
async function installed(folder, dependencies, { install = NPM, manifest: more = {} } = {}) {
  const own = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  const stamp = JSON.stringify([dependencies, JSON.parse(own).dependencies])
  if ((await readFile(join(folder, '.installed'), 'utf8').catch(() => '')) === stamp) return
  for (const name of ['node_modules', 'package-lock.json']) {
    await rm(join(folder, name), { recursive: true, force: true })
  }
  const manifest = { name: 'project', version: '1.0.0', private: true, ...more, dependencies }
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  await succeed(install, folder)
  await writeFile(join(folder, '.installed'), stamp)
}

/** The lock has the tarball's digest; a new one of the same name is put in its place as npm would. */
async function unpack(tarball, folder) {
  const place = join(folder, 'node_modules/alvarium-sdk')
  // Vite keeps what it has made of a package for as long as its version is the same.
  for (const old of [place, join(folder, 'node_modules/.vite')])
    await rm(old, { recursive: true, force: true })
  await mkdir(place, { recursive: true })
  await succeed(['tar', 'xzf', tarball, '--strip-components=1', '-C', place], folder)
}
