// `#core` in Node and Deno: the WebAssembly, from the two files of the package.

// @vercel/nft, which traces files, finds a URL by its expression. Vite would put its own server's in the place of a single literal.
const CORE = new URL('../' + 'core.wasm', import.meta.url)
const ALGORITHMS = new URL('../' + 'algorithms.wasm', import.meta.url)

/** @returns the core, which signs and verifies Ed25519 */
export const core = (): Uint8Array<ArrayBuffer> => bytesOf(CORE)

/** @returns ECDSA and SM2 */
export const algorithms = (): Uint8Array<ArrayBuffer> => bytesOf(ALGORITHMS)

function bytesOf(file: URL): Uint8Array<ArrayBuffer> {
  return process.getBuiltinModule('node:fs').readFileSync(file)
}
