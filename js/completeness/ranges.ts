import { malformed } from '../base/errors.js'
import { readDecimal } from '../base/text/decimal.js'
import { line } from '../logs/line.js'

/** Positions from the first to the last, both included. */
export interface Positions {
  /** From 0. */
  readonly first: number
  /** The same as the first, or more. */
  readonly last: number
}

/** FORMAT.md, Limits: in one line of a checkpoint. */
export const MOST_RANGES = 16_384

/** Ascending positions as ranges. If a line has no room for all of them, its last range covers the rest. */
export function rangesOf(positions: Iterable<number>): Positions[] {
  const ranges: { first: number; last: number }[] = []
  for (const position of positions) {
    const range = ranges.at(-1)
    const isNext = range && (position <= range.last + 1 || ranges.length === MOST_RANGES)
    if (isNext) range.last = Math.max(position, range.last)
    else ranges.push({ first: position, last: position })
  }
  return ranges
}

/** Those of some ascending positions that lie in ranges, however long these are. */
export function* among(positions: readonly number[], ranges: readonly Positions[]): Generator<number, void> {
  let at = 0
  for (const { first, last } of ranges) {
    while (at < positions.length && (positions[at] as number) < first) at++
    while (at < positions.length && (positions[at] as number) <= last) yield positions[at++] as number
  }
}

/** As a line has them. */
export function writtenRanges(ranges: readonly Positions[]): string {
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(' ')
}

/**
 * The ranges of a line: ascending, with something between two of them, below the size.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function readRanges(text: string, field: string, size: number): Positions[] {
  const ranges: Positions[] = []
  let least = 0
  for (const part of text.split(' ', MOST_RANGES + 1)) {
    const { first, last } = rangeIn(part) ?? { first: -1, last: -1 }
    if (first < least || last >= size || ranges.length === MOST_RANGES) {
      throw malformed(field, `at most ${MOST_RANGES} ranges, ascending and below ${size}`, line(part))
    }
    ranges.push({ first, last })
    least = last + 2
  }
  return ranges
}

function rangeIn(part: string): Positions | undefined {
  const [, from = '', to] = /^(\d{1,16})(?:-(\d{1,16}))?$/.exec(part) ?? []
  const [first, last] = [readDecimal(from), readDecimal(to ?? from)]
  if (first === undefined || last === undefined || (to !== undefined && last <= first)) return undefined
  return { first, last }
}
