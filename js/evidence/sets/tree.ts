import { toHex } from '../../foundation/base/bytes/hex.js'
import { join } from '../../foundation/base/bytes/join.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import { EMPTY_ROOT, HASH_BYTES, leavesOf, parentsOf } from '../../foundation/core/tree.js'
import type { Entries } from './entries.js'

/*
 * Builds the tree of RFC 9162 §2.1.1 over the entries of a set, level by level. A last node without a sibling
 * moves up unchanged, which gives the same tree as splitting at the largest power of two.
 *
 * The lowest levels are computed again for each proof, because they would take twice the memory of the
 * entries. All other levels take an eighth of the memory of the entries.
 */

/** Lowest level that stays in memory. Each of its nodes covers `GROUP` entries. */
const MIN_STORED_LEVEL = 4
const GROUP = 2 ** MIN_STORED_LEVEL
/** Number of entries to hash in one call of about a millisecond. The number is a multiple of `GROUP`. */
const STEP_ENTRIES = 4096

export class Tree {
  readonly #entries: Entries
  /** Concatenated nodes of each level, from {@link MIN_STORED_LEVEL} up. */
  readonly #levels: readonly Uint8Array[]
  /** Lowest levels of one even and one odd group. Proofs about neighbouring entries need them repeatedly. */
  readonly #groups: { group: number; levels: readonly Uint8Array[] }[] = []

  private constructor(entries: Entries, levels: readonly Uint8Array[]) {
    this.#entries = entries
    this.#levels = levels
  }

  static async build(entries: Entries): Promise<Tree> {
    const levels: Uint8Array[] = []
    let level = await groupRoots(entries)
    for (levels.push(level); level.length > HASH_BYTES; levels.push(level)) level = await parentLevel(level)
    return new Tree(entries, levels)
  }

  get root(): string {
    return this.#entries.length === 0 ? EMPTY_ROOT : toHex(this.#levels.at(-1) as Uint8Array)
  }

  /**
   * Returns a node.
   *
   * @param level - number of levels above the entries
   * @param index - position in the level, counted from 0
   */
  node(level: number, index: number): Uint8Array {
    const isKept = level >= MIN_STORED_LEVEL
    const below = 2 ** (MIN_STORED_LEVEL - level)
    const nodes = isKept
      ? this.#levels[level - MIN_STORED_LEVEL]
      : this.#group(Math.floor(index / below))[level]
    return nodeIn(nodes as Uint8Array, isKept ? index : index % below)
  }

  #group(group: number): readonly Uint8Array[] {
    const cacheEntry = this.#groups[group % 2]
    if (cacheEntry?.group === group) return cacheEntry.levels
    const levels = levelsOf(entryBytes(this.#entries, group * GROUP, GROUP))
    this.#groups[group % 2] = { group, levels }
    return levels
  }
}

/** Entries of a set or manifest, the tree over them, and the salt that they were hashed with. */
export interface SealedEntries {
  readonly entries: Entries
  readonly tree: Tree
  readonly salt: Uint8Array | undefined
}

export async function sealedEntries(entries: Entries, salt: Uint8Array | undefined): Promise<SealedEntries> {
  return { entries, tree: await Tree.build(entries), salt }
}

export function nodeIn(nodes: Uint8Array, index: number): Uint8Array {
  return nodes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)
}

/** Returns the levels below the stored ones, from the leaves up. */
function levelsOf(entries: Uint8Array): Uint8Array[] {
  const levels = [leavesOf(entries)]
  while (levels.length < MIN_STORED_LEVEL) levels.push(parentsOf(levels.at(-1) as Uint8Array))
  return levels
}

function entryBytes(entries: Entries, from: number, maxCount: number): Uint8Array {
  const count = Math.min(maxCount, entries.length - from)
  const offset = entries.offsetOf(from)
  // One block contains all of these entries, because the length of a block is a multiple of `maxCount`, the
  // maximum number of entries.
  return entries.blockOf(from).subarray(offset, offset + count * HASH_BYTES)
}

async function groupRoots(entries: Entries): Promise<Uint8Array> {
  const roots = new Uint8Array(Math.ceil(entries.length / GROUP) * HASH_BYTES)
  for (let from = 0; from < entries.length; from += STEP_ENTRIES) {
    await callTurns.yieldIfDueLong()
    const levels = levelsOf(entryBytes(entries, from, STEP_ENTRIES))
    roots.set(parentsOf(levels.at(-1) as Uint8Array), (from / GROUP) * HASH_BYTES)
  }
  return roots
}

async function parentLevel(nodes: Uint8Array): Promise<Uint8Array> {
  const parents = new Uint8Array(Math.ceil(nodes.length / HASH_BYTES / 2) * HASH_BYTES)
  const bytes = STEP_ENTRIES * HASH_BYTES
  for (let from = 0; from < nodes.length; from += bytes) {
    await callTurns.yieldIfDueLong()
    parents.set(parentsOf(nodes.subarray(from, from + bytes)), from / 2)
  }
  return parents
}

/*
 * Proves a run of consecutive leaves in a tree (FORMAT.md, set/1). The proof of one leaf is the inclusion proof of RFC
 * 9162 §2.1.3. The leaves of a longer run share most hashes. Indexes may be too large for bitwise operators.
 */

/** Consecutive leaves of a tree, and the number of leaves in the tree. */
interface LeafRun {
  readonly index: number
  readonly count: number
  readonly size: number
}

interface Sibling {
  readonly side: 'left' | 'right'
  readonly level: number
  readonly index: number
}

/** Yields the nodes that a proof needs, from the leaves up. On each level, the left node comes first. */
function* siblingsOf({ index, count, size }: LeafRun): Generator<readonly Sibling[], void> {
  let [first, last, end] = [index, index + count - 1, size - 1]
  for (let level = 0; end > 0; level++) {
    const siblings: Sibling[] = []
    if (first % 2 === 1) siblings.push({ side: 'left', level, index: first - 1 })
    if (last % 2 === 0 && last < end) siblings.push({ side: 'right', level, index: last + 1 })
    yield siblings
    first = Math.floor(first / 2)
    last = Math.floor(last / 2)
    end = Math.floor(end / 2)
  }
}

export function pathOf(run: LeafRun, nodeAt: (level: number, index: number) => Uint8Array): Uint8Array {
  const nodes = [...siblingsOf(run)].flat().map(({ level, index }) => nodeAt(level, index))
  // Copy the hashes, because `join` returns a single node unchanged, which may be a view of the tree.
  return new Uint8Array(join(nodes).bytes)
}

/** Computes a root from concatenated leaves and hashes; undefined if the path has too many or too few hashes. */
export function rootOf(run: LeafRun, leaves: Uint8Array, path: Uint8Array): Uint8Array | undefined {
  if (run.index + run.count > run.size) return undefined
  let [nodes, at] = [leaves, 0]
  for (const siblings of siblingsOf(run)) {
    for (const { side } of siblings) {
      const sibling = path.subarray(at, at + HASH_BYTES)
      at += HASH_BYTES
      nodes = join(side === 'left' ? [sibling, nodes] : [nodes, sibling]).bytes
    }
    if (at > path.length) return undefined
    nodes = parentsOf(nodes)
  }
  return at === path.length ? nodes : undefined
}
