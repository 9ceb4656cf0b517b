// Compiles the harness as the core is compiled, and returns its glue, ready to use.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { nativeCargo, wasmToolchain } from '../../../js/build/toolchain.mjs'

const crate = join(dirname(fileURLToPath(import.meta.url)), '../..')
const target = 'wasm32-unknown-unknown'

export async function harness() {
  const { cargo, args, env } = wasmToolchain()
  const options = { cwd: crate, stdio: ['ignore', 'inherit', 'inherit'] }
  const build = [
    'build',
    '--quiet',
    '--release',
    '--locked',
    '--package',
    'ed25519x4-harness',
    '--target',
    target,
  ]
  execFileSync(cargo, [...build, ...args], { ...options, env: { ...process.env, ...env } })
  const wasm = join(crate, 'target', target, 'release/ed25519x4_harness.wasm')
  const generated = join(crate, 'target/ed25519x4-harness')
  execFileSync(nativeCargo(), ['run', '--quiet', '--package', 'xtask', '--', wasm, generated], options)
  const glue = await import(pathToFileURL(join(generated, 'core.js')))
  glue.initSync({ module: readFileSync(join(generated, 'core_bg.wasm')) })
  return glue
}
