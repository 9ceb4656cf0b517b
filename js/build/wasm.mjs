// Compiles crate/ to modules and their glue: the core in js/core/generated, and what it does without until somebody asks,
// the other algorithms, in js/algorithms/generated.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nativeCargo, wasmToolchain } from './toolchain.mjs'

/**
 * The modules by their rooms, and the packages of the workspace that they are compiled of.
 *
 * What crate/.cargo/config.toml says is for the core. Of the algorithms, secp256k1 signs in half and verifies in a third of
 * the time on 32-bit limbs (RustCrypto takes 64-bit ones here, and WebAssembly has no 128-bit product), P-256 verifies in
 * nine tenths of it where loops are unrolled as far as they are by default; SM2 is as fast either way. Functions that are
 * inlined more save nothing, and weigh 3 kB.
 */
export const MODULES = {
  core: { name: 'alvarium-core' },
  algorithms: {
    name: 'algorithms',
    rustflags: '-C target-feature=+simd128 -C llvm-args=-inline-threshold=100 --cfg cpubits="32"',
  },
}

/** @param {string} root the checkout */
export async function buildWasm(root) {
  const crate = join(root, 'crate')
  const toolchain = wasmToolchain()
  // At the same time: most of it is one crate after the other on one core.
  const files = await Promise.all(Object.values(MODULES).map((module) => compiled(crate, module, toolchain)))
  for (const [at, name] of Object.keys(MODULES).entries()) {
    const generated = join(root, `js/${name}/generated`)
    rmSync(generated, { recursive: true, force: true })
    mkdirSync(generated, { recursive: true })
    const xtask = ['run', '--quiet', '--package', 'xtask', '--', files[at], generated, name]
    execFileSync(nativeCargo(), xtask, { cwd: crate, stdio: ['ignore', 'inherit', 'inherit'] })
    takeAnyModule(join(generated, `${name}.js`))
    inline(generated, name)
  }
}

/**
 * One package by itself: together they would share features of what both depend on. Each in a folder of its own, which
 * cargo locks.
 *
 * @returns {Promise<string>} the module
 */
async function compiled(crate, { name, rustflags }, { cargo, args, env }) {
  const target = join(crate, 'target', name)
  const flags = ['--quiet', '--lib', '--release', '--locked', '--target', 'wasm32-unknown-unknown']
  const child = spawn(cargo, ['build', ...flags, '--target-dir', target, '--package', name, ...args], {
    cwd: crate,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env, ...(rustflags && { RUSTFLAGS: rustflags }) },
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`cargo build --package ${name} ended with ${code}`)
  return join(target, 'wasm32-unknown-unknown/release', `${name.replaceAll('-', '_')}.wasm`)
}

/**
 * js/core/module.ts has compiled it. The glue would compile it again when it is of another realm, as modules are at the
 * edge of Next.js, which is none of this one's by `instanceof`.
 */
function takeAnyModule(glue) {
  const text = readFileSync(glue, 'utf8')
  const check = /^ {4}if \(!\(module instanceof WebAssembly\.Module\)\) \{\n.*\n {4}\}\n/m
  if (!check.test(text)) throw new Error(`${glue}: expected initSync to ask whether the module is compiled`)
  writeFileSync(glue, text.replace(check, ''))
}

/** Base64 in a module of its own: the only way to load WebAssembly that every bundler and runtime takes. */
function inline(generated, name) {
  const base64 = readFileSync(join(generated, `${name}_bg.wasm`)).toString('base64')
  writeFileSync(join(generated, 'inline.js'), `export const base64 = '${base64}'\n`)
  writeFileSync(join(generated, 'inline.d.ts'), 'export const base64: string\n')
}
