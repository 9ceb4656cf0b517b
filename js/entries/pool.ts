// `alvarium-sdk/pool`, with the core where that is a file beside it.

import '#beside'

export * from '../pool/pool.js'
