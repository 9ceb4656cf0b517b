// Compiles crate/ to modules and their glue: the core in js/core/generated, and what it does without until somebody asks,
// the other algorithms, in js/algorithms/generated.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nativeCargo, wasmToolchain } from './toolchain.mjs'

/** The modules by their rooms, and the packages of the workspace that they are compiled of. */
export const MODULES = { core: 'alvarium-core', algorithms: 'algorithms' }

/** @param {string} root the checkout */
export function buildWasm(root) {
  const crate = join(root, 'crate')
  for (const [name, crateName] of Object.entries(MODULES)) {
    const generated = join(root, `js/${name}/generated`)
    compile(crate, crateName)
    rmSync(generated, { recursive: true, force: true })
    mkdirSync(generated, { recursive: true })
    const file = `${crateName.replaceAll('-', '_')}.wasm`
    const wasm = join(crate, 'target/wasm32-unknown-unknown/release', file)
    run(nativeCargo(), ['run', '--quiet', '--package', 'xtask', '--', wasm, generated, name], crate)
    takeAnyModule(join(generated, `${name}.js`))
    inline(generated, name)
  }
}

/** One package at a time: together they would share features of what both depend on. */
function compile(crate, crateName) {
  const { cargo, args, env } = wasmToolchain()
  const flags = ['--quiet', '--lib', '--release', '--locked', '--target', 'wasm32-unknown-unknown']
  run(cargo, ['build', ...flags, '--package', crateName, ...args], crate, env)
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

function run(command, args, cwd, env = {}) {
  execFileSync(command, args, {
    cwd,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  })
}
