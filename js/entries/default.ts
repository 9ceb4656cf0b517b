// `alvarium-sdk`: everything, with the core inside.

import '../core/inline.js'

export * from '../index.js'
