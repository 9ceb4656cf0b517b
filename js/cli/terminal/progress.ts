import type { Session } from '../session.js'
import { type SafeText, safeText } from './safe-text.js'

const DRAW_EVERY_MS = 100
const LOG_EVERY_MS = 30_000

/** Shows the elapsed seconds during a step of unknown length. */
export function showWaiting<T>(
  session: Pick<Session, 'err'>,
  label: string,
  step: () => Promise<T>,
): Promise<T> {
  const began = performance.now()
  const line = () => safeText`${label}, ${Math.floor((performance.now() - began) / 1000)} s`
  return showProgress(session, line, step)
}

export async function showProgress<T>(
  session: Pick<Session, 'err'>,
  line: () => SafeText,
  step: () => Promise<T>,
): Promise<T> {
  const end = beginProgress(session, line)
  try {
    return await step()
  } finally {
    end()
  }
}

/**
 * Shows a progress line: redrawn on a terminal, or appended to a log every 30 seconds.
 *
 * @param line - returns the current text
 * @returns function that removes the line
 */
export function beginProgress({ err }: Pick<Session, 'err'>, line: () => SafeText): () => void {
  const timer = err.isTerminal
    ? setInterval(() => err.draw(line()), DRAW_EVERY_MS)
    : setInterval(() => void err.line(line()), LOG_EVERY_MS)
  // Do not let the timer keep the process alive.
  timer.unref()
  return () => {
    clearInterval(timer)
    if (err.isTerminal) err.draw(safeText``)
  }
}
