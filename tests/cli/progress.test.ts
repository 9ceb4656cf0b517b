// @internal: files here are read before their share would be drawn
// @own-process: it stops the clock
// @node-only: it runs the command
import { mkdirSync, writeFileSync } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ReadProgress } from '../../dist/cli/messages/read-progress.js'
import { Output } from '../../dist/cli/terminal/output.js'
import { showWaiting } from '../../dist/cli/terminal/progress.js'
import { safeText } from '../../dist/cli/terminal/safe-text.js'
import { startPostgres } from '../store/postgres.mjs'
import { command, folder } from './command.js'
import { signer, text } from './messages.js'

function terminal() {
  const stream = Object.assign(new PassThrough(), { isTTY: true })
  let written = ''
  stream.on('data', (piece) => {
    written += String(piece)
  })
  return { stream, written: () => written }
}

/** Runs a command whose messages end once it has shown progress on a terminal; returns the terminal's output. */
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

/**
 * Runs a command on a terminal where each turn of the event loop takes a tenth of a second, and returns the terminal's
 * output.
 */
async function drawnBy(...args: string[]): Promise<string> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { stream, written } = terminal()
  let isRunning = true
  const turn = () => {
    if (!isRunning) return
    vi.advanceTimersByTime(100)
    setImmediate(turn)
  }
  turn()
  try {
    const streams = { stdin: Readable.from([]), stdout: new PassThrough().resume(), stderr: stream }
    await command(args, streams, new AbortController().signal)
    return written()
  } finally {
    isRunning = false
    vi.useRealTimers()
  }
}

// claim: command-22
describe('the progress line', () => {
  it.each(['score', 'audit', 'verify --quiet'])(
    'is one plain line on a terminal during reading, and the next output replaces it: %s',
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

  it('is cleared on a terminal before another line is printed', async () => {
    const { stream, written } = terminal()
    const out = new Output(stream)
    out.draw(safeText`25 %`)
    await out.line(safeText`a message that does not verify`)
    await out.line(safeText`another one`)
    const clear = '\r\x1b[K'
    expect(written()).toBe(`${clear}25 %${clear}a message that does not verify\nanother one\n`)
  })

  it('is cleared on a terminal before a line of output, and not when output goes to a file', async () => {
    const { stream, written } = terminal()
    const err = new Output(stream)
    const clear = '\r\x1b[K'
    err.draw(safeText`25 %`)
    await new Output(new PassThrough().resume(), err).line(safeText`in a file`)
    await new Output(stream, err).line(safeText`a finding`)
    await new Output(stream, err).line(safeText`another one`)
    expect(written()).toBe(`${clear}25 %${clear}a finding\nanother one\n`)
  })

  it('shows the elapsed seconds of a step of unknown length, on a terminal at once and in a log twice a minute', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const [there, log] = [terminal(), terminal()]
    log.stream.isTTY = false
    const step = () => new Promise<void>((resolve) => setTimeout(resolve, 61_000))
    const waiting = [there, log].map(({ stream }) =>
      showWaiting({ err: new Output(stream) }, 'asking the store', step),
    )
    await vi.advanceTimersByTimeAsync(3_100)
    expect(there.written().split('\r\x1b[K').at(-1)).toBe('asking the store, 3 s')
    await vi.advanceTimersByTimeAsync(60_000)
    await Promise.all(waiting)
    expect(there.written()).toSatisfy((drawn: string) => drawn.endsWith('\r\x1b[K'))
    expect(log.written()).toBe('asking the store, 30 s\nasking the store, 60 s\n')
  })

  it('shows the percentage of a file that was read, but no percentage for standard input', async () => {
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

describe('a long command', () => {
  it('of alvarium store shows its progress', async () => {
    const one = await signer()
    const server = await startPostgres('oldest')
    onTestFinished(server.stop)
    const database = server.url
    const file = await one.write('m.ndjson', text((await one.sealed()).a))
    const store = (...args: string[]) => drawnBy('store', ...args, '--database', database)
    expect(await store('init')).toContain('opening the store, 0 s')
    expect(await store('ingest', file, ...one.key)).toMatch(/\d+ % {2}\d+ messages?/)
    expect(await store('audit', '--itself', ...one.key)).toMatch(
      /\d+ % {2}(1 entry|0 entries|comparing tables)/,
    )
    expect(await store('retry', ...one.key)).toContain('retrying quarantined messages, 0 s')
    for (const name of ['signers', 'missing']) expect(await store(name)).toContain('asking the store, 0 s')
    expect(await store('export')).toMatch(/\d messages?/)
  })

  it('of alvarium check, set or pack shows its progress', async () => {
    const one = await signer()
    const records = await one.write('records.ndjson', '{"a":1}\n{"a":2}\n')
    const [signed, set, list, pack] = ['signed', 'set', 'list', 'pack'].map((name) => one.at(name)) as [
      string,
      string,
      string,
      string,
    ]
    await drawnBy('annotate', records, '--key', one.at('private.key'), '--out', signed)
    const share = /\d+ % {2}/
    expect(await drawnBy('check', records, signed, ...one.key)).toMatch(share)
    expect(
      await drawnBy(
        'set',
        'seal',
        records,
        '--key',
        one.at('private.key'),
        '--name',
        's',
        '--out',
        set,
        '--list',
        list,
      ),
    ).toMatch(share)
    expect(await drawnBy('set', 'verify', set, '--list', list, ...one.key)).toContain('verifying, 0 s')
    const [a, about] = [await one.write('a', 'a'), await one.write('m', text((await one.sealed()).a))]
    const made = await drawnBy('pack', 'make', about, '--payload', a, '--out', pack, ...one.key)
    expect(made).toMatch(share)
    expect(await drawnBy('pack', 'verify', pack, ...one.key)).toMatch(/\d+ % {2}[\d,]+ bytes? verified/)
  })
})
