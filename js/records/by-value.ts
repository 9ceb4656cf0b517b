/**
 * Places in the order of their values: numbers by size, then texts by their UTF-16 code units; those that are alike as they stand.
 *
 * @returns for each place in that order, which one it was
 */
export function orderOf(values: readonly string[]): number[] {
  const numbers = Float64Array.from(values, numberIn)
  const compare = (one: number, other: number): number => {
    const [a, b] = [numbers[one] as number, numbers[other] as number]
    if (a !== b) return a < b ? -1 : 1
    return a < Number.POSITIVE_INFINITY ? one - other : compareTexts(values, one, other)
  }
  return values.map((_, at) => at).sort(compare)
}

function compareTexts(values: readonly string[], one: number, other: number): number {
  const [a, b] = [values[one] as string, values[other] as string]
  if (a === b) return one - other
  return a < b ? -1 : 1
}

/** Texts stand behind all numbers. */
function numberIn(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : Number.POSITIVE_INFINITY
}
