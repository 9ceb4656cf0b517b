import { numbers } from '../rows/columns.js'

/** Consecutive numbers, from the first to the last inclusive. */
export type Range = readonly [first: number, last: number]

export function rangesOf(given: readonly number[]): Range[] {
  return unionOf(given.map((one) => [one, one]))
}

/** Merges ranges, which may overlap, into ascending ranges. */
export function unionOf(given: readonly Range[]): Range[] {
  const ranges: [number, number][] = []
  for (const [first, last] of [...given].sort(([a], [b]) => a - b)) {
    const range = ranges.at(-1)
    if (range && first <= range[1] + 1) range[1] = Math.max(range[1], last)
    else ranges.push([first, last])
  }
  return ranges
}

/** Returns the first and the last numbers of ranges as two array parameters. Numbers may be strings, as in rows. */
export function rangeColumns(
  ranges: readonly (readonly [unknown, unknown])[],
): [firsts: string, lasts: string] {
  return [numbers(ranges.map(([first]) => `${first}`)), numbers(ranges.map(([, last]) => `${last}`))]
}

export function countIn(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)
}
