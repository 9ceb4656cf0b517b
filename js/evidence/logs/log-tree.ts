import { HASH_BYTES, parentsOf } from '../../foundation/core/tree.js'

/**
 * The part of a log that it takes to append to it (RFC 9162 §2.1.1): its peaks, which are the roots of its complete subtrees.
 * There is one for each bit of its size.
 */
export class LogTree {
  #size = 0
  /** Peaks by their heights. */
  readonly #peaks: (Uint8Array | undefined)[] = []

  /**
   * Makes a log of this size.
   *
   * @param peaks - as {@link LogTree.peaks} gives them; nothing comes of another number of them
   */
  static of(size: number, peaks: readonly Uint8Array[]): LogTree | undefined {
    const tree = new LogTree()
    const left = [...peaks]
    for (let height = 0, rest = size; rest > 0; height++) {
      if (rest % 2 === 1) {
        const peak = left.pop()
        if (!peak) return undefined
        tree.#peaks[height] = peak
      }
      rest = Math.floor(rest / 2)
    }
    tree.#size = size
    return left.length === 0 ? tree : undefined
  }

  get size(): number {
    return this.#size
  }

  /** The largest first. */
  get peaks(): Uint8Array[] {
    return this.#peaks.filter((peak) => peak !== undefined).reverse()
  }

  /** Takes leaf hashes, one behind the other. All nodes of a height cross into the core together. */
  append(leaves: Uint8Array): void {
    let [first, nodes] = [this.#size, leaves]
    this.#size += leaves.length / HASH_BYTES
    for (let height = 0; nodes.length > 0; height++) {
      if (first % 2 === 1) nodes = new Uint8Array([...(this.#peaks[height] as Uint8Array), ...nodes])
      first = Math.floor(first / 2)
      const paired = nodes.length - (nodes.length % PAIR_BYTES)
      this.#peaks[height] = paired < nodes.length ? nodes.slice(paired) : undefined
      nodes = parentsOf(nodes.subarray(0, paired))
    }
  }

  /** Root of the log; undefined for an empty one. */
  get root(): Uint8Array | undefined {
    let root: Uint8Array | undefined
    for (const peak of this.#peaks) {
      if (peak) root = root ? parentsOf(new Uint8Array([...peak, ...root])) : peak
    }
    return root
  }
}

const PAIR_BYTES = 2 * HASH_BYTES
