// Entry `alvarium-sdk/core`: the application loads the WebAssembly for bundles built with `alvarium-wasm`.

export { useAlgorithms } from '../foundation/algorithms/use-algorithms.js'
export { useCore } from '../foundation/core/use-core.js'
