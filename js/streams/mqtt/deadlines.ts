import type { Chain } from './chain.js'
import type { Letter } from './letter.js'

/**
 * One timer for the deadlines of all letters. They all have the same time to go, so the oldest, which is the first of
 * its chain, is always the next.
 */
export class Deadlines {
  readonly #letters: Chain<Letter>
  readonly #afterMs: number
  readonly #expire: (letter: Letter) => void
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(letters: Chain<Letter>, afterMs: number, expire: (letter: Letter) => void) {
    this.#letters = letters
    this.#afterMs = afterMs
    this.#expire = expire
  }

  /** Call it with every new letter: it costs nothing while the timer runs. */
  watch(): void {
    this.#timer ??= setTimeout(() => this.#sweep(), this.#afterMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #sweep(): void {
    this.#timer = undefined
    const now = performance.now()
    for (let { first: letter } = this.#letters; letter; letter = this.#letters.first) {
      const left = letter.acceptedAt + this.#afterMs - now
      if (left > 0) {
        this.#timer = setTimeout(() => this.#sweep(), left)
        return
      }
      this.#expire(letter)
    }
  }
}
