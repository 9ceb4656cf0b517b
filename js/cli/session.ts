import type { Command } from 'commander'
import { OUTCOMES, type Outcome } from '../foundation/model/outcome.js'
import type { Output } from './terminal/output.js'

/** Exit codes of a command: one for each outcome, and one for Ctrl-C. */
export const EXIT = {
  /** Success; everything verified. */
  yes: OUTCOMES.holds.exitCode,
  /** Failure: a message did not verify, or a record is not as signed. */
  no: OUTCOMES['does not hold'].exitCode,
  /** Undecided: an unreadable file, an unknown signer, a mistake in the command. */
  unknown: OUTCOMES['cannot tell'].exitCode,
  /** Interrupted by Ctrl-C: the shells' exit code. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export function exitOf(outcome: Outcome): ExitCode {
  return OUTCOMES[outcome].exitCode
}

/** Returns the worse of two exit codes: a failed verification is worse than an undecided one. */
export function worse(one: ExitCode, other: ExitCode): ExitCode {
  return one === EXIT.no || other === EXIT.yes ? one : other
}

/** Standard input, as bytes. It ends when the command is interrupted. */
export type Input = AsyncIterable<Uint8Array> & {
  readonly isTTY?: boolean
  /** Signal that also ends files that are being read: a FIFO without a writer would never end. */
  readonly interrupted?: AbortSignal
}

/** Streams and signals that a command uses. */
export interface Session {
  /** Standard input. */
  readonly input: Input
  /** Standard output: the result. */
  readonly out: Output
  /** Standard error: progress, errors, sums. */
  readonly err: Output
  /**
   * Signal of the first Ctrl-C: finish the work in progress, and report how far it came. The second one ends
   * the process.
   */
  readonly interrupted: AbortSignal
  /**
   * Marks the start of work that the command finishes when it is interrupted. Before that, the first Ctrl-C
   * ends it at once: it may be reading a key from a FIFO without a writer.
   */
  begin(): void
  /** Promise that resolves when Ctrl-C ends the command before `begin`. */
  readonly endedEarly: Promise<ExitCode>
}

/** Function of a command, in a module that is loaded when the command runs. */
export type Run<Options> = (
  args: readonly string[],
  options: Options,
  session: Session,
  /** The command itself, for commands such as `completion` that list commands. */
  self: Command,
) => Promise<ExitCode>
