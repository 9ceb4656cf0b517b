import { MAX_RANGES, type Positions, rangesOf } from '../checkpoint/ranges.js'

/** Pending messages of a run, and rejected messages that no checkpoint states as refused yet. */
export class DeliveryStates {
  readonly #positions = new Map<Uint8Array, number>()
  /**
   * One undecided message; `#positions` has any others. Sequential calls have only one at a time, and a field
   * is faster than a map.
   */
  #single: Uint8Array | undefined
  #singleAt = 0
  /**
   * Positions of messages that a worker is still signing, or that a stream such as an outbox has accepted and
   * not delivered yet.
   */
  readonly #open = new Set<number>()
  readonly #onRefusal: (refuse: number) => void
  #refused: number[] = []
  #statedPending = 0

  constructor(onRefusal: (refuse: number) => void) {
    this.#onRefusal = onRefusal
  }

  add(message: Uint8Array, position: number): void {
    if (this.#single) this.#positions.set(message, position)
    else [this.#single, this.#singleAt] = [message, position]
  }

  addDraft(position: number): (message: Uint8Array | undefined) => void {
    this.#open.add(position)
    return (message) => {
      this.#open.delete(position)
      if (message) this.add(message, position)
      else this.#addRefusal(position)
    }
  }

  accept(message: Uint8Array, answer: { readonly delivered: PromiseLike<void> } | undefined): void {
    const position = this.#settle(message)
    if (answer && position !== undefined) this.#follow(position, answer.delivered)
  }

  refuse(message: Uint8Array): void {
    const position = this.#settle(message)
    if (position !== undefined) this.#addRefusal(position)
  }

  #settle(message: Uint8Array): number | undefined {
    if (message === this.#single) {
      this.#single = undefined
      return this.#singleAt
    }
    const position = this.#positions.get(message)
    this.#positions.delete(message)
    return position
  }

  async #follow(position: number, delivered: PromiseLike<void>): Promise<void> {
    this.#open.add(position)
    try {
      await delivered
    } catch {
      this.#addRefusal(position)
    }
    this.#open.delete(position)
  }

  #addRefusal(position: number): void {
    this.#refused.push(position)
    this.#onRefusal(this.#refused.length)
  }

  get #pending(): number {
    return this.#positions.size + this.#open.size + (this.#single ? 1 : 0)
  }

  get arePending(): boolean {
    return this.#pending > 0
  }

  /**
   * True if rejected messages wait to be stated, or if the number of pending messages has changed since the
   * last checkpoint.
   */
  get hasNews(): boolean {
    return this.#refused.length > 0 || this.#pending !== this.#statedPending
  }

  /**
   * Returns the pending and refused positions for the next checkpoint, and clears the refused ones. If there
   * are more than {@link MAX_RANGES} ranges of refused positions, returns the rest as pending for now, and as
   * refused for a later checkpoint.
   */
  take(): { readonly pending: Positions[]; readonly refused: Positions[] } {
    const refused = rangesOf(this.#refused.sort(bySize), Number.POSITIVE_INFINITY).slice(0, MAX_RANGES)
    const last = refused.at(-1)?.last ?? -1
    this.#refused = this.#refused.filter((position) => position > last)
    this.#statedPending = this.#pending
    const pending = [...this.#positions.values(), ...this.#open, ...this.#refused]
    if (this.#single) pending.push(this.#singleAt)
    return { pending: rangesOf(pending.sort(bySize)), refused }
  }
}

const bySize = (a: number, b: number) => a - b
