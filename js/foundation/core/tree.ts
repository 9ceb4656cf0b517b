import { join } from '../base/bytes/join.js'
import { withCore } from './core.js'

/**
 * Hashes pieces of `bytes` bytes each with SHA-256, and returns the concatenated hashes. Hashes the byte
 * `prefix`, if given, before each piece. The core hashes four pieces at a time.
 */
export function hashPieces(pieces: Uint8Array, bytes: number, prefix?: number): Uint8Array {
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
    // Copy in a loop, because creating a view of so few bytes takes longer.
    for (const end = from + bytes; from < end; ) texts[to++] = pieces[from++] as number
  }
  return texts
}

// Computes the nodes of the Merkle tree of RFC 9162 §2.1.1, with SHA-256. Arguments and results are concatenated nodes.

/** Length of a SHA-256 hash in bytes. Entries of a tree have the same length. */
export const HASH_BYTES = 32

/** Root of an empty tree: the SHA-256 of zero bytes. */
export const EMPTY_ROOT = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** Returns the leaf hashes of entries of 32 bytes: SHA-256(0x00 ‖ entry). */
export function leavesOf(entries: Uint8Array): Uint8Array {
  return hashPieces(entries, HASH_BYTES, 0)
}

/** Returns the parents of nodes: SHA-256(0x01 ‖ left ‖ right). A last node without a sibling moves up unchanged. */
export function parentsOf(nodes: Uint8Array): Uint8Array {
  const paired = nodes.length - (nodes.length % (2 * HASH_BYTES))
  const parents = hashPieces(nodes.subarray(0, paired), 2 * HASH_BYTES, 1)
  return paired === nodes.length ? parents : join([parents, nodes.subarray(paired)]).bytes
}
