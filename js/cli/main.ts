#!/usr/bin/env node
// The command `alvarium`. What it knows of its commands before one is asked for is their help: each is loaded when it runs.
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
    // The reader has read enough, as `head` does: nothing is wrong, and there is nobody left to tell.
    if (error.code !== 'EPIPE' && stream !== stderr) tell(cannotWrite(error))
    process.exit(EXIT.unknown)
  })
}

process.exitCode = await command(
  process.argv.slice(2),
  {
    // Nobody may ask for it, and it may be a FIFO that nobody writes to.
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
 * Ends the process as Ctrl-C does, even while it opens a FIFO that nobody writes to: `exit()` would wait for that.
 * For shells, both end with 130.
 */
function end(): void {
  const isWaiting = process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'))
  if (!isWaiting || process.platform === 'win32') process.exit(EXIT.interrupted)
  process.removeAllListeners('SIGINT')
  process.kill(process.pid, 'SIGINT')
}

/** Now, as the process ends; there may be no room for it either. */
function tell(what: string): void {
  try {
    writeSync(2, `alvarium: ${what}\n`)
  } catch {
    // The exit code says it.
  }
}

function cannotWrite({ code, message }: NodeJS.ErrnoException): string {
  const next = code === 'ENOSPC' ? 'make room, and run it again' : 'write somewhere else'
  return invalid('standard output', 'room for what is written', `${message.replace(/, write$/, '')}: ${next}`)
    .message
}
