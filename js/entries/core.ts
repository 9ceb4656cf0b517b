// Entry `alvarium-sdk/core`: with the condition `alvarium-wasm`, the application loads the WebAssembly.

export { useAlgorithms } from '../foundation/algorithms/use-algorithms.js'
export { useCore } from '../foundation/core/use-core.js'
