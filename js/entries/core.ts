// Entry `alvarium-sdk/core`: with the condition `alvarium-wasm`, bundles contain no WebAssembly, and the
// application loads it.

export { useAlgorithms } from '../foundation/algorithms/use-algorithms.js'
export { useCore } from '../foundation/core/use-core.js'
