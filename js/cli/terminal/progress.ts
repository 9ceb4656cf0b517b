import type { Session } from '../session.js'
import { type SafeText, safeText } from './safe-text.js'

const DRAW_EVERY_MS = 100
/** Milliseconds between two progress lines in a log. */
const LOG_EVERY_MS = 30_000

/** Shows the elapsed seconds during a step of unknown length. */
export async function showWaiting<T>(
  session: Pick<Session, 'err'>,
  label: string,
  step: () => Promise<T>,
): Promise<T> {
  const began = performance.now()
  const progress = new ProgressLine(session, () => {
    return safeText`${label}, ${Math.floor((performance.now() - began) / 1000)} s`
  })
  progress.begin()
  try {
    return await step()
  } finally {
    progress.end()
  }
}

/** Progress line: redrawn on a terminal, or appended to a log every 30 seconds. */
export class ProgressLine {
  readonly #session: Pick<Session, 'err'>
  readonly #line: () => SafeText
  #timer: NodeJS.Timeout | undefined

  /** @param line - returns the current text */
  constructor(session: Pick<Session, 'err'>, line: () => SafeText) {
    this.#session = session
    this.#line = line
  }

  begin(): void {
    const { err } = this.#session
    this.#timer = err.isTerminal
      ? setInterval(() => err.draw(this.#line()), DRAW_EVERY_MS)
      : setInterval(() => void err.line(this.#line()), LOG_EVERY_MS)
    // Do not let the timer keep the process alive.
    this.#timer.unref()
  }

  end(): void {
    if (!this.#timer) return
    clearInterval(this.#timer)
    if (this.#session.err.isTerminal) this.#session.err.draw(safeText``)
  }
}
