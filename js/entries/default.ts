// `alvarium-sdk`: everything, with the core.

import '#modules'
import '#platform'

// Said again: what puts the declarations together would take it for a class that is there at run time.
export type { Receipt } from '../delivery/receipt.js'
export * from '../index.js'
