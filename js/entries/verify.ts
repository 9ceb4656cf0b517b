// `alvarium-sdk/verify`: only verifying, with the core.

import '#modules'
import '#platform'

export * from '../verifying.js'
