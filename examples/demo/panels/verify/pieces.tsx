import type { Piece } from './marked.ts'

export function Pieces({ pieces }: { readonly pieces: readonly Piece[] }) {
  return pieces.map(({ text, isChanged, isPointedAt = false }) => {
    const shown = isChanged ? <mark>{text}</mark> : text
    return isPointedAt ? <span class="pointed">{shown}</span> : shown
  })
}
