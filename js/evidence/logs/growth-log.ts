import { HASH_BYTES } from '../../foundation/core/tree.js'
import { LogTree } from './log-tree.js'
import { consistencyOf } from './paths.js'

/** Returns the path from an earlier size to the one of a moment; undefined for a size that is not kept. */
export type GrowthFrom = (size: number) => Promise<readonly Uint8Array[] | undefined>

/** Sizes from which a path can be shown, at most: each hashes all leaves behind it. */
const MAX_SIZES = 8

/**
 * Shows how a log has grown from some of its sizes, without the leaves: of each size it keeps the complete subtrees before it, and those behind it as they fill
 * (RFC 9162 §2.1.4.1 needs no others).
 */
export class GrowthLog {
  readonly #tree: LogTree
  /** Sizes in ascending order, each with its subtrees. */
  readonly #sizes = new Map<number, SizeSubtrees>()

  /** @param tree - the log, to which its owner appends */
  constructor(tree: LogTree) {
    this.#tree = tree
  }

  /** Takes leaf hashes that the tree has now, one behind the other. Sizes share their slots, so that each slot hashes a leaf once. */
  append(leaves: Uint8Array): void {
    for (let at = 0; at < leaves.length && this.#sizes.size > 0; ) {
      const slots = this.#openSlots()
      const room = Math.min(...Array.from(slots.values(), ({ capacity, tree }) => capacity - tree.size))
      const next = leaves.subarray(at, at + room * HASH_BYTES)
      for (const { tree } of slots.values()) tree.append(next)
      at += next.length
    }
  }

  /** Returns the slots with room for the next leaf, by their beginnings. */
  #openSlots(): Map<number, Slot> {
    const slots = new Map<number, Slot>()
    for (const one of this.#sizes.values()) one.open(slots)
    return slots
  }

  /**
   * Keeps the size of now, and returns it. If there are too many, one in the middle goes: the oldest is that of a witness that is away.
   *
   * @returns undefined if it is kept already
   */
  keep(): number | undefined {
    const { size, peaks } = this.#tree
    if (this.has(size)) return undefined
    this.#sizes.set(size, new SizeSubtrees(size, peaks))
    const [, second] = this.#sizes.keys()
    if (this.#sizes.size > MAX_SIZES && second !== undefined) this.#sizes.delete(second)
    return size
  }

  /** Forgets all sizes below this one. */
  forgetBelow(size: number): void {
    for (const one of this.#sizes.keys()) if (one < size) this.#sizes.delete(one)
  }

  /** Returns whether a path from this size can be shown. */
  has(size: number): boolean {
    return size === 0 || this.#sizes.has(size)
  }

  forget(size: number): void {
    this.#sizes.delete(size)
  }

  /** Returns the paths to the size of now, whatever is appended later. */
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

/** A part of a log behind a kept size, up to where a complete subtree ends. */
interface Slot {
  readonly from: number
  readonly capacity: number
  readonly tree: LogTree
}

function newSlot(from: number): Slot {
  return { from, capacity: largestFactor(from), tree: new LogTree() }
}

/** A size, with the subtrees before it, and behind it. */
class SizeSubtrees {
  readonly #size: number
  readonly #before: readonly Uint8Array[]
  readonly #slots: Slot[] = []

  constructor(size: number, peaks: readonly Uint8Array[]) {
    this.#size = size
    this.#before = peaks
  }

  /**
   * Opens the slot with room for the next leaf. Each is as large as the largest complete subtree that begins there.
   *
   * @param slots - those of other sizes, by their beginnings; this one is added
   */
  open(slots: Map<number, Slot>): void {
    const last = this.#slots.at(-1)
    const from = last ? last.from + last.capacity : this.#size
    const isOpen = last !== undefined && last.tree.size < last.capacity
    const slot = isOpen ? last : (slots.get(from) ?? newSlot(from))
    if (!isOpen) this.#slots.push(slot)
    slots.set(slot.from, slot)
  }

  /** Returns all subtrees, by height and place. */
  nodes(): Map<string, Uint8Array> {
    const nodes = new Map<string, Uint8Array>()
    putPeaks(nodes, 0, this.#size, this.#before)
    for (const { from, tree } of this.#slots) putPeaks(nodes, from, tree.size, tree.peaks)
    return nodes
  }
}

/** Puts the peaks of a part of a log, the largest first, at their places. */
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

/** Returns the largest power of two that divides a number. */
function largestFactor(number: number): number {
  let power = 1
  while (number % (power * 2) === 0) power *= 2
  return power
}
