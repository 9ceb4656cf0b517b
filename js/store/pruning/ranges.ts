import { numbers } from '../columns.js'

/** Numbers that follow each other: both ends belong to it. */
export type Range = readonly [first: number, last: number]

/** Numbers as ranges, in their order. */
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

/** The first and the last numbers of ranges, each as a column: texts, where they come from rows. */
export function rangeColumns(
  ranges: readonly (readonly [unknown, unknown])[],
): [firsts: string, lasts: string] {
  return [numbers(ranges.map(([first]) => `${first}`)), numbers(ranges.map(([, last]) => `${last}`))]
}

/** How many numbers there are in ranges. */
export function countIn(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)
}
