// `alvarium-sdk/records`, with the core where that is a file beside it.

import '#beside'

export * from '../records/records.js'
