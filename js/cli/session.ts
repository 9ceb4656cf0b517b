import type { Command } from 'commander'
import { OUTCOMES, type Outcome } from '../foundation/model/outcome.js'
import type { Output } from './terminal/output.js'

/** Exit codes of a command: one per outcome, and one for Ctrl-C. */
export const EXIT = {
  /** Success: everything verified. */
  yes: OUTCOMES.holds.exitCode,
  /** Failure: a message did not verify, or a record is not as it was signed. */
  no: OUTCOMES['does not hold'].exitCode,
  /** Undecided: for example an unreadable file, an unknown signer, or a wrong option. */
  unknown: OUTCOMES['cannot tell'].exitCode,
  /** Stopped by Ctrl-C: 128 plus the number of SIGINT, as shells report it. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export function exitOf(outcome: Outcome): ExitCode {
  return OUTCOMES[outcome].exitCode
}

/** Returns the worse of two exit codes. Failure is worse than undecided. */
export function worse(one: ExitCode, other: ExitCode): ExitCode {
  return one === EXIT.no || other === EXIT.yes ? one : other
}

/** Standard input as bytes. Ends when the user interrupts the command. */
export type Input = AsyncIterable<Uint8Array> & {
  readonly isTTY: boolean
  /** Signal that also ends the reading of files, because a FIFO without a writer would block forever. */
  readonly interrupted: AbortSignal
}

export interface Session {
  readonly input: Input
  readonly out: Output
  /** Standard error, for progress, errors and totals. */
  readonly err: Output
  /** Signal of the first Ctrl-C, on which the command finishes the calls in progress. A second one ends the process. */
  readonly interrupted: AbortSignal
  /**
   * Marks the start of work that the first Ctrl-C lets the command finish. Before `begin`, Ctrl-C ends the
   * command at once, because it may be blocked on a FIFO.
   */
  begin(): void
  /** Promise that resolves if Ctrl-C ends the command before `begin`. */
  readonly endedEarly: Promise<ExitCode>
}

/** Implementation of a command, in a module that is loaded when the command runs. */
export type Run<Options> = (
  args: readonly string[],
  options: Options,
  session: Session,
  /** Commander's object of the command, for commands such as `completion` that list all commands. */
  self: Command,
) => Promise<ExitCode>
