import { hashed } from '../core/hashed.js'

// RFC 9162 §2.1.1, with SHA-256. Everything here is many hashes at once, one behind the other: the core takes four at a time.

/** Of a hash, and of an entry of a set. */
export const HASH_BYTES = 32
/** The root of no leaves, SHA-256 of nothing. */
export const EMPTY_ROOT = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** The leaf hashes of entries: SHA-256(0x00 ‖ entry). */
export function leavesOf(entries: Uint8Array): Uint8Array {
  return hashed(entries, HASH_BYTES, 0)
}

/** One of many nodes, where it is. */
export function nodeIn(nodes: Uint8Array, index: number): Uint8Array {
  return nodes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)
}

/** The nodes above: SHA-256(0x01 ‖ left ‖ right). A last node without a sibling moves up as it is. */
export function parentsOf(nodes: Uint8Array): Uint8Array {
  const paired = nodes.length - (nodes.length % (2 * HASH_BYTES))
  const parents = hashed(nodes.subarray(0, paired), 2 * HASH_BYTES, 1)
  if (paired === nodes.length) return parents
  const all = new Uint8Array(parents.length + HASH_BYTES)
  all.set(parents)
  all.set(nodes.subarray(paired), parents.length)
  return all
}
