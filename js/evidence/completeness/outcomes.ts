import { type Positions, rangesOf } from './ranges.js'

/** Fates of a run's messages that are not known to be delivered. */
export class Outcomes {
  /** Positions of signed messages that the stream has neither accepted nor refused. */
  readonly #signed = new Map<Uint8Array, number>()
  /** One more signed message, outside the map: sequential calls have only one, and a map takes several times as long. */
  #one: Uint8Array | undefined
  #oneAt = 0
  /**
   * Positions of messages that are still being signed by a worker, or that an outbox, for example, has accepted and not
   * delivered yet.
   */
  readonly #open = new Set<number>()
  readonly #changed: (refused: number) => void
  #refused: number[] = []
  /** Number of pending messages in the last checkpoint. */
  #told = 0

  /** @param changed - called when a message is refused, with the number of refused ones since the last checkpoint */
  constructor(changed: (refused: number) => void) {
    this.#changed = changed
  }

  signed(message: Uint8Array, position: number): void {
    if (this.#one) this.#signed.set(message, position)
    else [this.#one, this.#oneAt] = [message, position]
  }

  drafted(position: number): (message: Uint8Array | undefined) => void {
    this.#open.add(position)
    return (message) => {
      this.#open.delete(position)
      if (message) this.signed(message, position)
      else this.#refuse(position)
    }
  }

  accepted(message: Uint8Array, answer: { readonly delivered: PromiseLike<void> } | undefined): void {
    const position = this.#settled(message)
    if (answer && position !== undefined) this.#follow(position, answer.delivered)
  }

  refused(message: Uint8Array): void {
    const position = this.#settled(message)
    if (position !== undefined) this.#refuse(position)
  }

  /** Removes a message that is settled, and returns its position. */
  #settled(message: Uint8Array): number | undefined {
    if (message === this.#one) {
      this.#one = undefined
      return this.#oneAt
    }
    const position = this.#signed.get(message)
    this.#signed.delete(message)
    return position
  }

  async #follow(position: number, delivered: PromiseLike<void>): Promise<void> {
    this.#open.add(position)
    try {
      await delivered
    } catch {
      this.#refuse(position)
    }
    this.#open.delete(position)
  }

  #refuse(position: number): void {
    this.#refused.push(position)
    this.#changed(this.#refused.length)
  }

  get #pending(): number {
    return this.#signed.size + this.#open.size + (this.#one ? 1 : 0)
  }

  get arePending(): boolean {
    return this.#pending > 0
  }

  /** True if there is something that the last checkpoint does not state. */
  get hasNews(): boolean {
    return this.#refused.length > 0 || this.#pending !== this.#told
  }

  /** Returns the pending and refused positions for the next checkpoint. */
  take(): { readonly pending: Positions[]; readonly refused: Positions[] } {
    const refused = ascending(this.#refused)
    this.#refused = []
    this.#told = this.#pending
    const pending = [...this.#signed.values(), ...this.#open]
    if (this.#one) pending.push(this.#oneAt)
    return { pending: ascending(pending), refused }
  }
}

function ascending(positions: number[]): Positions[] {
  return rangesOf(positions.sort((a, b) => a - b))
}
