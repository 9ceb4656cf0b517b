// Compiles the harness with the settings of the core, and loads its glue code.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { nativeCargo, wasmToolchain } from '../../../js/build/toolchain.mjs'

const crate = join(dirname(fileURLToPath(import.meta.url)), '../..')
const target = 'wasm32-unknown-unknown'
const generated = join(crate, 'target/ed25519x4-harness')

/** Files that `compile` writes: the glue, and the module that it needs. */
export const GLUE = join(generated, 'core.js')
export const MODULE = join(generated, 'core_bg.wasm')

/** Compiles the crates that are not up to date, and writes the files of `GLUE` and `MODULE`. */
export function compile() {
  const { cargo, args, env } = wasmToolchain()
  const options = { cwd: crate, stdio: ['ignore', 'inherit', 'inherit'] }
  const flags = ['--quiet', '--release', '--locked', '--package', 'ed25519x4-harness', '--target', target]
  execFileSync(cargo, ['build', ...flags, ...args], { ...options, env: { ...process.env, ...env } })
  const wasm = join(crate, 'target', target, 'release/ed25519x4_harness.wasm')
  execFileSync(
    nativeCargo(),
    ['run', '--quiet', '--package', 'xtask', '--', 'bind', wasm, generated, 'core'],
    options,
  )
}

/** Compiles the harness, and returns its glue code with the functions of src/lib.rs. */
export async function harness() {
  compile()
  const glue = await import(pathToFileURL(GLUE).href)
  glue.initSync({ module: readFileSync(MODULE) })
  return glue
}
