import type { Judged } from '../../foundation/model/outcome.js'
import { type ExitCode, exitOf, type Session } from '../session.js'
import { MARKS } from '../terminal/outcome.js'
import { safeText } from '../terminal/shown.js'
import type { AskOptions } from './asked.js'

/** Options of `alvarium set prove`. */
export interface ProveOptions extends AskOptions {
  readonly out?: string
}

/**
 * Prints the outcome.
 *
 * @returns exit code
 */
export async function reportOutcome({ outcome, says }: Judged, { err }: Session): Promise<ExitCode> {
  await err.line(safeText`${MARKS[outcome]} ${outcome}: ${says}`)
  return exitOf(outcome)
}
