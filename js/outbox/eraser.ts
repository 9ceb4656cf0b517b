import type { Logger } from '../base/logger.js'
import type { Ledger } from './ledger.js'
import type { OutboxStore } from './store.js'

/** Has the store forget what is settled: one call at a time, for as much as there is by then. */
export class Eraser {
  readonly #store: OutboxStore
  readonly #ledger: Ledger
  readonly #logger: Logger
  #erased: number
  #erasing: Promise<void> | undefined

  constructor(store: OutboxStore, ledger: Ledger, logger: Logger) {
    this.#store = store
    this.#ledger = ledger
    this.#logger = logger
    this.#erased = ledger.settled
  }

  /** Resolves when everything that is settled is forgotten, or the store could not do it; then the next call tries again. */
  erase(): Promise<void> {
    this.#erasing ??= this.#erase().finally(() => {
      this.#erasing = undefined
    })
    return this.#erasing
  }

  async #erase(): Promise<void> {
    try {
      while (this.#erased < this.#ledger.settled) {
        const { settled } = this.#ledger
        await this.#store.deleteThrough(settled)
        this.#erased = settled
      }
    } catch (err) {
      this.#logger.warn({ err }, 'outbox: what was delivered could not be forgotten, and may be sent again')
    }
  }
}
