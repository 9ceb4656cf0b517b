import type { Piece } from './marked.ts'

/** Text whose changed stretches are marked. */
export function Pieces({ pieces }: { readonly pieces: readonly Piece[] }) {
  return pieces.map(({ text, isChanged }) => (isChanged ? <mark>{text}</mark> : text))
}
