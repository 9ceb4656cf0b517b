// A project on the disk: its files, its packages from the registry (kept while they match), and the package from its
// tarball, unpacked anew for each run. Projects of a short run share one installation.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { succeed } from './processes.mjs'

const job = fileURLToPath(new URL('job.mjs', import.meta.url))
/** Packages of each project besides those of its tool, for the column of MQTT. */
const MQTT = { mqtt: '5.16.0' }
const NPM = ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

/**
 * @param {import('./environment.mjs').Environment} environment
 * @param {{ tarball: string, command: string, cache: string, heldMs?: number, installation?: string }} given
 *   `installation`: a folder by `installOnce`, whose packages the project gets
 * @returns {Promise<string>} the project's folder
 */
export async function layOut(environment, { tarball, command, cache, heldMs, installation }) {
  const folder = join(installation ?? cache, environment.name.replace(/\W+/g, '-').toLowerCase())
  if (installation) {
    await write(folder, environment.files, heldMs)
    await linkPackages(installation, folder, environment)
    return folder
  }
  if (environment.tool) await installedTool(environment.tool, cache)
  const wanted = { ...MQTT, ...environment.packages, ...ownPackages([environment], tarball, command) }
  if (environment.install) await rm(folder, { recursive: true, force: true })
  await write(folder, environment.files, heldMs)
  await installed(folder, wanted, environment)
  if (!environment.install) await unpack(tarball, folder)
  if (environment.hasCommand) await unpack(command, folder, 'alvarium-command')
  return folder
}

/**
 * Installs the packages of all these environments in one folder, because npm takes longer than a project's job.
 *
 * @param {readonly import('./environment.mjs').Environment[]} environments for npm, all with the same version of each package
 * @param {{ tarball: string, command: string, cache: string }} given
 * @returns {Promise<string>} the folder
 */
export async function installOnce(environments, { tarball, command, cache }) {
  const folder = join(cache, 'shared')
  const packages = {}
  for (const { name, packages: needed = {} } of environments) {
    for (const [one, version] of Object.entries(needed)) {
      packages[one] ??= version
      if (packages[one] !== version)
        throw new Error(`${name}: expected ${one} ${packages[one]}, got ${version}`)
    }
  }
  await installed(folder, { ...MQTT, ...packages, ...ownPackages(environments, tarball, command) })
  await unpack(tarball, folder)
  if (environments.some(({ hasCommand }) => hasCommand)) await unpack(command, folder, 'alvarium-command')
  return folder
}

/** Returns the packages of this repository that environments need. */
function ownPackages(environments, tarball, command) {
  const isWithCommand = environments.some(({ hasCommand }) => hasCommand)
  return {
    'alvarium-sdk': `file:${tarball}`,
    ...(isWithCommand && { 'alvarium-command': `file:${command}` }),
  }
}

/**
 * Gives a project the packages of an installation, by hard links, because bundlers resolve symbolic links to their
 * target.
 */
async function linkPackages(installation, folder, { manifest = {} }) {
  await rm(join(folder, 'node_modules'), { recursive: true, force: true })
  await succeed(['cp', '-al', join(installation, 'node_modules'), join(folder, 'node_modules')], folder)
  const own = { ...JSON.parse(await readFile(join(installation, 'package.json'), 'utf8')), ...manifest }
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(own, undefined, 2)}\n`)
}

async function write(folder, files, heldMs = 1000) {
  const source = (await readFile(job, 'utf8')).replace('HELD_MS = 1000', `HELD_MS = ${heldMs}`)
  const commonJs = `${source.replace('export async function', 'async function')}\nmodule.exports = { job }\n`
  for (const [path, text] of Object.entries({ ...files, 'job.mjs': source, 'job.cjs': commonJs })) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

/**
 * Installs each tool in its own folder: two projects are made at a time, and one must not remove the other's running
 * tool.
 */
async function installedTool({ name, version }, cache) {
  await installed(join(cache, 'tools', name), { [name]: version })
}

/** Runs the command in the folder, unless it has run there for the same packages. */
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

/** Unpacks a tarball as npm would, because the lock has the digest of an earlier one with the same name. */
async function unpack(tarball, folder, name = 'alvarium-sdk') {
  const place = join(folder, 'node_modules', name)
  // Vite caches its build of a package for as long as the version is the same.
  for (const old of [place, join(folder, 'node_modules/.vite')])
    await rm(old, { recursive: true, force: true })
  await mkdir(place, { recursive: true })
  await succeed(['tar', 'xzf', tarball, '--strip-components=1', '-C', place], folder)
}
