import { numbers } from '../rows/columns.js'

/** Consecutive numbers, both ends included. */
export type Range = readonly [first: number, last: number]

/** Groups numbers into ranges, in order. */
export function rangesOf(given: readonly number[]): Range[] {
  return unionOf(given.map((one) => [one, one]))
}

/** Merges ranges, which may overlap, into ranges in order. */
export function unionOf(given: readonly Range[]): Range[] {
  const ranges: [number, number][] = []
  for (const [first, last] of [...given].sort(([a], [b]) => a - b)) {
    const range = ranges.at(-1)
    if (range && first <= range[1] + 1) range[1] = Math.max(range[1], last)
    else ranges.push([first, last])
  }
  return ranges
}

/** Returns the first and the last numbers of ranges, each as a column. Numbers of rows may be texts. */
export function rangeColumns(
  ranges: readonly (readonly [unknown, unknown])[],
): [firsts: string, lasts: string] {
  return [numbers(ranges.map(([first]) => `${first}`)), numbers(ranges.map(([, last]) => `${last}`))]
}

/** Returns how many numbers ranges have. */
export function countIn(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)
}
