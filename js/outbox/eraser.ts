import type { Logger } from '../base/logger.js'
import type { Ledger } from './ledger.js'
import type { Marker } from './mark.js'
import type { OutboxStore } from './store.js'

/** How long what is settled waits to be marked and forgotten together, in milliseconds: before that, a mark goes to the disk. */
const TOGETHER_MS = 100

/** Has the store forget what is settled: one call at a time, for as much as there is by then. */
export class Eraser {
  readonly #store: OutboxStore
  readonly #ledger: Ledger
  readonly #marker: Marker
  readonly #logger: Logger
  #erased: number
  #erasing: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param erased - the last number that is not in the store any more */
  constructor(store: OutboxStore, ledger: Ledger, marker: Marker, logger: Logger, erased: number) {
    this.#store = store
    this.#ledger = ledger
    this.#marker = marker
    this.#logger = logger
    this.#erased = erased
  }

  /** More is settled than before. */
  settled(): void {
    if (!this.#store.mark) void this.erase()
    else this.#timer ??= setTimeout(() => void this.erase(), TOGETHER_MS)
  }

  /** Resolves when everything that is settled is forgotten, or the store could not do it, or mark it; then the next call tries again. */
  erase(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#erasing ??= this.#erase().finally(() => {
      this.#erasing = undefined
    })
    return this.#erasing
  }

  async #erase(): Promise<void> {
    try {
      while (this.#erased < this.#ledger.settled) {
        const { settled } = this.#ledger
        // Before: what is missing and not marked as settled counts as damage. What stays is only sent again.
        if ((await this.#marker.mark()) === false) return
        await this.#store.deleteThrough(settled)
        this.#erased = settled
      }
    } catch (err) {
      this.#logger.warn({ err }, 'outbox: what was delivered could not be forgotten, and may be sent again')
    }
  }
}
