import type { Logger } from '../../../foundation/base/logger.js'
import { shareRun } from '../../../foundation/base/time/promises.js'
import type { Ledger } from './ledger.js'
import { type Mark, writeMark } from './mark.js'
import type { OutboxStore } from './store.js'

/**
 * Milliseconds for which settled messages collect before they are marked and deleted, because a mark is flushed to the
 * disk each time.
 */
const DELETE_DELAY_MS = 100

export interface MarkerParts {
  readonly store: OutboxStore
  readonly ledger: Ledger
  readonly logger: Logger
  /** Returns the state to mark. */
  current(): Mark
}

/**
 * Makes the store mark the present state, and delete settled messages. One call of each is in progress at a time, and
 * covers everything up to then.
 */
export class Marker {
  readonly #parts: MarkerParts
  /** Last number that is deleted from the store. */
  #deleted: number
  #marking: Promise<boolean> | undefined
  #next: Promise<boolean> | undefined
  #isFailing = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(parts: MarkerParts, deleted: number) {
    this.#parts = parts
    this.#deleted = deleted
  }

  /** Marks the present state. Resolves with whether that succeeded; undefined if the store has no mark. */
  mark(): Promise<boolean> | undefined {
    if (!this.#parts.store.mark) return undefined
    // A call in progress may have begun with an earlier state.
    this.#next ??= (this.#marking ?? Promise.resolve(true)).then(() => {
      this.#marking = this.#next
      this.#next = undefined
      return this.#write()
    })
    return this.#next
  }

  /** Deletes newly settled messages soon. */
  scheduleDelete(): void {
    if (!this.#parts.store.mark) void this.delete()
    else this.#timer ??= setTimeout(() => void this.delete(), DELETE_DELAY_MS)
  }

  /**
   * Deletes settled messages. Resolves also if the store could not delete or mark them; the next call then tries again.
   */
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

  readonly #deleteSettled = shareRun(async () => {
    const { store, ledger, logger } = this.#parts
    try {
      while (this.#deleted < ledger.settled) {
        const { settled } = ledger
        // Mark first: messages that are missing and not marked as settled count as damage. Messages that stay are only
        // sent again.
        if ((await this.mark()) === false) return
        await store.deleteThrough(settled)
        this.#deleted = settled
      }
    } catch (err) {
      logger.warn({ err }, 'outbox: what was delivered could not be forgotten, and may be sent again')
    }
  })
}
