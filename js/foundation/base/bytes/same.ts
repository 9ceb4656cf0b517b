/** Compares two byte strings. Not for secrets: the time depends on the position of the first difference. */
export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  const { length } = one
  if (length !== other.length) return false
  for (let at = 0; at < length; at++) if (one[at] !== other[at]) return false
  return true
}
