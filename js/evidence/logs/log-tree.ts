import { HASH_BYTES, parentsOf } from '../../foundation/core/tree.js'

/**
 * Peaks of a log, which suffice to append leaves to the log (RFC 9162 §2.1.1). Peaks are the roots of the
 * complete subtrees, one for each bit that is set in the size of the log.
 */
export class LogTree {
  #size = 0
  readonly #peaks: (Uint8Array | undefined)[] = []

  /**
   * Creates the tree of a log with `size` leaves; undefined for a wrong number of peaks.
   *
   * @param peaks - in the order of {@link LogTree.peaks}
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

  get peaks(): Uint8Array[] {
    return this.#peaks.filter((peak) => peak !== undefined).reverse()
  }

  /** Appends concatenated leaf hashes. Hashes all nodes of a height in one call of the core. */
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

  get root(): Uint8Array | undefined {
    let root: Uint8Array | undefined
    for (const peak of this.#peaks) {
      if (peak) root = root ? parentsOf(new Uint8Array([...peak, ...root])) : peak
    }
    return root
  }
}

const PAIR_BYTES = 2 * HASH_BYTES
