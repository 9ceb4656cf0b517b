/**
 * Returns whether two byte strings are equal. Do not use it for secrets, because its time depends on the
 * contents.
 */
export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  const { length } = one
  if (length !== other.length) return false
  for (let at = 0; at < length; at++) if (one[at] !== other[at]) return false
  return true
}
