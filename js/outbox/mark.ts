import type { Logger } from '../base/logger.js'
import type { Range } from './gaps.js'
import { optionBytes, readRecord, writeRecord } from './record.js'
import type { OutboxStore } from './store.js'

/**
 * Where the records begin and end, kept apart from them: what is missing at either end cannot be told from them. It is
 * itself a record, with the number 0 and no message.
 */
export interface Mark {
  /** The last number that is settled, and how long the records up to it have been. */
  readonly settled: number
  readonly settledEnd: number
  /** The last number that was stored. */
  readonly last: number
  readonly lastEnd: number
  /** How many messages are set aside. */
  readonly aside: number
  /** What is not settled, and gone: it has been told. */
  readonly gone: readonly Range[]
}

/** More places than that are told once more at the next start. */
const MOST_GONE = 1000
const NAMES = ['settled', 'settledEnd', 'last', 'lastEnd', 'aside'] as const
const NO_MESSAGE = new Uint8Array()

export function writeMark({ settled, settledEnd, last, lastEnd, aside, gone }: Mark): Uint8Array {
  const told = gone.length > 0 && { gone: gone.slice(0, MOST_GONE) }
  const options = optionBytes({ settled, settledEnd, last, lastEnd, aside, ...told })
  return writeRecord({ number: 0, message: NO_MESSAGE, options, storedAt: 0, end: lastEnd })
}

/** What was marked, unless it is damaged. */
export function readMark(bytes: Uint8Array | undefined): Mark | undefined {
  if (!bytes) return undefined
  try {
    const mark = { gone: [], ...readRecord(0, bytes).options } as Partial<Mark>
    return NAMES.every((name) => Number.isFinite(mark[name])) ? (mark as Mark) : undefined
  } catch {
    return undefined
  }
}

/** Has a store keep its mark: one call at a time, for what is so by then. */
export class Marker {
  readonly #store: OutboxStore
  readonly #current: () => Mark
  readonly #logger: Logger
  #marking: Promise<boolean> | undefined
  #next: Promise<boolean> | undefined
  #isFailing = false

  constructor(store: OutboxStore, current: () => Mark, logger: Logger) {
    this.#store = store
    this.#current = current
    this.#logger = logger
  }

  /** Resolves with whether what is so now is marked; nothing where the store keeps no mark. */
  mark(): Promise<boolean> | undefined {
    if (!this.#store.mark) return undefined
    // What is under way may have begun with what was so before.
    this.#next ??= (this.#marking ?? Promise.resolve(true)).then(() => {
      this.#marking = this.#next
      this.#next = undefined
      return this.#write()
    })
    return this.#next
  }

  async #write(): Promise<boolean> {
    try {
      await this.#store.mark?.(writeMark(this.#current()))
      this.#isFailing = false
    } catch (err) {
      const text =
        'outbox: the store could not mark how far it goes; until it can, what is delivered stays in it'
      if (!this.#isFailing) this.#logger.warn({ err }, text)
      this.#isFailing = true
    }
    return !this.#isFailing
  }
}
