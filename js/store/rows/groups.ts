export function groupsOf<K, T>(pairs: Iterable<readonly [K, T]>): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const [key, value] of pairs) {
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  return groups
}

export function* partsOf<T>(values: readonly T[], maxLength: number): Generator<T[], void> {
  for (let at = 0; at < values.length; at += maxLength) yield values.slice(at, at + maxLength)
}

/** Payloads per query. With more rows, reading them would block the event loop for too long. */
export const MAX_ROWS = 2_048
