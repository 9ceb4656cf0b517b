/**
 * Counts the items before a boundary by binary search. `isBefore` must be true for every item before the
 * boundary, and false for every other item.
 *
 * @param isBefore - returns whether the item at an index is before the boundary; called at most 17 times for
 * 100,000 items
 */
export function countBefore(count: number, isBefore: (at: number) => boolean): number {
  let [from, until] = [0, count]
  while (from < until) {
    const middle = Math.floor((from + until) / 2)
    if (isBefore(middle)) from = middle + 1
    else until = middle
  }
  return from
}
