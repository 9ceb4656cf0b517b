/** Numbers that follow on each other: the first and the last of them. */
export type Range = readonly [first: number, last: number]

/** What is missing of the numbers from one to another, of which these are there, in order. */
export function gapsOf(numbers: Iterable<number>, first: number, last: number): Range[] {
  const gaps: Range[] = []
  let next = first
  for (const number of numbers) {
    if (number < next) continue
    if (number > last) break
    if (number > next) gaps.push([next, number - 1])
    next = number + 1
  }
  if (next <= last) gaps.push([next, last])
  return gaps
}

/** What of a range is in none of the others. */
export function without([first, last]: Range, others: readonly Range[]): Range[] {
  const rest: Range[] = []
  let next = first
  for (const [from, to] of [...others].sort(([one], [other]) => one - other)) {
    if (from > last) break
    if (from > next) rest.push([next, from - 1])
    next = Math.max(next, to + 1)
  }
  if (next <= last) rest.push([next, last])
  return rest
}

/** How many numbers these are, from one on. */
export function countOf(ranges: readonly Range[], from = 0): number {
  return ranges.reduce((sum, [first, last]) => sum + Math.max(0, last - Math.max(first, from) + 1), 0)
}
