import type { Session } from '../session.js'
import { type SafeText, safeText } from './safe-text.js'

const DRAW_EVERY_MS = 100
/** Interval of progress lines in a log, which show that a long run continues. */
const LOG_EVERY_MS = 30_000

/** Shows the seconds that a step has taken, for a step of unknown length. */
export async function showWaiting<T>(
  session: Pick<Session, 'err'>,
  what: string,
  step: () => Promise<T>,
): Promise<T> {
  const began = performance.now()
  const progress = new ProgressLine(session, () => {
    return safeText`${what}, ${Math.floor((performance.now() - began) / 1000)} s`
  })
  progress.begin()
  try {
    return await step()
  } finally {
    progress.end()
  }
}

/**
 * Line of progress that changes on a terminal. In a log, and behind a pipe, it is a new line twice a minute.
 */
export class ProgressLine {
  readonly #session: Pick<Session, 'err'>
  readonly #line: () => SafeText
  #timer: NodeJS.Timeout | undefined

  /** @param line - returns the present text */
  constructor(session: Pick<Session, 'err'>, line: () => SafeText) {
    this.#session = session
    this.#line = line
  }

  begin(): void {
    const { err } = this.#session
    this.#timer = err.isTerminal
      ? setInterval(() => err.draw(this.#line()), DRAW_EVERY_MS)
      : setInterval(() => void err.line(this.#line()), LOG_EVERY_MS)
    // The timer must not keep the process alive.
    this.#timer.unref()
  }

  end(): void {
    if (!this.#timer) return
    clearInterval(this.#timer)
    if (this.#session.err.isTerminal) this.#session.err.draw(safeText``)
  }
}
