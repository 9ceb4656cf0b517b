/**
 * Binary search: how many places come before something, where all that do stand before all that do not.
 *
 * @param isBefore - whether what is at a place comes before it: asked about 17 places of 100,000
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
