// `alvarium-sdk/judge`, with the core where that is a file beside it.

import '#beside'
import '#platform'

export * from '../judge/judge.js'
