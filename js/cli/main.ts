#!/usr/bin/env node
// The command `alvarium`. What it knows of its commands before one is asked for is their help: each is loaded when it runs.
import { command } from './command.js'
import { EXIT } from './session.js'

const interrupt = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (interrupt.signal.aborted) process.exit(EXIT.interrupted)
    interrupt.abort(new Error('stopped by Ctrl-C'))
  })
}
// Whoever reads has read enough, as `head` does: nothing is wrong, and nobody is left to be told.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', () => process.exit(EXIT.unknown))
}

process.exitCode = await command(process.argv.slice(2), process, interrupt.signal)
