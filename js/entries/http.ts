// `alvarium-sdk/http`, with the core where that is a file beside it.

import '#beside'

export * from '../http/http.js'
