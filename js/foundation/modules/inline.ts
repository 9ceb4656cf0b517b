// Implements `#core` in browsers and for bundlers. WebAssembly is included as text, because bundlers do not copy files.

import { packed } from '../core/generated/inline.js'
import { algorithmsText } from './text.js'
import { unpackModule } from './unpack.js'

export const core = (): Uint8Array<ArrayBuffer> => unpackModule(packed)

/** Returns the WebAssembly for ECDSA and SM2. Its base64 text is loaded here unless a script tag has loaded it. */
export async function algorithms(): Promise<Uint8Array<ArrayBuffer>> {
  if (!algorithmsText()) await import('../algorithms/generated/inline.js')
  const text = algorithmsText()
  if (!text) throw new Error('no text in dist/browser/algorithms.js')
  return unpackModule(text)
}
