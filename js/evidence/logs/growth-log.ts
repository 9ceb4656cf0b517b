import { HASH_BYTES } from '../../foundation/core/tree.js'
import { LogTree } from './log-tree.js'
import { consistencyOf } from './paths.js'

/** Function that returns the consistency proof from an earlier size of a log; undefined if none is available. */
export type GrowthFrom = (size: number) => Promise<readonly Uint8Array[] | undefined>

/** Maximum number of recorded sizes, because later leaves are hashed for each of them. */
const MAX_SIZES = 8

/**
 * Record of some sizes of a log. Makes consistency proofs from these sizes, although the leaves are not stored.
 * Contains, for each size, the complete subtrees on both sides of it: RFC 9162 §2.1.4.1 needs no others.
 */
export class GrowthLog {
  readonly #tree: LogTree
  readonly #sizes = new Map<number, SizeSubtrees>()

  constructor(tree: LogTree) {
    this.#tree = tree
  }

  /**
   * Appends concatenated leaf hashes that the tree already has. Each leaf is hashed once for every open
   * `Slot`.
   */
  append(leaves: Uint8Array): void {
    for (let at = 0; at < leaves.length && this.#sizes.size > 0; ) {
      const slots = this.#openSlots()
      const room = Math.min(...Array.from(slots.values(), ({ capacity, tree }) => capacity - tree.size))
      const next = leaves.subarray(at, at + room * HASH_BYTES)
      for (const { tree } of slots.values()) tree.append(next)
      at += next.length
    }
  }

  #openSlots(): Map<number, Slot> {
    const slots = new Map<number, Slot>()
    for (const one of this.#sizes.values()) one.open(slots)
    return slots
  }

  /**
   * Records and returns the current size of the log. Returns undefined if the size is 0 or was recorded
   * before. Beyond {@link MAX_SIZES}, drops the second oldest size, because a slow witness may still need the
   * oldest.
   */
  recordSize(): number | undefined {
    const { size, peaks } = this.#tree
    if (this.has(size)) return undefined
    this.#sizes.set(size, new SizeSubtrees(size, peaks))
    const [, second] = this.#sizes.keys()
    if (this.#sizes.size > MAX_SIZES && second !== undefined) this.#sizes.delete(second)
    return size
  }

  forgetBelow(size: number): void {
    for (const one of this.#sizes.keys()) if (one < size) this.#sizes.delete(one)
  }

  has(size: number): boolean {
    return size === 0 || this.#sizes.has(size)
  }

  forget(size: number): void {
    this.#sizes.delete(size)
  }

  /** Consistency proofs from recorded sizes to the current size. Later leaves do not change the snapshot. */
  get snapshot(): GrowthFrom {
    const { size } = this.#tree
    const nodes = new Map(Array.from(this.#sizes, ([from, subtrees]) => [from, subtrees.nodes()]))
    return async (from) => {
      if (from === 0 || from === size) return []
      const known = nodes.get(from)
      return (
        known &&
        consistencyOf(async (height, index) => known.get(`${height} ${index}`) as Uint8Array, from, size)
      )
    }
  }
}

/** Part of a log after one or more recorded sizes. When it has `capacity` leaves, it is a complete subtree. */
interface Slot {
  readonly from: number
  readonly capacity: number
  readonly tree: LogTree
}

function newSlot(from: number): Slot {
  return { from, capacity: largestFactor(from), tree: new LogTree() }
}

class SizeSubtrees {
  readonly #size: number
  readonly #before: readonly Uint8Array[]
  readonly #slots: Slot[] = []

  constructor(size: number, peaks: readonly Uint8Array[]) {
    this.#size = size
    this.#before = peaks
  }

  /**
   * Opens the slot for the next leaf, as large as the largest complete subtree that begins at that leaf.
   *
   * @param slots - open slots of the sizes before this one, by first position; receives the slot of this size
   */
  open(slots: Map<number, Slot>): void {
    const last = this.#slots.at(-1)
    const from = last ? last.from + last.capacity : this.#size
    const isOpen = last !== undefined && last.tree.size < last.capacity
    const slot = isOpen ? last : (slots.get(from) ?? newSlot(from))
    if (!isOpen) this.#slots.push(slot)
    slots.set(slot.from, slot)
  }

  nodes(): Map<string, Uint8Array> {
    const nodes = new Map<string, Uint8Array>()
    putPeaks(nodes, 0, this.#size, this.#before)
    for (const { from, tree } of this.#slots) putPeaks(nodes, from, tree.size, tree.peaks)
    return nodes
  }
}

/** Adds the peaks of `size` leaves that begin at position `from`, the largest peak first, to `nodes`. */
function putPeaks(
  nodes: Map<string, Uint8Array>,
  from: number,
  size: number,
  peaks: readonly Uint8Array[],
): void {
  let [at, left] = [from, size]
  for (const peak of peaks) {
    const height = Math.floor(Math.log2(left))
    nodes.set(`${height} ${at / 2 ** height}`, peak)
    at += 2 ** height
    left -= 2 ** height
  }
}

function largestFactor(number: number): number {
  let power = 1
  while (number % (power * 2) === 0) power *= 2
  return power
}
