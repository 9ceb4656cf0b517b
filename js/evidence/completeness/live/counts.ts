import type { Absent } from './remembered.js'

/** Numbers of a signer's messages, by state. */
export class Counts {
  readonly #counts = { pending: 0, missing: 0, refused: 0, unknown: 0, there: 0 }
  forked = 0
  backdated = 0

  of(what: Absent['is']): number {
    return this.#counts[what]
  }

  add({ is }: Absent): void {
    this.#counts[is]++
  }

  /** Adds messages that are known by number only. */
  addMany(what: Absent['is'], count: number): void {
    this.#counts[what] += count
  }

  become(absent: Absent, what: Absent['is']): void {
    this.#counts[absent.is]--
    absent.is = what
    this.#counts[what]++
  }
}
