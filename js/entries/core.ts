// Entry `alvarium-sdk/core`: functions that load the WebAssembly, for applications that a bundler builds with the
// condition `alvarium-wasm`.

export { useAlgorithms } from '../foundation/algorithms/use-algorithms.js'
export { useCore } from '../foundation/core/use-core.js'
