// `#core` in Node and Deno: the WebAssembly, from the two files of the package.

// Programs that trace files, as @vercel/nft, look for URLs that are written out. Vite would put its own server's in their place.
const CORE = new URL(/* @vite-ignore */ '../core.wasm', import.meta.url)
const ALGORITHMS = new URL(/* @vite-ignore */ '../algorithms.wasm', import.meta.url)

/** @returns the core, which signs and verifies Ed25519 */
export const core = (): Uint8Array<ArrayBuffer> => bytesOf(CORE)

/** @returns ECDSA and SM2 */
export const algorithms = (): Uint8Array<ArrayBuffer> => bytesOf(ALGORITHMS)

function bytesOf(file: URL): Uint8Array<ArrayBuffer> {
  return process.getBuiltinModule('node:fs').readFileSync(file)
}
