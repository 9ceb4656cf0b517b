// `alvarium-sdk`: everything, with the core inside.

import '../algorithms/inline.js'
import '../core/inline.js'

export * from '../index.js'
