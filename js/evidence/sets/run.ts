import { join } from '../../foundation/base/bytes/join.js'
import { HASH_BYTES, parentsOf } from '../../foundation/core/tree.js'
import type { NodeAt } from './tree.js'

/*
 * Proof of a run of consecutive leaves in a tree (FORMAT.md, set/1). The proof of one leaf is the inclusion
 * proof of RFC 9162 §2.1.3; neighbours share most hashes. Indexes may be too large for bitwise operators.
 */

/** Consecutive leaves of a tree, and the number of all its leaves. */
export interface LeafRun {
  /** Index of the first leaf. */
  readonly index: number
  readonly count: number
  readonly size: number
}

/** Sibling node of a run on one level. */
interface Sibling {
  readonly side: 'left' | 'right'
  readonly level: number
  readonly index: number
}

/**
 * Yields the nodes that a proof needs, in its order: from the leaves up, and on each level the left one
 * first.
 */
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

/** Returns the concatenated hashes of a proof. */
export function pathOf(run: LeafRun, nodeAt: NodeAt): Uint8Array {
  const nodes = [...siblingsOf(run)].flat().map(({ level, index }) => nodeAt(level, index))
  // Copy the hashes: `join` returns a single node unchanged, which may be a view of the tree.
  return new Uint8Array(join(nodes).bytes)
}

/**
 * Returns the root that leaves and a path lead to; undefined if the path has more or fewer hashes than the
 * run needs.
 *
 * @param leaves - concatenated hashes of the run's leaves
 * @param path - concatenated hashes
 */
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
