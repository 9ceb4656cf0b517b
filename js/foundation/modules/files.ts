// Implements `#core` in Node and Deno, where it reads the package's two WebAssembly files.

// The template literal keeps Vite from replacing `import.meta.url` with a URL of its own server. @vercel/nft, which
// finds the files that a program needs, still evaluates the literal.
const CORE = new URL('../../core.wasm', `${import.meta.url}`)
const ALGORITHMS = new URL('../../algorithms.wasm', `${import.meta.url}`)

export const core = (): Uint8Array<ArrayBuffer> => bytesOf(CORE)

export const algorithms = (): Uint8Array<ArrayBuffer> => bytesOf(ALGORITHMS)

function bytesOf(file: URL): Uint8Array<ArrayBuffer> {
  return process.getBuiltinModule('node:fs').readFileSync(file)
}
