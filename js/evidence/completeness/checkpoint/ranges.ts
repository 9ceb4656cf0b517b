import { malformed } from '../../../foundation/base/errors.js'
import { readDecimal } from '../../../foundation/base/text/text.js'
import { quoteLine } from '../../logs/note.js'

/** Range of positions in a log, with both ends included. */
export interface Positions {
  /** First position of the range. Positions in a log begin at 0. */
  readonly first: number
  /** Last position of the range, equal to `first` or larger. */
  readonly last: number
}

/** Maximum number of ranges in one line of a checkpoint (FORMAT.md, Limits). */
export const MAX_RANGES = 16_384

/**
 * Returns ascending positions as ranges. Beyond `maxRanges`, the last range extends to the last position.
 *
 * @param maxRanges - default: {@link MAX_RANGES}
 */
export function rangesOf(positions: Iterable<number>, maxRanges = MAX_RANGES): Positions[] {
  const ranges: { first: number; last: number }[] = []
  for (const position of positions) {
    const range = ranges.at(-1)
    const isNext = range && (position <= range.last + 1 || ranges.length === maxRanges)
    if (isNext) range.last = Math.max(position, range.last)
    else ranges.push({ first: position, last: position })
  }
  return ranges
}

/**
 * Yields those of the given positions that lie in the ranges. Positions and ranges must ascend. Long ranges
 * take no more time than short ones.
 */
export function* positionsIn(
  positions: readonly number[],
  ranges: readonly Positions[],
): Generator<number, void> {
  let at = 0
  for (const { first, last } of ranges) {
    while (at < positions.length && (positions[at] as number) < first) at++
    while (at < positions.length && (positions[at] as number) <= last) yield positions[at++] as number
  }
}

/** Returns ranges as text for a line of a checkpoint, such as `3 5-9`. */
export function writeRanges(ranges: readonly Positions[]): string {
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(' ')
}

/**
 * Reads the ranges in a line of a checkpoint. Ranges must ascend, not be adjacent, and lie below `size`.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function readRanges(text: string, field: string, size: number): Positions[] {
  const ranges: Positions[] = []
  let min = 0
  for (const part of text.split(' ', MAX_RANGES + 1)) {
    const { first, last } = rangeIn(part) ?? { first: -1, last: -1 }
    if (first < min || last >= size || ranges.length === MAX_RANGES) {
      throw malformed(field, `at most ${MAX_RANGES} ranges, ascending and below ${size}`, quoteLine(part))
    }
    ranges.push({ first, last })
    min = last + 2
  }
  return ranges
}

function rangeIn(part: string): Positions | undefined {
  const [, from = '', to] = /^(\d{1,16})(?:-(\d{1,16}))?$/.exec(part) ?? []
  const [first, last] = [readDecimal(from), readDecimal(to ?? from)]
  if (first === undefined || last === undefined || (to !== undefined && last <= first)) return undefined
  return { first, last }
}
