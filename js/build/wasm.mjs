// Compiles crate/ to modules and their glue: the core in js/core/generated, and what it does without until somebody asks,
// the other algorithms, in js/algorithms/generated.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nativeCargo, wasmToolchain } from './toolchain.mjs'

/**
 * The modules by their rooms, and the packages of the workspace that they are compiled of.
 *
 * What crate/.cargo/config.toml says is for the core. Of the algorithms, secp256k1 signs in half and verifies in a third of
 * the time on 32-bit limbs (RustCrypto takes 64-bit ones here, and WebAssembly has no 128-bit product), P-256 verifies in
 * nine tenths of it where loops are unrolled as far as they are by default; SM2 is as fast either way. Functions that are
 * inlined more save nothing, and weigh 3 kB.
 *
 * `isWhole`: as a module alone, and no library of Rust as well, rustc optimises a package together with what it stands on. The core
 * signs and verifies in 0.96 of the time, and is 4 % smaller. The algorithms would get 5 kB heavier.
 */
export const MODULES = {
  core: { name: 'alvarium-core', isWhole: true },
  algorithms: {
    name: 'algorithms',
    rustflags: '-C target-feature=+simd128 -C llvm-args=-inline-threshold=100 --cfg cpubits="32"',
  },
}

/** The core without our own arithmetic, and without SIMD: see js/entries/reference.ts. It has the core's glue. */
const REFERENCE = {
  name: 'alvarium-core',
  folder: 'reference',
  isWhole: true,
  flags: [
    '--no-default-features',
    // Behind what crate/.cargo/config.toml says.
    ...['--config', 'target.wasm32-unknown-unknown.rustflags=["-Ctarget-feature=-simd128"]'],
  ],
}

/** What unpacks the two where they are text. It has no glue, and a stack that is as small as it is. */
const UNPACK = {
  name: 'unpack',
  isWhole: true,
  rustflags: '-C target-feature=+bulk-memory -C strip=symbols -C link-arg=-zstack-size=32768',
}

/** @param {string} root the checkout */
export async function buildWasm(root) {
  const crate = join(root, 'crate')
  const toolchain = wasmToolchain()
  // At the same time: most of it is one crate after the other on one core.
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

/** Of that what `npm start` runs: the core, as a file. @param {string} root the checkout */
export async function buildCore(root) {
  const crate = join(root, 'crate')
  const toolchain = wasmToolchain()
  const [xtask, core] = await Promise.all([tool(crate), compile(crate, MODULES.core, toolchain)])
  bind(xtask, core, root, 'core')
}

/** @returns {string} where the module is then, with its glue */
function bind(xtask, compiled, root, name) {
  const generated = join(root, `js/${name}/generated`)
  rmSync(generated, { recursive: true, force: true })
  mkdirSync(generated, { recursive: true })
  xtask('bind', compiled, generated, name)
  withoutUnused(join(generated, `${name}.js`), name === 'core')
  return generated
}

/** @throws Error when the glue differs from the core's, which starts this module, too */
function bindReference(xtask, compiled, core) {
  const own = join(core, 'reference-glue')
  xtask('bind', compiled, own, 'core')
  withoutUnused(join(own, 'core.js'), true)
  const [expected, got] = [core, own].map((folder) => readFileSync(join(folder, 'core.js'), 'utf8'))
  if (got !== expected) throw new Error(`${own}: expected the glue of ${core}`)
  copyFileSync(join(own, 'core_bg.wasm'), join(core, 'reference.wasm'))
  rmSync(own, { recursive: true })
}

/** Builds crate/xtask, for this machine. @param {string} crate @returns how to run it */
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
 * One package by itself: together they would share features of what both depend on. Each in a folder of its own, which
 * cargo locks.
 *
 * @returns {Promise<string>} the module
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
 * What the glue has that we do without. It compiles a module again that is of another realm, as those at the edge of Next.js are, by
 * `instanceof`. And it can start one asynchronously, which nobody asks it to, and which Next.js refuses to build for the edge.
 */
const WITHOUT = [
  [/^ {4}if \(!\(module instanceof WebAssembly\.Module\)\) \{\n.*\n {4}\}\n/m, ''],
  [/^async function __wbg_load\([\s\S]*?^\}\n/m, ''],
  [/^async function __wbg_init\([\s\S]*?^\}\n/m, ''],
  ['export { initSync, __wbg_init as default };', 'export { initSync };'],
]

/**
 * The same of its types, which only the core has. Enumerations are frozen, and classes can be said `using` of: nobody needs that, and
 * bundles would keep each without a use for it. And each method asks in the same words whether the object is of an instance that is gone.
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

/** @param {string} glue its path */
function withoutUnused(glue, hasTypes) {
  let text = readFileSync(glue, 'utf8')
  for (const [part, instead] of hasTypes ? [...WITHOUT, ...OF_TYPES] : WITHOUT) {
    if (text.search(part) < 0) throw new Error(`${glue}: expected it to have ${part}`)
    text = text.replace(part, instead)
  }
  writeFileSync(glue, text)
}

const EXPORTED = (text) => `export const packed = ${text}\n`
/** Writes a module that is a script as well: pages without a bundler load it next to script.js. See js/modules/text.ts. */
const GLOBAL = (text) => `globalThis[Symbol.for('alvarium-sdk.algorithms')] = ${text}\n`

/**
 * Text in a module of its own: the only way to load WebAssembly that every bundler and runtime takes. Packed before: a sixth to a quarter
 * smaller than if deflated, and a third than if its server compressed the text, see js/modules/unpack.ts.
 */
function inline(xtask, wasm, to, written) {
  xtask('pack', wasm, `${to}.packed`)
  const base64 = readFileSync(`${to}.packed`).toString('base64')
  rmSync(`${to}.packed`)
  writeFileSync(`${to}.js`, written(`{ length: ${statSync(wasm).size}, base64: '${base64}' }`))
  const types = '{ readonly length: number; readonly base64: string }'
  writeFileSync(`${to}.d.ts`, written === EXPORTED ? `export const packed: ${types}\n` : 'export {}\n')
}
