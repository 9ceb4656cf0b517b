export function areEqual(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === other || !one || !other) return one === other
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}
