import { CommanderError } from 'commander'
import { programFor } from './program.js'
import { EXIT, type ExitCode, type Session } from './session.js'
import { Output, type Writable } from './terminal/output.js'
import { red, shown } from './terminal/shown.js'

/** What the command reads and writes. */
export interface Streams {
  readonly stdin: Session['input']
  readonly stdout: Writable
  readonly stderr: Writable
}

/**
 * Runs `alvarium` with these arguments.
 *
 * @param interrupted - asks it to finish what is under way, and to say how far it came
 */
export async function command(
  args: readonly string[],
  { stdin, stdout, stderr }: Streams,
  interrupted: AbortSignal,
): Promise<ExitCode> {
  const session = { input: stdin, out: new Output(stdout), err: new Output(stderr), interrupted }
  let code: ExitCode = EXIT.yes
  const program = programFor(session, (became) => {
    code = became
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return interrupted.aborted ? EXIT.interrupted : code
  } catch (error) {
    // Commander has said what is wrong, or what was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.yes : EXIT.unknown
    if (interrupted.aborted) return EXIT.interrupted
    await session.err.line(
      shown`${red('alvarium:')} ${error instanceof Error ? error.message : String(error)}`,
    )
    return EXIT.unknown
  }
}
