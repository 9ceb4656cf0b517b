// `alvarium-sdk/completeness`, with the core where that is a file beside it.

import '#beside'

export * from '../completeness/completeness.js'
