import type { AbsentMessage } from './message-memory.js'

/** Counts for one signer: absent messages by state, forks, and backdated messages. */
export class Counts {
  readonly #counts = { pending: 0, missing: 0, refused: 0, unknown: 0, arrived: 0 }
  forked = 0
  backdated = 0

  of(state: AbsentMessage['state']): number {
    return this.#counts[state]
  }

  add({ state }: AbsentMessage): void {
    this.#counts[state]++
  }

  addMany(state: AbsentMessage['state'], count: number): void {
    this.#counts[state] += count
  }

  become(absent: AbsentMessage, newState: AbsentMessage['state']): void {
    this.#counts[absent.state]--
    absent.state = newState
    this.#counts[newState]++
  }
}
