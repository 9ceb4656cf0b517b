// As beside.ts, for Bun, which takes files along only where they are imported: into what `bun build --compile` makes.

import { supplyAlgorithms } from '../algorithms/supply.js'
import algorithms from '../algorithms.wasm' with { type: 'file' }
import { supplyCore } from '../core/module.js'
import core from '../core.wasm' with { type: 'file' }

supplyCore(() => bytesOf(core))
supplyAlgorithms(() => bytesOf(algorithms))

/** @param path - where Bun has the file: in a bundle, seen from that */
function bytesOf(path: unknown): Uint8Array<ArrayBuffer> {
  const { readFileSync } = process.getBuiltinModule('node:fs')
  return readFileSync(String(path).replace(/^\.(?=\/)/, () => import.meta.dirname))
}
