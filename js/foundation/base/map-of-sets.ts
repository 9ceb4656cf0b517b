/** Adds an item to the set of a key, which is made if there is none. Returns the set. */
export function addToSet<Key, Item>(sets: Map<Key, Set<Item>>, key: Key, item: Item): Set<Item> {
  const set = (sets.get(key) ?? new Set()).add(item)
  sets.set(key, set)
  return set
}

/** Deletes an item from the set of a key, and the set when it is empty. */
export function deleteFromSet<Key, Item>(sets: Map<Key, Set<Item>>, key: Key, item: Item): void {
  const set = sets.get(key)
  set?.delete(item)
  if (set?.size === 0) sets.delete(key)
}
