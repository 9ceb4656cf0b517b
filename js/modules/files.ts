// `#core` in Node and Deno: the WebAssembly, from the two files of the package.

// Vite would put a URL of its own server in the place of a plain `import.meta.url`. @vercel/nft, which traces files, evaluates the template.
const CORE = new URL('../core.wasm', `${import.meta.url}`)
const ALGORITHMS = new URL('../algorithms.wasm', `${import.meta.url}`)

/** @returns the core, which signs and verifies Ed25519 */
export const core = (): Uint8Array<ArrayBuffer> => bytesOf(CORE)

/** @returns ECDSA and SM2 */
export const algorithms = (): Uint8Array<ArrayBuffer> => bytesOf(ALGORITHMS)

function bytesOf(file: URL): Uint8Array<ArrayBuffer> {
  return process.getBuiltinModule('node:fs').readFileSync(file)
}
