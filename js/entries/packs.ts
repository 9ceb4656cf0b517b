// `alvarium-sdk/packs`, with the core, as who verifies a pack needs nothing else.

import '#modules'
import '#platform'

export * from '../packs/packs.js'
