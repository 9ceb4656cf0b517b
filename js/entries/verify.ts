// `alvarium-sdk/verify`: only verifying, with the core inside.

import '../core/inline.js'

export * from '../verifying.js'
