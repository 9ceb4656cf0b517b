// `alvarium-sdk/sets`, with the core where that is a file beside it.

import '#beside'
import '#platform'

export * from '../sets/sets.js'
