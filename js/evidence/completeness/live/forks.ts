import { toHex } from '../../../foundation/base/bytes/hex.js'
import type { LogSize } from '../../logs/size.js'
import type { VerifiedCheckpoint } from '../checkpoint/verify-checkpoint.js'
import { sha256 } from '../hash.js'

/** Numbers, and also sizes, of one run that are remembered for comparison with later checkpoints. */
const MAX_STATEMENTS = 1024

/** Number of statements by all runs of a signer that are remembered. */
export interface StatementCount {
  count: number
}

/** Earlier statements of a run, compared with its later ones to find forks. */
export class Forks {
  readonly #statements: StatementCount
  /** Size of each checkpoint and a hash of its text, by its number. */
  readonly #texts = new Map<number, { readonly size: number; readonly hash: string }>()
  readonly #roots = new Map<number, string>()
  readonly #reported = new Set<number>()

  constructor(statements: StatementCount) {
    this.#statements = statements
  }

  /** Drops all statements, because nothing is compared with them any more. */
  forget(): void {
    this.#statements.count -= this.#texts.size + this.#roots.size
    this.#texts.clear()
    this.#roots.clear()
  }

  /** Adds a checkpoint, and returns the sizes from which it contradicts earlier ones. */
  add(checkpoint: VerifiedCheckpoint): number[] {
    const { number, size, from, note } = checkpoint
    const hash = toHex(sha256(new TextEncoder().encode(note.slice(0, note.lastIndexOf('\n\n')))))
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

  /** Returns the sizes with the new one, unless it was reported before: each is reported once. */
  report(size: number, others: readonly number[] = []): number[] {
    if (this.#reported.has(size) || this.#reported.size >= MAX_STATEMENTS) return [...others]
    this.#reported.add(size)
    return [...others, size]
  }
}

/** Adds a value unless the key has one: the first value stays. Drops the oldest entry if there are too many. */
function remember<T>(map: Map<number, T>, key: number, value: T, statements: StatementCount): void {
  if (map.has(key)) return
  map.set(key, value)
  statements.count++
  if (map.size <= MAX_STATEMENTS) return
  map.delete(map.keys().next().value as number)
  statements.count--
}
