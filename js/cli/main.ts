#!/usr/bin/env node
// Entry point of `alvarium`. Loads only help texts; the module of a subcommand is loaded when it runs.
import { writeSync } from 'node:fs'
import { command } from './command.js'
import { invalid } from './fault.js'
import { EXIT } from './session.js'
import { standardOutput } from './terminal/standard-output.js'

const interrupt = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (interrupt.signal.aborted) end()
    interrupt.abort(new Error('stopped by Ctrl-C'))
  })
}
const { stderr } = process
const stdout = standardOutput()
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Do not report EPIPE: a reader such as `head` closes the pipe when it has read enough.
    if (error.code !== 'EPIPE' && stream !== stderr) tell(cannotWrite(error))
    process.exit(EXIT.unknown)
  })
}

process.exitCode = await command(
  process.argv.slice(2),
  {
    // Open standard input lazily: some commands do not read it, and it may be a FIFO without a writer.
    get stdin() {
      return process.stdin
    },
    stdout,
    stderr,
  },
  interrupt.signal,
)
const isWritten = [stdout, stderr].every(({ writableLength }) => writableLength === 0)
if (interrupt.signal.aborted && isWritten) end()

/**
 * Ends the process as Ctrl-C does. While a FIFO without a writer is being opened, `exit()` would block, so
 * the process signals itself. Shells report exit code 130 in both cases.
 */
function end(): void {
  const isWaiting = process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'))
  if (!isWaiting || process.platform === 'win32') process.exit(EXIT.interrupted)
  process.removeAllListeners('SIGINT')
  process.kill(process.pid, 'SIGINT')
}

/** Writes an error synchronously, because the process is about to end. */
function tell(text: string): void {
  try {
    writeSync(2, `alvarium: ${text}\n`)
  } catch {
    // Ignore a failed write, for example on a full disk: the exit code reports the failure.
  }
}

function cannotWrite({ code, message }: NodeJS.ErrnoException): string {
  const next =
    code === 'ENOSPC' ? 'free some space, and run the command again' : 'redirect the output elsewhere'
  return invalid(
    'standard output',
    'a file or program that accepts the output',
    `${message.replace(/, write$/, '')}: ${next}`,
  ).message
}
