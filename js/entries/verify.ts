// `alvarium-sdk/verify`: only verifying, with the core inside.

import '../algorithms/inline.js'
import '../core/inline.js'

export * from '../verifying.js'
