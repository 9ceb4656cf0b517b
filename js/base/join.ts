/** Byte strings one behind the other, to cross into the core together. */
export interface Joined {
  readonly bytes: Uint8Array
  /** How long each of them is. */
  readonly lengths: Uint32Array
}

/** Copies byte strings one behind the other. */
export function join(parts: readonly Uint8Array[]): Joined {
  const lengths = Uint32Array.from(parts, ({ length }) => length)
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return { bytes, lengths }
}

/** Splits a list into groups of at most so many byte strings and, unless one alone is longer, bytes. */
export function groupsOf(
  parts: readonly Uint8Array[],
  most: { count: number; bytes: number },
): Uint8Array[][] {
  const groups: Uint8Array[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const part of parts) {
    const group = groups.at(-1)
    if (group && group.length < most.count && bytes + part.length <= most.bytes) {
      group.push(part)
      bytes += part.length
    } else {
      groups.push([part])
      bytes = part.length
    }
  }
  return groups
}
