// @own-process: it counts warnings of the process
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { COMMAND, command, cutOff, folder } from './command.js'
import { signer } from './messages.js'

/** Makes an output that accepts one piece per turn, and buffers one. */
function slow() {
  const pieces: string[] = []
  const stream = new Writable({
    highWaterMark: 1,
    write(piece, _, done) {
      pieces.push(String(piece))
      turn().then(() => done(), done)
    },
  })
  return { stream, pieces }
}

it('a command whose output is read slowly causes no warning of Node about leaked listeners', async () => {
  const warnings: Error[] = []
  const listen = (warning: Error) => warnings.push(warning)
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  const { at } = await signer()
  const [stdout, stderr] = [slow(), slow()]
  const stdin = Readable.from([Buffer.from('x\n'.repeat(1_000))])
  const args = ['annotate', '-k', at('private.key')]
  const streams = { stdin, stdout: stdout.stream, stderr: stderr.stream }
  expect(await command(args, streams, new AbortController().signal)).toBe(0)
  await turn()
  expect([warnings, stdout.pieces.length]).toEqual([[], 1_000])
})

it.skipIf(process.platform !== 'linux').each([
  ['keygen -o a -p b', 2],
  ['--help', 2],
])('the error of a command names a full disk: %s', async (line, code) => {
  const { cwd, write } = await signer()
  await write('x.ndjson', '1\n2\n')
  const script = `exec "${process.execPath}" "${COMMAND}" ${line} > /dev/full`
  const { status, stderr } = spawnSync('sh', ['-c', script], { cwd, encoding: 'utf8' })
  expect([status, stderr]).toEqual([code, expect.stringMatching(/^alvarium: standard output: .*ENOSPC.*\n$/)])
})

it.skipIf(process.platform !== 'linux')(
  'the exit code is 2 on a full disk even if no error can be printed',
  async () => {
    const script = `exec "${process.execPath}" "${COMMAND}" --help > /dev/full 2>&1`
    expect(spawnSync('sh', ['-c', script]).status).toBe(2)
  },
)

it('annotate prints no error when its reader has closed the pipe', async () => {
  const { at, write } = await signer()
  const args = ['annotate', '-k', at('private.key'), await write('x.ndjson', '1\n'.repeat(20_000))]
  expect(await cutOff(args)).toEqual({ code: 2, err: '' })
})

/** Ignores the signal of a file size limit, so that writes fail as on a full disk. */
const NO_ROOM = 'data:text/javascript,process.on("SIGXFSZ",()=>{})'

it.skipIf(process.platform === 'win32')(
  'annotate ends its --out file with a whole line when the disk is full',
  async () => {
    const { cwd, write } = await signer()
    await write('x.ndjson', '1\n'.repeat(20))
    const annotate = `"${process.execPath}" --import '${NO_ROOM}' "${COMMAND}" annotate -k private.key x.ndjson`
    const { status } = spawnSync('sh', ['-c', `ulimit -f 5; exec ${annotate} > out.ndjson`], { cwd })
    const lines = (await readFile(join(cwd, 'out.ndjson'), 'utf8')).split('\n')
    expect([status, lines.length > 2, lines.pop()]).toEqual([2, true, ''])
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ action: 'create' })
  },
)

it.skipIf(process.platform === 'win32')(
  'keygen writes neither key of a pair when the disk is full',
  async () => {
    const cwd = await folder()
    const script = `ulimit -f 0; exec "${process.execPath}" --import '${NO_ROOM}' "${COMMAND}" keygen`
    const { status, stderr } = spawnSync('sh', ['-c', script], { cwd, encoding: 'utf8' })
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining('--out private.key: expected a new file that can be written'),
    ])
    expect(await readdir(cwd)).toEqual([])
  },
)

it
  .skipIf(process.platform === 'win32')
  .each(['annotate -k private.key pipe', 'verify -k public.key pipe', 'annotate -k pipe'])(
  'a command that waits for a FIFO without a writer ends at the first Ctrl-C: %s',
  async (line) => {
    const { cwd } = await signer()
    spawnSync('mkfifo', ['pipe'], { cwd })
    const child = spawn(process.execPath, ['--import', OPENING, COMMAND, ...line.split(' ')], { cwd })
    onTestFinished(() => void child.kill('SIGKILL'))
    const said = text(child.stdout)
    await once(child.stderr, 'data')
    child.kill('SIGINT')
    // The command cannot exit by itself while it waits for the FIFO; shells report 130 for this signal.
    expect(await once(child, 'close')).toEqual([null, 'SIGINT'])
    expect(await said).not.toContain('undefined')
  },
)

/** Reports on standard error when the command opens the FIFO. */
const OPENING = `data:text/javascript,${encodeURIComponent(`
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const watch = (of, name) => {
  const original = of[name]
  of[name] = function (path, ...more) {
    const result = original.call(this, path, ...more)
    if (path === 'pipe') process.stderr.write('ready')
    return result
  }
}
watch(fs, 'open')
watch(fs.promises, 'open')
syncBuiltinESMExports()`)}`
