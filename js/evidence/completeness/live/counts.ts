import type { AbsentMessage } from './message-memory.js'

/** Numbers of a signer's messages, by state. */
export class Counts {
  readonly #counts = { pending: 0, missing: 0, refused: 0, unknown: 0, arrived: 0 }
  forked = 0
  backdated = 0

  of(what: AbsentMessage['state']): number {
    return this.#counts[what]
  }

  add({ state }: AbsentMessage): void {
    this.#counts[state]++
  }

  /** Adds messages that are known by number only. */
  addMany(what: AbsentMessage['state'], count: number): void {
    this.#counts[what] += count
  }

  become(absent: AbsentMessage, what: AbsentMessage['state']): void {
    this.#counts[absent.state]--
    absent.state = what
    this.#counts[what]++
  }
}
