import { toHex } from '../../foundation/base/bytes/hex.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import { EMPTY_ROOT, HASH_BYTES, leavesOf, parentsOf } from '../../foundation/core/tree.js'
import type { Entries } from './entries.js'

/*
 * Tree of RFC 9162 §2.1.1 over the entries of a set. It is built level by level, and a last node without a
 * sibling moves up unchanged. That gives the same tree as splitting at the largest power of two.
 *
 * The lowest levels are computed again for each proof, because they would take twice the memory of the
 * entries. All others take an eighth of it.
 */

/** Lowest level in memory. `GROUP` is the number of entries below one of its nodes. */
const KEPT_LEVEL = 4
const GROUP = 2 ** KEPT_LEVEL
/** Number of entries hashed in one call, which takes about a millisecond: a multiple of a group. */
const TOGETHER = 4096

/** Function that returns a node of one level. */
export type NodeAt = (level: number, index: number) => Uint8Array

/** Tree over entries that do not change any more. */
export class Tree {
  readonly #entries: Entries
  /** Concatenated nodes of each level, from {@link KEPT_LEVEL} up. */
  readonly #levels: readonly Uint8Array[]
  /** Cache of the levels of two groups, because proofs of neighbours use them repeatedly. */
  readonly #groups: { group: number; levels: readonly Uint8Array[] }[] = []

  private constructor(entries: Entries, levels: readonly Uint8Array[]) {
    this.#entries = entries
    this.#levels = levels
  }

  static async over(entries: Entries): Promise<Tree> {
    const levels: Uint8Array[] = []
    let level = await groupRoots(entries)
    for (levels.push(level); level.length > HASH_BYTES; levels.push(level)) level = await above(level)
    return new Tree(entries, levels)
  }

  /** Root in 64 lower-case hexadecimal digits. */
  get root(): string {
    return this.#entries.length === 0 ? EMPTY_ROOT : toHex(this.#levels.at(-1) as Uint8Array)
  }

  /**
   * Returns a node.
   *
   * @param level - number of levels above the entries
   * @param index - position in that level
   */
  node(level: number, index: number): Uint8Array {
    const isKept = level >= KEPT_LEVEL
    const below = 2 ** (KEPT_LEVEL - level)
    const nodes = isKept ? this.#levels[level - KEPT_LEVEL] : this.#group(Math.floor(index / below))[level]
    return nodeIn(nodes as Uint8Array, isKept ? index : index % below)
  }

  #group(group: number): readonly Uint8Array[] {
    const kept = this.#groups[group % 2]
    if (kept?.group === group) return kept.levels
    const levels = levelsOf(joinedEntries(this.#entries, group * GROUP, GROUP))
    this.#groups[group % 2] = { group, levels }
    return levels
  }
}

/** Returns a view of one of the concatenated nodes. */
export function nodeIn(nodes: Uint8Array, index: number): Uint8Array {
  return nodes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)
}

/** Computes the levels of one group, from the leaves up to the level below the lowest one in memory. */
function levelsOf(entries: Uint8Array): Uint8Array[] {
  const levels = [leavesOf(entries)]
  while (levels.length < KEPT_LEVEL) levels.push(parentsOf(levels.at(-1) as Uint8Array))
  return levels
}

function joinedEntries(entries: Entries, from: number, most: number): Uint8Array {
  const count = Math.min(most, entries.length - from)
  const offset = entries.offsetOf(from)
  // A block's length is a multiple of `most`, so the entries are in one block.
  return entries.blockOf(from).subarray(offset, offset + count * HASH_BYTES)
}

/** Computes the lowest level that stays in memory. */
async function groupRoots(entries: Entries): Promise<Uint8Array> {
  const roots = new Uint8Array(Math.ceil(entries.length / GROUP) * HASH_BYTES)
  for (let from = 0; from < entries.length; from += TOGETHER) {
    await callTurns.takeLong()
    const levels = levelsOf(joinedEntries(entries, from, TOGETHER))
    roots.set(parentsOf(levels.at(-1) as Uint8Array), (from / GROUP) * HASH_BYTES)
  }
  return roots
}

async function above(nodes: Uint8Array): Promise<Uint8Array> {
  const parents = new Uint8Array(Math.ceil(nodes.length / HASH_BYTES / 2) * HASH_BYTES)
  const bytes = TOGETHER * HASH_BYTES
  for (let from = 0; from < nodes.length; from += bytes) {
    await callTurns.takeLong()
    parents.set(parentsOf(nodes.subarray(from, from + bytes)), from / 2)
  }
  return parents
}
