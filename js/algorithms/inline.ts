// Imported for its effect, as core/inline.ts is. The module is a chunk of its own, for who needs it.

import { supplyAlgorithms } from './module.js'

supplyAlgorithms(async () => {
  const { base64 } = await import('./generated/inline.js')
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
})
