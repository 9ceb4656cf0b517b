// Compiles js/ to dist/, and copies the WebAssembly modules and their glue there.

import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MODULES } from './wasm.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const dist = join(root, 'dist')

export async function compile() {
  rmSync(dist, { recursive: true, force: true })
  for (const name of Object.keys(MODULES)) copyModule(name)
  copyWasm('core', 'reference', 'reference')
  node('node_modules/typescript/bin/tsc', '--project', root)
  // Import bundles.mjs only now: ready.mjs loads this file before it installs the bundler.
  const { bundleMqtt, bundleSchemas, bundleWorker } = await import('./bundles.mjs')
  await Promise.all([bundleWorker(root), bundleMqtt(root)])
  bundleSchemas(root)
  node('js/build/schema.mjs')
}

/**
 * Compiles js/ for `npm start`. Skips type checks, declarations, bundles, schemas and the WebAssembly of all
 * algorithms but Ed25519. `npm test` checks the types.
 */
export function compileToStart() {
  rmSync(dist, { recursive: true, force: true })
  copyModule('core')
  const unchecked = ['--noCheck', '--declaration', 'false', '--declarationMap', 'false']
  node('node_modules/typescript/bin/tsc', '--project', root, ...unchecked)
}

function copyModule(name) {
  const from = join(root, 'js/foundation', name, 'generated')
  const glue = readdirSync(from).filter((file) => /^\w+(\.d\.ts|\.js)$/.test(file))
  for (const file of glue) cpSync(join(from, file), join(dist, 'foundation', name, 'generated', file))
  copyWasm(name, `${name}_bg`, name)
}

function copyWasm(room, generated, name) {
  const from = join(root, 'js/foundation', room)
  cpSync(join(from, `generated/${generated}.wasm`), join(dist, `${name}.wasm`))
  cpSync(join(from, `${name}.wasm.d.ts`), join(dist, `${name}.wasm.d.ts`))
}

function node(program, ...args) {
  execFileSync(process.execPath, [join(root, program), ...args], { cwd: root, stdio: ['ignore', 2, 2] })
}
