import { digestOf } from '../../../foundation/core/hashing.js'
import type { LogSize } from '../../logs/size.js'
import type { VerifiedCheckpoint } from '../checkpoint/verify-checkpoint.js'

/**
 * Maximum number of checkpoint texts that are remembered of a run. Remembered roots and reported forks have
 * the same maximum each.
 */
const MAX_STATEMENTS = 1024

export interface StatementCount {
  count: number
}

/** Checkpoint texts and roots of a run, for comparison with later checkpoints, so that forks are found. */
export class Forks {
  readonly #statements: StatementCount
  /** Size and hash of the text of each checkpoint, by the number of the checkpoint. */
  readonly #texts = new Map<number, { readonly size: number; readonly hash: string }>()
  readonly #roots = new Map<number, string>()
  readonly #reported = new Set<number>()

  constructor(statements: StatementCount) {
    this.#statements = statements
  }

  forget(): void {
    this.#statements.count -= this.#texts.size + this.#roots.size
    this.#texts.clear()
    this.#roots.clear()
  }

  /** Adds a checkpoint. Returns the log sizes, not reported before, at which it contradicts other checkpoints. */
  add(checkpoint: VerifiedCheckpoint): number[] {
    const { number, size, from, note } = checkpoint
    const hash = digestOf(new TextEncoder().encode(note.slice(0, note.lastIndexOf('\n\n'))))
    const known = this.#texts.get(number)
    remember(this.#texts, number, { size, hash }, this.#statements)
    const sizes = [...this.addRoot(from), ...this.addRoot(checkpoint)]
    return known && known.hash !== hash ? this.report(Math.min(known.size, size), sizes) : sizes
  }

  addRoot({ size, root }: LogSize): number[] {
    const known = this.#roots.get(size)
    remember(this.#roots, size, root, this.#statements)
    return known === undefined || known === root ? [] : this.report(size)
  }

  /** Returns `others`, followed by `size` unless it was reported before or too many sizes were reported. */
  report(size: number, others: readonly number[] = []): number[] {
    if (this.#reported.has(size) || this.#reported.size >= MAX_STATEMENTS) return [...others]
    this.#reported.add(size)
    return [...others, size]
  }
}

/** Adds a value unless the key has one. Drops the oldest entry beyond {@link MAX_STATEMENTS}. */
function remember<T>(map: Map<number, T>, key: number, value: T, statements: StatementCount): void {
  if (map.has(key)) return
  map.set(key, value)
  statements.count++
  if (map.size <= MAX_STATEMENTS) return
  map.delete(map.keys().next().value as number)
  statements.count--
}
