import type { Command } from 'commander'
import { OUTCOMES, type Outcome } from '../model/outcome.js'
import type { Output } from './terminal/output.js'

/** The exit codes of a command: those of the outcomes, and that of Ctrl-C. */
export const EXIT = {
  /** Done; everything verified. */
  yes: OUTCOMES.holds.exitCode,
  /** Something did not verify, or is not as it has to be. */
  no: OUTCOMES['does not hold'].exitCode,
  /** Undecided: an unreadable file, an unknown signer, a mistake in the command. */
  unknown: OUTCOMES['cannot tell'].exitCode,
  /** Stopped by Ctrl-C, as shells have it. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Returns the exit code of an outcome. */
export function exitOf(outcome: Outcome): ExitCode {
  return OUTCOMES[outcome].exitCode
}

/** What two exit codes come to: what did not verify is worse than what could not be decided. */
export function worse(one: ExitCode, other: ExitCode): ExitCode {
  return one === EXIT.no || other === EXIT.yes ? one : other
}

/** What is piped in; a terminal, when nothing is. It ends when the command is interrupted. */
export type Input = AsyncIterable<Uint8Array> & {
  readonly isTTY?: boolean
  /** When aborted, files that are being read end too: a FIFO that nobody writes to would never end. */
  readonly interrupted?: AbortSignal
}

/** What a command runs on. */
export interface Session {
  /** What is piped in. */
  readonly input: Input
  /** What was asked for. */
  readonly out: Output
  /** What else there is to say: progress, errors, sums. */
  readonly err: Output
  /** Aborted by the first Ctrl-C: finish what is under way, say how far it came. The second one ends the process. */
  readonly interrupted: AbortSignal
  /**
   * Says that something is under way, which the command finishes when it is interrupted. Until then the first Ctrl-C ends it at once:
   * it may be reading a key from a FIFO that nobody writes to.
   */
  begin(): void
  /** Ended by Ctrl-C before anything was under way. */
  readonly endedEarly: Promise<ExitCode>
}

/** What a command does, in a module that is loaded when it is asked for. */
export type Run<Options> = (
  args: readonly string[],
  options: Options,
  session: Session,
  /** The command itself, for what is about commands. */
  self: Command,
) => Promise<ExitCode>
