// Prepares a fresh checkout: npm packages, the WebAssembly core, the compiled TypeScript. Runs before `npm
// start`, `npm test` and `npm run bench`; skips finished steps. Uses only Node's own modules.
//
//   --force   build everything again
//   --start   only what `npm start` needs: no development packages, only Ed25519, no declarations
//   --package also the folders to publish, in package/
//   --test    also what only the tests need, see tests/running/tools.mjs
//   --crate   with --test: also the compiled tests of the crate

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compile, compileToStart } from './compile.mjs'
import { lock } from './lock.mjs'
import { TEXTS } from './package/names.mjs'
import { buildCore, buildWasm } from './wasm.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const flags = new Set(process.argv.slice(2))
/** Paths that the WebAssembly is built from. */
const CRATE = [
  ...['crate/src', 'crate/xtask/src', 'crate/Cargo.lock', 'crate/Cargo.toml', 'crate/.cargo'],
  ...['algorithms', 'ed25519x4', 'no-clock', 'unpack'].flatMap((name) => [
    `crate/${name}/src`,
    `crate/${name}/Cargo.toml`,
  ]),
  ...['crate/xtask/Cargo.toml', 'js/build/wasm.mjs', 'js/build/toolchain.mjs'],
]
const PACKAGE_INPUTS = [
  'dist',
  'js/build',
  'js/packages',
  'package.json',
  'package-lock.json',
  'crate/Cargo.lock',
  ...TEXTS,
]

/** Aborts when a build step fails, so that `npm` does not outlive this process. */
const failure = new AbortController()

const unlock = await lock(join(root, '.ready.lock'))
try {
  // Run both at once, because npm waits for the network and cargo for the processor.
  await Promise.all([packages(), webAssembly()].map((part) => part.catch(fail)))
  await typeScript()
  if (flags.has('--package')) await step('the packages', PACKAGE_INPUTS, 'package/.ready', makePackages)
  if (flags.has('--test')) {
    const { compileCrateTests, installTools } = await import('../../tests/running/tools.mjs')
    await installTools(step, npmInstall)
    if (flags.has('--crate')) compileCrateTests()
  }
} catch (error) {
  console.error(`\n${error.message}`)
  process.exitCode = 1
} finally {
  unlock()
}

/** @param {Error} error @returns {never} */
function fail(error) {
  failure.abort()
  throw error
}

/** Installs the npm packages: for `npm start` only `dependencies`, about a seventh of the packages. */
async function packages() {
  const [lock, all, some] = [['package-lock.json'], 'node_modules/.ready', 'node_modules/.ready-to-start']
  if (flags.has('--start') && !isCurrent(lock, all)) {
    return step('npm packages that npm start needs', lock, some, () => npmInstall('--omit=dev'))
  }
  return step('npm packages', lock, all, () => npmInstall())
}

function webAssembly() {
  const [all, some] = ['js/foundation/core/generated/.ready', 'js/foundation/core/generated/.ready-to-start']
  if (flags.has('--start') && !isCurrent(CRATE, all)) {
    return step('the core, about a minute the first time', CRATE, some, () => buildCore(root))
  }
  return step('WebAssembly, about two minutes the first time', CRATE, all, () => buildWasm(root))
}

function typeScript() {
  const inputs = ['js', 'tsconfig.json', 'package-lock.json', 'crate/Cargo.lock']
  const [all, some] = ['dist/.ready', 'dist/.ready-to-start']
  if (flags.has('--start') && !isCurrent(inputs, all)) return step('JavaScript', inputs, some, compileToStart)
  return step('TypeScript', inputs, all, compile)
}

/**
 * Runs `build` if `--force` is set or an input has changed. The file `stamp` contains the digest of the
 * inputs of the last build.
 */
async function step(name, inputs, stamp, build) {
  if (!flags.has('--force') && isCurrent(inputs, stamp)) return
  const path = join(root, stamp)
  const wanted = digest(inputs)
  console.error(`Building: ${name} …`)
  await build()
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, wanted)
}

function isCurrent(inputs, stamp) {
  const path = join(root, stamp)
  return existsSync(path) && readFileSync(path, 'utf8') === digest(inputs)
}

function digest(inputs) {
  const hash = createHash('sha256')
  for (const input of inputs.flatMap((input) => files(join(root, input)))) {
    hash.update(input.slice(root.length)).update('\0').update(readFileSync(input)).update('\0')
  }
  return hash.digest('hex')
}

function files(path) {
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path)
    // Skip `dist` in workspaces: a link of that name leads to compiled code.
    .filter((name) => name !== 'dist' && !name.startsWith('.ready'))
    .sort()
  return names.flatMap((name) => files(join(path, name)))
}

async function npmInstall(...some) {
  const args = ['ci', ...some, '--no-audit', '--no-fund', '--loglevel=error']
  const npm = spawn('npm', args, { cwd: root, stdio: ['ignore', 2, 2] })
  failure.signal.addEventListener('abort', () => npm.kill())
  const [code] = await once(npm, 'exit')
  if (code !== 0) throw new Error(`npm ${args.join(' ')} ended with ${code}`)
}

async function makePackages() {
  const make = await import('./package/make.mjs')
  await make.makePackages()
}
