import type { Session } from '../session.js'
import { type Shown, shown } from './shown.js'

const DRAW_EVERY_MS = 100

/** A line that changes, on a terminal alone: nobody wants to read ten lines a second in a log. */
export class ProgressLine {
  readonly #session: Session
  readonly #line: () => Shown
  #timer: NodeJS.Timeout | undefined

  /** @param line - what to say now */
  constructor(session: Session, line: () => Shown) {
    this.#session = session
    this.#line = line
  }

  begin(): void {
    if (!this.#session.err.isTerminal) return
    this.#timer = setInterval(() => this.#session.err.draw(this.#line()), DRAW_EVERY_MS)
    // It is nothing to wait for.
    this.#timer.unref()
  }

  end(): void {
    if (!this.#timer) return
    clearInterval(this.#timer)
    this.#session.err.draw(shown``)
  }
}
