// `alvarium-sdk/core`: takes the WebAssembly from the application, in bundles that have none (condition `alvarium-wasm`).

export { useAlgorithms } from '../foundation/algorithms/use-algorithms.js'
export { useCore } from '../foundation/core/use-core.js'
