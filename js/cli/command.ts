import { addAbortSignal, type Readable } from 'node:stream'
import { CommanderError } from 'commander'
import { textOf } from '../foundation/base/errors.js'
import { programFor } from './program.js'
import { EXIT, type ExitCode, type Input, type Session } from './session.js'
import { Output, type Writable } from './terminal/output.js'
import { red, safeText } from './terminal/safe-text.js'

export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable
  readonly stderr: Writable
}

/**
 * Runs `alvarium` with the given arguments.
 *
 * @param interrupted - signal that stops the command: it finishes the calls in progress, and prints how far
 * it got
 */
export async function command(
  args: readonly string[],
  streams: Streams,
  interrupted: AbortSignal,
): Promise<ExitCode> {
  const err = new Output(streams.stderr)
  const session: Session = {
    input: inputFrom(streams, interrupted),
    out: new Output(streams.stdout, err),
    err,
    interrupted,
    ...beginning(interrupted),
  }
  let code: ExitCode = EXIT.yes
  const program = programFor(session, (became) => {
    code = became
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return interrupted.aborted ? EXIT.interrupted : code
  } catch (error) {
    // Commander has already printed the error or the help text.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.yes : EXIT.unknown
    if (interrupted.aborted) return EXIT.interrupted
    // Print the next step, the last parenthesis of the error text, on a line of its own.
    const [message = '', ...next] = textOf(error).split(/\n(?=\([^\n]*\)$)/)
    await session.err.line(safeText`${red('alvarium:')} ${message}`)
    for (const line of next) await session.err.line(safeText`${line}`)
    return EXIT.unknown
  }
}

function beginning(interrupted: AbortSignal): Pick<Session, 'begin' | 'endedEarly'> {
  let begin = () => {}
  const endedEarly = new Promise<ExitCode>((resolve) => {
    const end = () => resolve(EXIT.interrupted)
    interrupted.addEventListener('abort', end)
    begin = () => interrupted.removeEventListener('abort', end)
  })
  return { begin, endedEarly }
}

/**
 * Returns an input that opens standard input on the first use, because open standard input keeps the process
 * alive.
 */
function inputFrom(streams: Streams, interrupted: AbortSignal): Input {
  return {
    get isTTY() {
      return streams.stdin.isTTY === true
    },
    interrupted,
    async *[Symbol.asyncIterator]() {
      try {
        yield* addAbortSignal(interrupted, streams.stdin)
      } catch (error) {
        if (!interrupted.aborted) throw error
      }
    },
  }
}
