// Lists the crates in the WebAssembly modules. Cargo.lock sets the versions; build dependencies are left out.

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { nativeCargo } from './toolchain.mjs'

/**
 * Returns the crates in the WebAssembly modules, without duplicates.
 *
 * @returns {{ name: string, version: string, licence: string | undefined, isOwn: boolean }[]}
 */
export function crates() {
  const args = [
    ...['tree', '--locked', '--package', 'alvarium-core', '--package', 'algorithms'],
    ...['--target', 'wasm32-unknown-unknown', '--edges', 'normal'],
    ...['--prefix', 'none', '--format', '{p}\t{l}'],
  ]
  const cwd = fileURLToPath(new URL('../../crate', import.meta.url))
  const lines = execFileSync(nativeCargo(), args, { cwd, encoding: 'utf8' }).trim().split('\n')
  const found = lines
    .filter((line) => line !== '')
    .map((line) => {
      const [, name, version, rest, licence] = /^(\S+) v(\S+)(.*)\t(.*)$/.exec(line) ?? []
      // For a crate of this checkout, cargo prints the path after the version.
      return { name, version, licence: licence?.replace(/ \(\*\)$/, ''), isOwn: / \(\//.test(rest) }
    })
  return [...new Map(found.map((one) => [`${one.name} ${one.version}`, one])).values()]
}
