// `alvarium-sdk/sources`, with the core where that is a file beside it.

import '#beside'
import '#platform'

export * from '../sources/sources.js'
