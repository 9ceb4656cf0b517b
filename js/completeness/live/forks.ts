import { toHex } from '../../base/bytes/hex.js'
import type { LogSize } from '../../logs/size.js'
import { sha256 } from '../hash.js'
import type { VerifiedCheckpoint } from '../verify-checkpoint.js'

/** So many of a run are compared with what comes. */
const MOST = 1024

/** How much all runs of a signer have said of themselves that is remembered. */
export interface RememberedCount {
  count: number
}

/** What a run has said of itself, to be compared with what it says later. */
export class Forks {
  readonly #said: RememberedCount
  /** By number: the size, and a hash of the text. */
  readonly #texts = new Map<number, { readonly size: number; readonly hash: string }>()
  readonly #roots = new Map<number, string>()
  readonly #told = new Set<number>()

  constructor(said: RememberedCount) {
    this.#said = said
  }

  /** Nobody compares any more. */
  forget(): void {
    this.#said.count -= this.#texts.size + this.#roots.size
    this.#texts.clear()
    this.#roots.clear()
  }

  /** Returns the sizes from which on it says something else than before. */
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

  /** Each is told once. */
  tell(size: number, others: readonly number[] = []): number[] {
    if (this.#told.has(size) || this.#told.size >= MOST) return [...others]
    this.#told.add(size)
    return [...others, size]
  }
}

/** The first that was said. */
function remember<T>(map: Map<number, T>, key: number, value: T, said: RememberedCount): void {
  if (map.has(key)) return
  map.set(key, value)
  said.count++
  if (map.size <= MOST) return
  map.delete(map.keys().next().value as number)
  said.count--
}
