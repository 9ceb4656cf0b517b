// `alvarium-sdk`: everything, with the core.

import '#modules'

export * from '../index.js'
