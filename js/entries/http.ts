// `alvarium-sdk/http`, with the core where that is a file beside it.

import '#beside'
import '#platform'

export * from '../http/http.js'
