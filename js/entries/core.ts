// `alvarium-sdk/core`: takes the WebAssembly from the application, in bundles that have none (condition `alvarium-wasm`).

export { useAlgorithms } from '../algorithms/use-algorithms.js'
export { useCore } from '../core/use-core.js'
