// `require('alvarium-sdk')` where ES modules cannot be required: everything, with the core from the file beside it.

import '../algorithms/beside.js'
import '../core/beside.js'

export * from '../index.js'
