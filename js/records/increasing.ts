/**
 * A longest strictly increasing subsequence of some numbers: what has kept its order, where as few as possible have moved. Takes
 * n log n steps (patience sorting; M. L. Fredman, 1975).
 *
 * @returns the places of its members, in order
 */
export function longestIncreasing(numbers: readonly number[]): number[] {
  /** Where the smallest number is that ends a subsequence of each length. */
  const ends: number[] = []
  /** What stands before each number in the longest subsequence that it ends. */
  const before = new Int32Array(numbers.length)
  for (const [at, number] of numbers.entries()) {
    const length = shorterThan(number, numbers, ends)
    before[at] = ends[length - 1] ?? -1
    ends[length] = at
  }
  const places = new Array<number>(ends.length)
  for (let at = ends.at(-1) ?? -1, left = ends.length; left > 0; at = before[at] as number)
    places[--left] = at
  return places
}

/** How long the longest subsequence is that a number can follow. What is in order is at the end, so that is looked at first. */
function shorterThan(number: number, numbers: readonly number[], ends: readonly number[]): number {
  const last = ends.at(-1)
  if (last === undefined || (numbers[last] as number) < number) return ends.length
  let [from, to] = [0, ends.length - 1]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((numbers[ends[middle] as number] as number) < number) from = middle + 1
    else to = middle
  }
  return from
}
