// `#modules` in browsers, and for bundlers, which leave files behind: the WebAssembly as text. What verifies Ed25519 comes first, which is all
// that ed25519.ts has; the whole core repeats most of it.

import { packed as part } from '../core/generated/ed25519.js'
import { packed as whole } from '../core/generated/inline.js'
import { supplyCore } from '../core/module.js'
import { supplyAlgorithmsText } from './algorithms-text.js'
import { unpacked } from './unpacked.js'

supplyCore(() => unpacked(part, whole))
supplyAlgorithmsText()
