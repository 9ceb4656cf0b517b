/**
 * Remembers which bundles have been processed, for longer than the process lives: a table, a key-value store. What it throws, an
 * answer that is late (`timeoutMs`), one of `has` that is neither true nor false, and one of `hasAll` that is not some of the ids, is
 * `STORE_FAILED`: it ends the loop, or is what `ack()` rejects with, and the bundle is redelivered.
 */
export interface SeenStore {
  /** Whether the bundle with this `id` has been processed. */
  has(id: string): boolean | PromiseLike<boolean>
  /** It has been processed now. A store that your loop writes to itself, together with its results, has nothing to do here. */
  add(id: string): unknown
  /**
   * Which of these bundles have been processed: their ids, in any order. Asked instead of `has`, where it exists: once about each
   * group, and in a loop over single bundles about those that were verified together, at most 1,024 at a time.
   */
  hasAll?(ids: readonly string[]): Iterable<string> | PromiseLike<Iterable<string>>
  /** They have been processed now. Called instead of `add`, where it exists, once for each group that is acknowledged. */
  addAll?(ids: readonly string[]): unknown
}

/** How long bundles are remembered, by their `id`, so that each is delivered once. */
export interface DedupOptions {
  /** Most bundles remembered here; the oldest are forgotten first. 64 hexadecimal digits each. Default `100_000`. */
  readonly max?: number | undefined
  /** Milliseconds for which one is remembered here. Default `3_600_000`, an hour. */
  readonly ttlMs?: number | undefined
  /** Asked about what is not remembered here, and told what has been processed. Default: none. */
  readonly store?: SeenStore | undefined
  /** Milliseconds until a store that does not answer has failed. Default `10_000`. */
  readonly timeoutMs?: number | undefined
}

/** Hears whether a bundle was done, or has to be redelivered. */
export type SettleCopy = (done: boolean) => void

/** A batch may have 65,536 bundles, and databases bound the parameters of a statement. */
const MOST_ASKED = 1024

/** What the options say, with every default filled in. */
interface DedupSettings extends Pick<DedupOptions, 'store'> {
  readonly max: number
  readonly ttlMs: number
}

/** Delivers each bundle once: those that were done are remembered, and a copy of one that is not settled is settled with it. */
export class Dedup {
  readonly #max: number
  readonly #ttlMs: number
  readonly #store: SeenStore | undefined
  /** When each was done, the oldest first. */
  readonly #seen = new Map<string, number>()
  /** The copies of those that were delivered and are not settled. To acknowledge a copy earlier could lose the bundle. */
  readonly #copies = new Map<string, SettleCopy[]>()
  /** The store's answers about bundles that are about to be delivered. */
  readonly #answers = new Map<string, boolean>()

  constructor({ max, ttlMs, store }: DedupSettings) {
    this.#max = max
    this.#ttlMs = ttlMs
    this.#store = store
  }

  /**
   * These are delivered next: asks the store about all of them, if it has `hasAll`. Its answers hold until the next time, but for those
   * that are settled meanwhile.
   *
   * @param most - how many ids it is asked about at a time
   */
  async lookUp(ids: readonly string[], most = MOST_ASKED): Promise<void> {
    const store = this.#store
    if (!store?.hasAll) return
    this.#answers.clear()
    const unknown = new Set(ids.filter((id) => !this.#copies.has(id) && !this.#remembers(id)))
    const asked = [...unknown]
    for (let from = 0; from < asked.length; from += most) {
      const some = asked.slice(from, from + most)
      const known = new Set(await store.hasAll(some))
      for (const id of some) this.#answers.set(id, known.has(id))
    }
  }

  /** Whether it is a copy; if not, it counts as delivered from now on. `settle` hears what becomes of a copy. */
  async isCopy(id: string, settle: SettleCopy): Promise<boolean> {
    const copies = this.#copies.get(id)
    if (copies) {
      copies.push(settle)
      return true
    }
    if (this.#remembers(id) || (this.#answers.get(id) ?? (await this.#store?.has(id)))) {
      settle(true)
      return true
    }
    this.#copies.set(id, [])
    return false
  }

  /** What was delivered is done, or has to be redelivered. */
  async settled(ids: readonly string[], done: boolean): Promise<void> {
    if (done) await this.#mark(ids)
    for (const id of ids) {
      if (done) this.#remember(id)
      const copies = this.#copies.get(id) ?? []
      this.#copies.delete(id)
      this.#answers.delete(id)
      for (const settle of copies) settle(done)
    }
  }

  async #mark(ids: readonly string[]): Promise<void> {
    const store = this.#store
    if (store?.addAll && ids.length > 0) await store.addAll(ids)
    else for (const id of ids) await store?.add(id)
  }

  #remembers(id: string): boolean {
    const since = this.#seen.get(id)
    return since !== undefined && performance.now() - since < this.#ttlMs
  }

  #remember(id: string): void {
    this.#seen.delete(id)
    this.#seen.set(id, performance.now())
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= this.#max && this.#remembers(oldest)) return
      this.#seen.delete(oldest)
    }
  }
}
