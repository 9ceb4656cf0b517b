/**
 * Returns the median; undefined without values.
 *
 * @param {(number | undefined)[]} values
 * @returns {number | undefined}
 */
export function median(values) {
  const sorted = values.filter((value) => value !== undefined).sort((one, other) => one - other)
  if (sorted.length === 0) return undefined
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2
}
