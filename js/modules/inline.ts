// `#modules` in browsers, and for bundlers, which leave files behind: the WebAssembly as text.

import { packed } from '../core/generated/inline.js'
import { supplyCore } from '../core/module.js'
import { supplyAlgorithmsText } from './algorithms-text.js'
import { unpacked } from './unpacked.js'

supplyCore(() => unpacked(packed))
supplyAlgorithmsText()
