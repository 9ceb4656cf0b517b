// Entry `alvarium-sdk/core`, for bundles built with the condition `alvarium-wasm`: functions that load the WebAssembly.

export { useAlgorithms } from '../foundation/algorithms/use-algorithms.js'
export { useCore } from '../foundation/core/use-core.js'
