import type { Logger } from '../../base/logger.js'
import { shared } from '../../base/time/promises.js'
import type { Ledger } from './ledger.js'
import { type Mark, writeMark } from './mark.js'
import type { OutboxStore } from './store.js'

/** How long what is settled waits to be marked and deleted together, in milliseconds: before that, a mark goes to the disk. */
const TOGETHER_MS = 100

/** What a {@link Marker} works with. */
export interface MarkerParts {
  readonly store: OutboxStore
  readonly ledger: Ledger
  readonly logger: Logger
  /** What is to be marked now. */
  current(): Mark
}

/** Has the store mark how far it goes, and delete what is settled: one call of each at a time, for as much as there is by then. */
export class Marker {
  readonly #parts: MarkerParts
  /** The last number that is not in the store any more. */
  #deleted: number
  #marking: Promise<boolean> | undefined
  #next: Promise<boolean> | undefined
  #isFailing = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(parts: MarkerParts, deleted: number) {
    this.#parts = parts
    this.#deleted = deleted
  }

  /** Resolves with whether what is so now is marked; nothing if the store keeps no mark. */
  mark(): Promise<boolean> | undefined {
    if (!this.#parts.store.mark) return undefined
    // What is in progress may have begun with what was so before.
    this.#next ??= (this.#marking ?? Promise.resolve(true)).then(() => {
      this.#marking = this.#next
      this.#next = undefined
      return this.#write()
    })
    return this.#next
  }

  /** More is settled than before. */
  settled(): void {
    if (!this.#parts.store.mark) void this.delete()
    else this.#timer ??= setTimeout(() => void this.delete(), TOGETHER_MS)
  }

  /** Resolves when all that is settled is deleted, or the store could not do it, or mark it; then the next call tries again. */
  delete(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    return this.#deleteSettled()
  }

  async #write(): Promise<boolean> {
    const { store, logger, current } = this.#parts
    try {
      await store.mark?.(writeMark(current()))
      this.#isFailing = false
    } catch (err) {
      const text =
        'outbox: the store could not mark how far it goes; until it can, what is delivered stays in it'
      if (!this.#isFailing) logger.warn({ err }, text)
      this.#isFailing = true
    }
    return !this.#isFailing
  }

  readonly #deleteSettled = shared(async () => {
    const { store, ledger, logger } = this.#parts
    try {
      while (this.#deleted < ledger.settled) {
        const { settled } = ledger
        // First: what is missing and not marked as settled counts as damage. What stays is only sent again.
        if ((await this.mark()) === false) return
        await store.deleteThrough(settled)
        this.#deleted = settled
      }
    } catch (err) {
      logger.warn({ err }, 'outbox: what was delivered could not be forgotten, and may be sent again')
    }
  })
}
