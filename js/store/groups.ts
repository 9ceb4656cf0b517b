/** Values by their numbers, in the order in which they come. */
export function groupsOf<T>(pairs: Iterable<readonly [number, T]>): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const [number, value] of pairs) {
    const group = groups.get(number)
    if (group) group.push(value)
    else groups.set(number, [value])
  }
  return groups
}
