// `#modules` and `#beside` in Node: the WebAssembly of the files that the package has beside its code.

import { supplyAlgorithms } from '../algorithms/supply.js'
import { supplyCore } from '../core/module.js'

supplyCore(() => bytesOf('../core.wasm'))
supplyAlgorithms(() => bytesOf('../algorithms.wasm'))

/** By a name that no bundler reads: in tests of pages, Vite would put a URL of its own server in the place of the file's. */
function bytesOf(name: string): Uint8Array<ArrayBuffer> {
  return process.getBuiltinModule('node:fs').readFileSync(new URL(name, import.meta.url))
}
