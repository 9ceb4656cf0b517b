// @internal: files here are read before their share would be drawn
// @own-process: it stops the clock
// @node-only: it runs the command
import { mkdirSync, writeFileSync } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ReadProgress } from '../../dist/cli/messages/read-progress.js'
import { Output } from '../../dist/cli/terminal/output.js'
import { shown } from '../../dist/cli/terminal/shown.js'
import { command, folder } from './command.js'
import { signer, text } from './messages.js'

/** Opens a terminal, and keeps what is written to it. */
function terminal() {
  const stream = Object.assign(new PassThrough(), { isTTY: true })
  let written = ''
  stream.on('data', (piece) => {
    written += String(piece)
  })
  return { stream, written: () => written }
}

/** Runs a command whose messages end once it has shown progress on a terminal, and returns what it wrote there. */
async function shownWhile(args: readonly string[], first: Uint8Array): Promise<string> {
  const { stream, written } = terminal()
  const isShown = new Promise<void>((resolve) => {
    stream.on('data', () => {
      if (written().includes('1 message')) resolve()
    })
  })
  const pieces = (async function* () {
    yield Buffer.from(`${text(first)}\n`)
    await isShown
  })()
  const streams = { stdin: Readable.from(pieces), stdout: new PassThrough().resume(), stderr: stream }
  await command([...args, '-'], streams, new AbortController().signal)
  return written()
}

// claim: command-22
describe('progress', () => {
  it.each(['score', 'audit', 'verify --quiet'])(
    'is shown on a terminal while messages are read, and what is written next takes its place: %s',
    async (line) => {
      const { key, sealed } = await signer()
      const output = await shownWhile([...line.split(' '), ...key], (await sealed()).a)
      expect(output).toContain('\r\x1b[K1 message')
      for (const drawn of output
        .split('\r\x1b[K')
        .filter((one) => one.startsWith('1 message'))
        .slice(0, -1))
        expect(drawn).toBe('1 message')
    },
  )

  it('gives its place on a terminal to a line that is written meanwhile', async () => {
    const { stream, written } = terminal()
    const out = new Output(stream)
    out.draw(shown`25 %`)
    await out.line(shown`a message that does not verify`)
    await out.line(shown`another one`)
    const clear = '\r\x1b[K'
    expect(written()).toBe(`${clear}25 %${clear}a message that does not verify\nanother one\n`)
  })

  it('has the share of the bytes of files and folders, and no share with standard input', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const at = await folder()
    mkdirSync(`${at}/in`)
    for (const name of ['a', 'in/b']) writeFileSync(`${at}/${name}`, new Uint8Array(500))
    const shares: (string | undefined)[] = []
    for (const sources of [
      [`${at}/a`, `${at}/in`],
      [`${at}/a`, '-'],
    ]) {
      const { stream, written } = terminal()
      const progress = await ReadProgress.begin(sources, { err: new Output(stream) })
      progress.addBytes(250)
      await vi.advanceTimersByTimeAsync(100)
      progress.end()
      shares.push(/\d+ %/.exec(written())?.[0])
    }
    expect(shares).toEqual(['25 %', undefined])
  })
})
