import type { Logger } from '../../../foundation/base/logger.js'
import { shareRun } from '../../../foundation/base/time/promises.js'
import type { Ledger } from './ledger.js'
import { type Mark, writeMark } from './mark.js'
import type { OutboxStore } from './store.js'

/**
 * Milliseconds during which settled messages collect before one call deletes them, because each deletion
 * flushes the {@link Mark} to the disk.
 */
const DELETE_DELAY_MS = 100

export interface MarkerParts {
  readonly store: OutboxStore
  readonly ledger: Ledger
  readonly logger: Logger
  current(): Mark
}

/**
 * Writer of the store's {@link Mark}, which also deletes settled messages. At most one write of the mark and one
 * deletion are in progress at a time. Later calls share the next write, or the deletion in progress.
 */
export class Marker {
  readonly #parts: MarkerParts
  #deleted: number
  #marking: Promise<boolean> | undefined
  #next: Promise<boolean> | undefined
  #isFailing = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(parts: MarkerParts, deleted: number) {
    this.#parts = parts
    this.#deleted = deleted
  }

  /** Writes the current mark. Resolves with true on success. Returns undefined without marks. */
  mark(): Promise<boolean> | undefined {
    if (!this.#parts.store.mark) return undefined
    // Write again afterwards, because the write in progress may contain an earlier state.
    this.#next ??= (this.#marking ?? Promise.resolve(true)).then(() => {
      this.#marking = this.#next
      this.#next = undefined
      return this.#write()
    })
    return this.#next
  }

  /** Deletes settled messages soon, or at once if the store has no mark. */
  scheduleDelete(): void {
    if (!this.#parts.store.mark) void this.delete()
    else this.#timer ??= setTimeout(() => void this.delete(), DELETE_DELAY_MS)
  }

  /** Deletes settled messages. After a failure of the store, the next call tries again. */
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
      while (this.#deleted < ledger.settledThrough) {
        const { settledThrough } = ledger
        // Write the mark first, because deleted messages could otherwise count as lost. At worst, settled
        // messages are sent again.
        if ((await this.mark()) === false) return
        await store.deleteThrough(settledThrough)
        this.#deleted = settledThrough
      }
    } catch (err) {
      logger.warn({ err }, 'outbox: what was delivered could not be forgotten, and may be sent again')
    }
  })
}
