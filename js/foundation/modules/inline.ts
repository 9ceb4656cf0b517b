// `#core` in browsers, and for bundlers, which do not copy files: WebAssembly as text.

import { packed } from '../core/generated/inline.js'
import { algorithmsText } from './text.js'
import { unpackModule } from './unpack.js'

export const core = (): Uint8Array<ArrayBuffer> => unpackModule(packed)

/**
 * Returns ECDSA and SM2. Loads their text with the first key of such an algorithm, unless a script tag has loaded it.
 */
export async function algorithms(): Promise<Uint8Array<ArrayBuffer>> {
  if (!algorithmsText()) await import('../algorithms/generated/inline.js')
  const text = algorithmsText()
  if (!text) throw new Error('no text in dist/browser/algorithms.js')
  return unpackModule(text)
}
