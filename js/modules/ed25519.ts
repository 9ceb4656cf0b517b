// `#ed25519` in browsers, and for bundlers: of the core what verifies, as text.

import { packed } from '../core/generated/ed25519.js'
import { supplyPartOfCore } from '../core/module.js'
import { unpacked } from './unpacked.js'

supplyPartOfCore(() => unpacked(packed))
