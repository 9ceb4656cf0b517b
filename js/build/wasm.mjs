// Compiles crate/ to WebAssembly modules with JavaScript glue: the core to js/foundation/core/generated, and
// the other algorithms, which are loaded on demand, to js/foundation/algorithms/generated.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nativeCargo, wasmToolchain } from './toolchain.mjs'

/**
 * WebAssembly modules by their folder in js/foundation, with the Cargo packages that they are compiled from.
 *
 * The core uses the settings in crate/.cargo/config.toml. The algorithms use 32-bit limbs, because
 * WebAssembly has no 128-bit product. secp256k1 signs in half of the time that 64-bit limbs take, and verifies
 * in a third. With the default loop unrolling instead of the core's, P-256 verifies in nine tenths of the
 * time. More inlining would add 3 kB and save no time.
 *
 * With `isWhole`, rustc builds only a `cdylib`, and optimises a package together with its dependencies. This
 * cuts the core's times to sign and verify by 4 %, and its size by 4 %. The algorithms would grow by 5 kB.
 */
export const MODULES = {
  core: { name: 'alvarium-core', isWhole: true },
  algorithms: {
    name: 'algorithms',
    rustflags: '-C target-feature=+simd128 -C llvm-args=-inline-threshold=100 --cfg cpubits="32"',
  },
}

/** The reference core, without our own arithmetic and without SIMD: see js/entries/reference.ts. */
const REFERENCE = {
  name: 'alvarium-core',
  folder: 'reference',
  isWhole: true,
  flags: [
    '--no-default-features',
    // Disable SIMD: rustc reads this flag after the flags of crate/.cargo/config.toml.
    ...['--config', 'target.wasm32-unknown-unknown.rustflags=["-Ctarget-feature=-simd128"]'],
  ],
}

/** Module that unpacks the other modules from text. It has no glue, and a small stack. */
const UNPACK = {
  name: 'unpack',
  isWhole: true,
  rustflags: '-C target-feature=+bulk-memory -C strip=symbols -C link-arg=-zstack-size=32768',
}

/**
 * Compiles all WebAssembly modules, and writes them with their glue.
 *
 * @param {string} root of the checkout
 */
export async function buildWasm(root) {
  const crate = join(root, 'crate')
  const toolchain = wasmToolchain()
  // Build in parallel, because each build mostly compiles one crate at a time.
  const [xtask, unpack, reference, ...files] = await Promise.all([
    tool(crate),
    ...[UNPACK, REFERENCE, ...Object.values(MODULES)].map((module) => compile(crate, module, toolchain)),
  ])
  const [core, algorithms] = Object.keys(MODULES).map((name, at) => bind(xtask, files[at], root, name))
  const unpacks = readFileSync(unpack).toString('base64')
  writeFileSync(join(core, 'unpack.js'), `export const unpacks = '${unpacks}'\n`)
  writeFileSync(join(core, 'unpack.d.ts'), 'export const unpacks: string\n')
  bindReference(xtask, reference, core)
  inline(xtask, join(core, 'reference.wasm'), join(core, 'reference'), EXPORTED)
  inline(xtask, join(core, 'core_bg.wasm'), join(core, 'inline'), EXPORTED)
  inline(xtask, join(algorithms, 'algorithms_bg.wasm'), join(algorithms, 'inline'), GLOBAL)
}

/** Compiles only the core, as a file, for `npm start`. @param {string} root of the checkout */
export async function buildCore(root) {
  const crate = join(root, 'crate')
  const toolchain = wasmToolchain()
  const [xtask, core] = await Promise.all([tool(crate), compile(crate, MODULES.core, toolchain)])
  bind(xtask, core, root, 'core')
}

/**
 * Writes a WebAssembly module and its glue.
 *
 * @returns {string} the folder of both files
 */
function bind(xtask, compiled, root, name) {
  const generated = join(root, `js/foundation/${name}/generated`)
  rmSync(generated, { recursive: true, force: true })
  mkdirSync(generated, { recursive: true })
  xtask('bind', compiled, generated, name)
  withoutUnused(join(generated, `${name}.js`), name === 'core')
  return generated
}

/**
 * Writes the WebAssembly module of the reference core.
 *
 * @throws {Error} when its glue differs from the core's glue, because the core's glue starts both modules
 */
function bindReference(xtask, compiled, core) {
  const own = join(core, 'reference-glue')
  xtask('bind', compiled, own, 'core')
  withoutUnused(join(own, 'core.js'), true)
  const [expected, got] = [core, own].map((folder) => readFileSync(join(folder, 'core.js'), 'utf8'))
  if (got !== expected) throw new Error(`${own}: expected the glue of ${core}`)
  copyFileSync(join(own, 'core_bg.wasm'), join(core, 'reference.wasm'))
  rmSync(own, { recursive: true })
}

/**
 * Builds crate/xtask for this machine.
 *
 * @param {string} crate
 * @returns a function that runs xtask with arguments
 */
async function tool(crate) {
  const args = ['build', '--quiet', '--locked', '--package', 'xtask']
  await cargo(nativeCargo(), args, crate, {})
  const program = join(crate, 'target/debug', process.platform === 'win32' ? 'xtask.exe' : 'xtask')
  return (...args) => execFileSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] })
}

async function cargo(program, args, cwd, env) {
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`cargo ${args.join(' ')} ended with ${code}`)
}

/**
 * Compiles one Cargo package. A joint build would unify the features of shared dependencies. Each package has
 * its own target folder, because cargo locks the folder.
 *
 * @returns {Promise<string>} the path of the module
 */
async function compile(crate, module, toolchain) {
  const { name, folder = name, isWhole, flags: own = [], rustflags } = module
  const target = join(crate, 'target', folder)
  const whole = isWhole ? ['--crate-type', 'cdylib'] : []
  const flags = [
    '--quiet',
    '--lib',
    ...whole,
    ...own,
    '--release',
    '--locked',
    '--target',
    'wasm32-unknown-unknown',
  ]
  const args = ['rustc', ...flags, '--target-dir', target, '--package', name, ...toolchain.args]
  await cargo(toolchain.cargo, args, crate, { ...toolchain.env, ...(rustflags && { RUSTFLAGS: rustflags }) })
  return join(target, 'wasm32-unknown-unknown/release', `${name.replaceAll('-', '_')}.wasm`)
}

/**
 * Changes to the glue of all modules. The `instanceof` check would recompile a module from another realm,
 * such as Next.js' edge runtime. The asynchronous start functions are unused, and Next.js refuses edge builds
 * that contain them.
 */
const WITHOUT = [
  [/^ {4}if \(!\(module instanceof WebAssembly\.Module\)\) \{\n.*\n {4}\}\n/m, ''],
  [/^async function __wbg_load\([\s\S]*?^\}\n/m, ''],
  [/^async function __wbg_init\([\s\S]*?^\}\n/m, ''],
  ['export { initSync, __wbg_init as default };', 'export { initSync };'],
]

/**
 * Changes to the glue of the core, which alone exports types. Frozen enumerations and `Symbol.dispose` are
 * not needed, and bundles would contain them. The repeated check for stale instances becomes one function.
 */
const OF_TYPES = [
  [/Object\.freeze\((\{[^}]*\})\)/g, '$1'],
  [/^if \(Symbol\.dispose\) .*\n/gm, ''],
  [
    /if \((\w+)\.__wbg_inst !== undefined && .*\{\n.*'Invalid stale object.*\n\s*\}/g,
    'assertOfInstance($1);',
  ],
  [
    'export { initSync };',
    `function assertOfInstance(object) {
    if (object.__wbg_inst !== undefined && object.__wbg_inst !== __wbg_instance_id) {
        throw new Error('Invalid stale object from previous Wasm instance');
    }
}
export { initSync };`,
  ],
]

/**
 * Removes the unused parts from the glue of a module.
 *
 * @param {string} glue path of the glue
 */
function withoutUnused(glue, hasTypes) {
  let text = readFileSync(glue, 'utf8')
  for (const [part, instead] of hasTypes ? [...WITHOUT, ...OF_TYPES] : WITHOUT) {
    if (text.search(part) < 0) throw new Error(`${glue}: expected it to have ${part}`)
    text = text.replace(part, instead)
  }
  writeFileSync(glue, text)
}

const EXPORTED = (text) => `export const packed = ${text}\n`
/** Returns a module that also runs as a script, which pages load. See js/foundation/modules/text.ts. */
const GLOBAL = (text) => `globalThis[Symbol.for('alvarium-sdk.algorithms')] = ${text}\n`

/**
 * Writes a WebAssembly module as JavaScript text, which every bundler and runtime can load. The text is
 * packed: a sixth to a quarter smaller than deflated text. See js/foundation/modules/unpack.ts.
 */
function inline(xtask, wasm, to, written) {
  xtask('pack', wasm, `${to}.packed`)
  const base64 = readFileSync(`${to}.packed`).toString('base64')
  rmSync(`${to}.packed`)
  writeFileSync(`${to}.js`, written(`{ length: ${statSync(wasm).size}, base64: '${base64}' }`))
  const types = '{ readonly length: number; readonly base64: string }'
  writeFileSync(`${to}.d.ts`, written === EXPORTED ? `export const packed: ${types}\n` : 'export {}\n')
}
