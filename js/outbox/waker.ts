import { LONGEST_TIMEOUT } from '../base/schema.js'

/** Lets a loop sleep until something changes. */
export class Waker {
  #wake: (() => void) | undefined

  /** Something has changed. */
  wake(): void {
    this.#wake?.()
  }

  /** Resolves at the next change, or after so many milliseconds. */
  next(milliseconds = Number.POSITIVE_INFINITY): Promise<void> {
    return new Promise((resolve) => {
      // A timer for each message, for what is years away, costs more than it is worth.
      const timer = milliseconds <= LONGEST_TIMEOUT ? setTimeout(resolve, milliseconds) : undefined
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Resolves after so many milliseconds, or when a change leads to the end. */
  async pause(milliseconds: number, isEnded: () => boolean): Promise<void> {
    let isOver = false
    const end = () => {
      isOver = true
      this.wake()
    }
    const timer = setTimeout(end, milliseconds)
    while (!isEnded() && !isOver) await this.next()
    clearTimeout(timer)
  }
}
