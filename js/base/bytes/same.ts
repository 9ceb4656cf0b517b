/** Returns whether two byte strings are equal. Not for secrets: the time it takes shows where they differ. */
export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}
