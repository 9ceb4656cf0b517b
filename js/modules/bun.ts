// `#core` in Bun, which takes files along only where they are imported: into the program that `bun build --compile` makes.

import algorithmsFile from '../algorithms.wasm' with { type: 'file' }
import coreFile from '../core.wasm' with { type: 'file' }

export const core = (): Uint8Array<ArrayBuffer> => bytesOf(coreFile)
export const algorithms = (): Uint8Array<ArrayBuffer> => bytesOf(algorithmsFile)

/** @param path - where Bun has the file: in a bundle, relative to that */
function bytesOf(path: unknown): Uint8Array<ArrayBuffer> {
  const { readFileSync } = process.getBuiltinModule('node:fs')
  return readFileSync(String(path).replace(/^\.(?=\/)/, () => import.meta.dirname))
}
