/// <reference lib="esnext.disposable" preserve="true" />
// `alvarium-sdk/trust`, with the core where that is a file beside it.

import '#beside'
import '#platform'

export * from '../trust/trust.js'
