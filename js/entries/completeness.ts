// `alvarium-sdk/completeness`, with the core where that is a file beside it.

import '#beside'
import '#platform'

export * from '../completeness/completeness.js'
