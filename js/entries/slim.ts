// `alvarium-sdk/slim`: everything but the core and the other algorithms, which the application loads.

import '#platform'

export { useAlgorithms } from '../algorithms/use-algorithms.js'
export { useCore } from '../core/use-core.js'
// Said again: what puts the declarations together would take it for a class that is there at run time.
export type { Receipt } from '../delivery/receipt.js'
export * from '../index.js'
