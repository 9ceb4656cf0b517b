import { countFitting, type GroupLimits } from '../../foundation/base/bytes/join.js'
import type { Deferred } from '../../foundation/base/time/promises.js'
import { Tally } from '../../foundation/base/time/tally.js'

/** Storage to which {@link GroupCommit} writes groups of items. */
export interface GroupWriter<Item, Written, Result> {
  /** Stores items durably, in their order. If it rejects, the `add()` call of each item rejects. */
  write(items: readonly Item[]): Promise<Written>
  /**
   * Returns the results of the `add()` calls whose items a write has stored. If it also returns the promise
   * `after`, these calls resolve when `after` has resolved.
   */
  written(written: Written): {
    readonly results: readonly Result[]
    readonly after?: Promise<unknown> | undefined
  }
}

interface WaitingItem<Item, Result> extends Deferred<Result> {
  readonly item: Item
}

/**
 * Queue with group commit: a write stores all items that arrived during the previous write, within the limits
 * of a group, and waits for the disk only once. One group is written at a time, in the order of the calls.
 */
export class GroupCommit<Item extends { readonly length: number }, Written, Result> {
  readonly #limits: GroupLimits & { readonly overhead?: number }
  readonly #writer: GroupWriter<Item, Written, Result>
  readonly #unsettled = new Tally()
  #waiting: WaitingItem<Item, Result>[] = []
  #bytes = 0
  #isWriting = false

  /** `overhead` is the number of extra bytes per item. */
  constructor(
    limits: GroupLimits & { readonly overhead?: number },
    writer: GroupWriter<Item, Written, Result>,
  ) {
    this.#limits = limits
    this.#writer = writer
  }

  get bytes(): number {
    return this.#bytes
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#bytes += item.length
      this.#unsettled.begin()
      if (!this.#isWriting) void this.#write()
    })
  }

  idle(): Promise<void> {
    return this.#unsettled.none()
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    // Wait, so that all calls of the same turn join the first group.
    await null
    while (this.#waiting.length > 0) {
      const { overhead = 0 } = this.#limits
      const count = countFitting(this.#waiting, this.#limits, ({ item }) => item.length + overhead)
      await this.#commit(this.#waiting.splice(0, count))
    }
    this.#isWriting = false
  }

  async #commit(group: readonly WaitingItem<Item, Result>[]): Promise<void> {
    const items = group.map(({ item }) => item)
    const bytes = items.reduce((sum, { length }) => sum + length, 0)
    const settle = (act: (one: WaitingItem<Item, Result>, at: number) => void) => {
      group.forEach(act)
      this.#unsettled.end(group.length)
    }
    let written: Written
    try {
      written = await this.#writer.write(items)
    } catch (error) {
      this.#bytes -= bytes
      settle((one) => one.reject(error))
      return
    }
    this.#bytes -= bytes
    const { results, after } = this.#writer.written(written)
    const resolve = () => settle((one, at) => one.resolve(results[at] as Result))
    // Do not await `after`, so that the next group is written meanwhile.
    if (after) void after.then(resolve)
    else resolve()
  }
}
