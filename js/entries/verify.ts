// `alvarium-sdk/verify`: only verifying, with the core.

import '#modules'

export * from '../verifying.js'
