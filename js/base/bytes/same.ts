/** Whether two byte strings are the same. Not for secrets: it takes longer, the later they differ. */
export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}
