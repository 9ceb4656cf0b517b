/** Marks the differences between a message's text and its original. */
import { type Leaf, leavesOf } from './leaves.ts'
import type { Range } from './pointed.ts'

export interface Piece {
  readonly text: string
  readonly isChanged: boolean
  /** True if the pointer or the caret is in this part. */
  readonly isPointedAt?: boolean
}

/** Splits the parts at both ends of a range, and marks the parts inside the range. */
export function pointedAt(pieces: readonly Piece[], { from, to }: Range): Piece[] {
  let begin = 0
  return pieces.flatMap((piece) => {
    const cut = (start: number, end: number) =>
      piece.text.slice(Math.max(start - begin, 0), Math.max(end - begin, 0))
    const end = begin + piece.text.length
    const parts = [
      { ...piece, text: cut(begin, from) },
      { ...piece, text: cut(from, to), isPointedAt: true },
      { ...piece, text: cut(Math.max(to, begin), end) },
    ]
    begin = end
    return parts.filter(({ text }) => text !== '')
  })
}

/** Returns the current text with its differences marked, value by value if the structure is equal. */
export function marked(before: string, now: string): Piece[] {
  const [then, these] = [leavesOf(before), leavesOf(now)]
  const isSame = then.length === these.length && then.every(({ path }, n) => path === these[n]?.path)
  if (!isSame || these.length === 0 || between(before, then) !== between(now, these))
    return compare(before, now)
  let end = 0
  const pieces = these.flatMap((leaf, n) => {
    const gap = { text: now.slice(end, leaf.from), isChanged: false }
    end = leaf.to
    return [gap, ...compare(textOf(before, then[n] as Leaf), textOf(now, leaf))]
  })
  return [...pieces, { text: now.slice(end), isChanged: false }]
}

export function markedAt(text: string, { from, to }: Leaf): Piece[] {
  return [
    { text: text.slice(0, from), isChanged: false },
    { text: text.slice(from, to), isChanged: true },
    { text: text.slice(to), isChanged: false },
  ]
}

/**
 * Marks in `after` everything between the first and the last difference from `before`, or all of it if the
 * texts have little in common.
 */
export function compare(before: string, after: string): Piece[] {
  if (before === after) return [{ text: after, isChanged: false }]
  if (!haveMuchInCommon(before, after)) return [{ text: after, isChanged: true }]
  const { start, end } = sameEnds(before, after)
  const stop = after.length - end
  return [
    { text: after.slice(0, start), isChanged: false },
    { text: after.slice(start, stop), isChanged: true },
    { text: after.slice(stop), isChanged: false },
  ].filter(({ text }) => text !== '')
}

/** Returns whether the texts share a beginning and an end that make up half of the shorter one. */
export function haveMuchInCommon(before: string, after: string): boolean {
  const { start, end } = sameEnds(before, after)
  return start + end >= Math.min(before.length, after.length) / 2
}

/** Counts the characters at the beginning and the end that both texts share. */
function sameEnds(before: string, after: string): { readonly start: number; readonly end: number } {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  return { start, end }
}

function textOf(text: string, { from, to }: Leaf): string {
  return text.slice(from, to)
}

/** Returns everything except the values: punctuation, names and white space. */
function between(text: string, leaves: readonly Leaf[]): string {
  return (
    leaves.map(({ from }, n) => text.slice(leaves[n - 1]?.to ?? 0, from)).join('\0') +
    text.slice(leaves.at(-1)?.to)
  )
}
