import { supplyAlgorithms } from '../algorithms/supply.js'
import { algorithmsText } from '../algorithms/text.js'
import { unpacked } from './unpacked.js'

/** From a chunk of its own, for who needs it, unless a script or an import has brought it. */
export function supplyAlgorithmsText(): void {
  supplyAlgorithms(async () => {
    if (!algorithmsText()) await import('../algorithms/generated/inline.js')
    const text = algorithmsText()
    if (!text) throw new Error('no text in dist/browser/algorithms.js')
    return unpacked(text)
  })
}
