// Implements `#core` in Bun. It imports the files, because `bun build --compile` includes only imported files.

import algorithmsFile from '../../algorithms.wasm' with { type: 'file' }
import coreFile from '../../core.wasm' with { type: 'file' }

export const core = (): Uint8Array<ArrayBuffer> => bytesOf(coreFile)
export const algorithms = (): Uint8Array<ArrayBuffer> => bytesOf(algorithmsFile)

/** @param path - path of the file; in a bundle, relative to the bundle */
function bytesOf(path: unknown): Uint8Array<ArrayBuffer> {
  const { readFileSync } = process.getBuiltinModule('node:fs')
  return readFileSync(String(path).replace(/^\.(?=\/)/, () => import.meta.dirname))
}
