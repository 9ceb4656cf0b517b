// `alvarium-sdk/verify`: only verifying, with the core from the file beside it, for `require`.

import '../algorithms/beside.js'
import '../core/beside.js'

export * from '../verifying.js'
