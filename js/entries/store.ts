/// <reference lib="esnext.disposable" preserve="true" />
// `alvarium-sdk/store`, with the core, as the store is a whole program.

import '#modules'
import '#platform'

export * from '../store/store.js'
