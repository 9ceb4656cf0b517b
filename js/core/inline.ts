// Imported for its effect: package.json lists it under sideEffects.

import { base64 } from './generated/inline.js'
import { supplyCore } from './module.js'

supplyCore(() => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)))
