import { join } from '../base/bytes/join.js'
import { HASH_BYTES, parentsOf } from '../core/hashed.js'
import type { NodeAt } from './tree.js'

/*
 * The proof of a run: of leaves that stand one behind the other in a tree (FORMAT.md, set/1). That of one leaf is the inclusion proof of
 * RFC 9162 §2.1.3; neighbours share most of theirs. Indexes may be too large for operators on bits.
 */

/** Which leaves, of a tree with how many. */
export interface LeafRun {
  /** The first of them. */
  readonly index: number
  readonly count: number
  readonly size: number
}

/** A node beside a run, on its way up. */
interface Sibling {
  readonly side: 'left' | 'right'
  readonly level: number
  readonly index: number
}

/** Which nodes a proof needs, in its order: from the leaves up, and on each level the left one first. */
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

/** The hashes of a proof, one behind the other. */
export function pathOf(run: LeafRun, nodeAt: NodeAt): Uint8Array {
  const nodes = [...siblingsOf(run)].flat().map(({ level, index }) => nodeAt(level, index))
  // One alone is as it is, and may be a view of the tree.
  return new Uint8Array(join(nodes).bytes)
}

/**
 * The root that leaves and a path lead to; nothing where the path does not have exactly what the run needs.
 *
 * @param leaves - hashes of the run's leaves, one behind the other
 * @param path - hashes, one behind the other
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
