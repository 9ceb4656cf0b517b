/**
 * ECDSA and SM2: in Cloudflare Workers, and other runtimes that import WebAssembly as a module, what `useAlgorithms` of
 * `alvarium-sdk/core` takes. Elsewhere its URL or path is of use.
 */
declare const algorithms: object
export default algorithms
