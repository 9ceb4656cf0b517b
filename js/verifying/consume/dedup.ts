/**
 * Persistent store of processed bundles: a table, a key-value store. An exception, a late answer (`timeoutMs`) or an
 * invalid one is `STORE_FAILED`: `has` must give a boolean, and `hasAll` some of the ids. The error ends the loop, or
 * `ack()` rejects with it, and the bundle is redelivered.
 */
export interface SeenStore {
  /** Returns whether the bundle with this `id` has been processed. */
  has(id: string): boolean | PromiseLike<boolean>
  /**
   * Records that a bundle has been processed. Leave it empty if your loop writes to the same store, together with its
   * results.
   */
  add(id: string): unknown
  /**
   * Returns the ids of the bundles that have been processed, in any order. If it exists, it is called instead of
   * `has`: once for each group. A loop over single bundles calls it for bundles that were verified in one call, at
   * most 1,024 at a time.
   */
  hasAll?(ids: readonly string[]): Iterable<string> | PromiseLike<Iterable<string>>
  /**
   * Records that bundles have been processed. If it exists, it is called instead of `add`, once for each acknowledged
   * group.
   */
  addAll?(ids: readonly string[]): unknown
}

/** Options of deduplication: each bundle is delivered once as long as its `id` is remembered. */
export interface DedupOptions {
  /**
   * Maximum number of bundles remembered in memory; the oldest are forgotten first. 64 hexadecimal digits each. Default
   * `100_000`.
   */
  readonly max?: number | undefined
  /** Milliseconds for which a bundle is remembered in memory. Default `3_600_000`, an hour. */
  readonly ttlMs?: number | undefined
  /** Store of processed bundles, called for ids that are not in memory. Default: no store. */
  readonly store?: SeenStore | undefined
  /** Milliseconds until a store that does not answer has failed. Default `10_000`. */
  readonly timeoutMs?: number | undefined
}

/** Settles a copy: true if its bundle was acknowledged, false to redeliver it. */
export type SettleCopy = (done: boolean) => void

/**
 * Maximum number of ids in a query: a batch may have 65,536 bundles, and databases limit the parameters of a
 * statement.
 */
const MAX_QUERY_IDS = 1024

/** Options with every default filled in. */
interface DedupSettings extends Pick<DedupOptions, 'store'> {
  readonly max: number
  readonly ttlMs: number
}

/** Deduplicator: remembers acknowledged bundles, and settles a copy of an unsettled bundle with that bundle. */
export class Dedup {
  readonly #max: number
  readonly #ttlMs: number
  readonly #store: SeenStore | undefined
  /** Time of each acknowledgement, the oldest first. */
  readonly #seen = new Map<string, number>()
  /** Copies of delivered bundles that are not settled. An earlier acknowledgement of a copy could lose the bundle. */
  readonly #copies = new Map<string, SettleCopy[]>()
  /** Store's answers about the bundles to be delivered next. */
  readonly #answers = new Map<string, boolean>()

  constructor({ max, ttlMs, store }: DedupSettings) {
    this.#max = max
    this.#ttlMs = ttlMs
    this.#store = store
  }

  /**
   * Asks the store about the bundles to be delivered next, if it has `hasAll`. Its answers are valid until the next
   * call, or until their bundles are settled.
   *
   * @param most - maximum number of ids in a query
   */
  async lookUp(ids: readonly string[], most = MAX_QUERY_IDS): Promise<void> {
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

  /**
   * Returns whether a bundle is a copy. If not, it counts as delivered from now on.
   *
   * @param settle - called when a copy is settled
   */
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

  /** Settles delivered bundles and their copies. @param done - false to redeliver them */
  async settle(ids: readonly string[], done: boolean): Promise<void> {
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
