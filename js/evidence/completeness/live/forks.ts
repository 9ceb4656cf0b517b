import { toHex } from '../../../foundation/base/bytes/hex.js'
import type { LogSize } from '../../logs/size.js'
import { sha256 } from '../hash.js'
import type { VerifiedCheckpoint } from '../verify-checkpoint.js'

/** Numbers, and also sizes, of one run that are remembered for comparison with later checkpoints. */
const MOST = 1024

/** Number of statements by all runs of a signer that are remembered. */
export interface RememberedCount {
  count: number
}

/** Earlier statements of a run, compared with its later ones to find forks. */
export class Forks {
  readonly #said: RememberedCount
  /** Size of each checkpoint and a hash of its text, by its number. */
  readonly #texts = new Map<number, { readonly size: number; readonly hash: string }>()
  readonly #roots = new Map<number, string>()
  readonly #told = new Set<number>()

  constructor(said: RememberedCount) {
    this.#said = said
  }

  /** Drops all statements, because nothing is compared with them any more. */
  forget(): void {
    this.#said.count -= this.#texts.size + this.#roots.size
    this.#texts.clear()
    this.#roots.clear()
  }

  /** Adds a checkpoint, and returns the sizes from which it contradicts earlier ones. */
  add(checkpoint: VerifiedCheckpoint): number[] {
    const { number, size, from, note } = checkpoint
    const hash = toHex(sha256(new TextEncoder().encode(note.slice(0, note.lastIndexOf('\n\n')))))
    const known = this.#texts.get(number)
    remember(this.#texts, number, { size, hash }, this.#said)
    const sizes = [...this.addRoot(from), ...this.addRoot(checkpoint)]
    return known && known.hash !== hash ? this.tell(Math.min(known.size, size), sizes) : sizes
  }

  addRoot({ size, root }: LogSize): number[] {
    const known = this.#roots.get(size)
    remember(this.#roots, size, root, this.#said)
    return known === undefined || known === root ? [] : this.tell(size)
  }

  /** Returns the sizes with the new one, unless it was reported before: each is reported once. */
  tell(size: number, others: readonly number[] = []): number[] {
    if (this.#told.has(size) || this.#told.size >= MOST) return [...others]
    this.#told.add(size)
    return [...others, size]
  }
}

/** Adds a value unless the key has one: the first value stays. Drops the oldest entry if there are too many. */
function remember<T>(map: Map<number, T>, key: number, value: T, said: RememberedCount): void {
  if (map.has(key)) return
  map.set(key, value)
  said.count++
  if (map.size <= MOST) return
  map.delete(map.keys().next().value as number)
  said.count--
}
