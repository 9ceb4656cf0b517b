const STEP = 4096

/** Sorts items stably. Yields between steps, for up to a million items. @param compare - as for `Array.sort` */
export function* sortInSteps<T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
): Generator<void, T[]> {
  let parts: T[][] = []
  for (let at = 0; at < items.length; at += STEP) {
    parts.push(items.slice(at, at + STEP).sort(compare))
    yield
  }
  while (parts.length > 1) {
    const joined: T[][] = []
    for (let at = 0; at < parts.length; at += 2) {
      joined.push(yield* merge(parts[at] as T[], parts[at + 1] ?? [], compare))
    }
    parts = joined
  }
  return parts[0] ?? []
}

function* merge<T>(
  one: readonly T[],
  other: readonly T[],
  compare: (one: T, other: T) => number,
): Generator<void, T[]> {
  const merged: T[] = []
  let [at, next] = [0, 0]
  while (at < one.length || next < other.length) {
    if (merged.length % STEP === 0) yield
    const isOne = next === other.length || (at < one.length && compare(one[at] as T, other[next] as T) <= 0)
    merged.push((isOne ? one[at++] : other[next++]) as T)
  }
  return merged
}
