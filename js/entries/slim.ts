// `alvarium-sdk/slim`: everything but the core and the other algorithms, which the application loads.

export { useAlgorithms } from '../algorithms/use-algorithms.js'
export { useCore } from '../core/use-core.js'
export * from '../index.js'
