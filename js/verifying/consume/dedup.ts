/**
 * Persistent store of processed bundles, such as a table. If a method throws, is late (`timeoutMs`) or
 * returns an invalid value, the loop or `ack()` fails with `STORE_FAILED`, and the bundle is redelivered.
 */
export interface SeenStore {
  /** Returns true if the bundle with this `id` has been processed, and false otherwise. */
  has(id: string): boolean | PromiseLike<boolean>
  /** Records a processed bundle. May do nothing if your loop stores the id together with its results. */
  add(id: string): unknown
  /**
   * Returns those of the given ids that have been processed, in any order. If present, it is called in place
   * of `has`: once for each group of `groups()`, otherwise for up to 1,024 bundles that were verified
   * together. Without groups, classic messages still need `has`.
   */
  hasAll?(ids: readonly string[]): Iterable<string> | PromiseLike<Iterable<string>>
  /** Records processed bundles. If present, it replaces `add`, with one call per bundle or group. */
  addAll?(ids: readonly string[]): unknown
}

/** Options of deduplication: a bundle is delivered only once while its `id` is remembered. */
export interface DedupOptions {
  /** Maximum number of ids in memory, 64 characters each. Drops the oldest first. Default `100_000`. */
  readonly max?: number | undefined
  /** Milliseconds for which an id is remembered in memory. Default `3_600_000`, an hour. */
  readonly ttlMs?: number | undefined
  /** Store of processed bundles. It is called for ids that are not in memory. Default: no store. */
  readonly store?: SeenStore | undefined
  /** Time limit for an answer of the store in milliseconds. Default `10_000`. */
  readonly timeoutMs?: number | undefined
}

/** Function that settles a copy of a bundle: true if the bundle was acknowledged, false to redeliver the copy. */
export type SettleCopy = (done: boolean) => void

/** Maximum number of ids in a query, because databases limit the parameters of a statement. */
const MAX_QUERY_IDS = 1024

/** Options of deduplication with all defaults filled in. */
interface DedupSettings extends Pick<DedupOptions, 'store'> {
  readonly max: number
  readonly ttlMs: number
}

/** Remembers acknowledged bundles. If a copy arrives before its bundle is settled, settles both together. */
export class Dedup {
  readonly #max: number
  readonly #ttlMs: number
  readonly #store: SeenStore | undefined
  /** Time of each acknowledgement by id, the oldest first, by `performance.now()`. */
  readonly #seen = new Map<string, number>()
  /** Copies of delivered, unsettled bundles. Acknowledging a copy before its bundle could lose the bundle. */
  readonly #copies = new Map<string, SettleCopy[]>()
  /** Answers of the store's `hasAll` for the bundles that are delivered next: true if processed, by id. */
  readonly #answers = new Map<string, boolean>()

  constructor({ max, ttlMs, store }: DedupSettings) {
    this.#max = max
    this.#ttlMs = ttlMs
    this.#store = store
  }

  /**
   * Asks the store about the bundles that are delivered next, if the store has `hasAll`. The answers are
   * valid until the next call, or until their bundles are settled.
   *
   * @param maxIds - maximum number of ids in a query
   */
  async lookUp(ids: readonly string[], maxIds = MAX_QUERY_IDS): Promise<void> {
    const store = this.#store
    if (!store?.hasAll) return
    this.#answers.clear()
    const unknown = new Set(ids.filter((id) => !this.#copies.has(id) && !this.#remembers(id)))
    const unknownIds = [...unknown]
    for (let from = 0; from < unknownIds.length; from += maxIds) {
      const queryIds = unknownIds.slice(from, from + maxIds)
      const known = new Set(await store.hasAll(queryIds))
      for (const id of queryIds) this.#answers.set(id, known.has(id))
    }
  }

  /**
   * Returns whether a bundle is a copy of one that was delivered before. If not, counts it as delivered.
   *
   * @param settle - function to call when the copy is settled
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

  /** Settles delivered bundles and their copies. @param done - true to acknowledge, false to redeliver */
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
