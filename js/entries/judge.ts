// `alvarium-sdk/judge`, with the core where that is a file beside it.

import '#beside'

export * from '../judge/judge.js'
