/// <reference lib="esnext.disposable" preserve="true" />
// `alvarium-sdk/store`, with the core, as the store is a whole program.

import '#modules'

export * from '../store/store.js'
