import { join } from '../base/bytes/join.js'
import { withCore } from './core.js'

/** SHA-256 of pieces of so many bytes, each behind a byte that says what it is, or behind nothing: the core takes four at a time. */
export function hashed(pieces: Uint8Array, bytes: number, prefix?: number): Uint8Array {
  const count = pieces.length / bytes
  if (count === 0) return new Uint8Array(0)
  const texts = prefix === undefined ? pieces : withPrefix(pieces, bytes, prefix)
  return withCore((core) => core.sha256Many(texts, new Uint32Array(count).fill(texts.length / count)))
}

function withPrefix(pieces: Uint8Array, bytes: number, prefix: number): Uint8Array {
  const texts = new Uint8Array(pieces.length + pieces.length / bytes)
  let to = 0
  for (let from = 0; from < pieces.length; ) {
    texts[to++] = prefix
    // To make a view of so few bytes takes longer than to copy them.
    for (const end = from + bytes; from < end; ) texts[to++] = pieces[from++] as number
  }
  return texts
}

// The tree of RFC 9162 §2.1.1, with SHA-256: nodes are given and returned one behind the other.

/** Of a hash, and of whatever else is named by one. */
export const HASH_BYTES = 32

/** The root of no leaves, SHA-256 of nothing. */
export const EMPTY_ROOT = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** The leaf hashes of entries: SHA-256(0x00 ‖ entry). */
export function leavesOf(entries: Uint8Array): Uint8Array {
  return hashed(entries, HASH_BYTES, 0)
}

/** The nodes above: SHA-256(0x01 ‖ left ‖ right). A last node without a sibling moves up as it is. */
export function parentsOf(nodes: Uint8Array): Uint8Array {
  const paired = nodes.length - (nodes.length % (2 * HASH_BYTES))
  const parents = hashed(nodes.subarray(0, paired), 2 * HASH_BYTES, 1)
  return paired === nodes.length ? parents : join([parents, nodes.subarray(paired)]).bytes
}
