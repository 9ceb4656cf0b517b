// `alvarium-sdk/records`, with the core where that is a file beside it.

import '#beside'
import '#platform'

export * from '../records/records.js'
