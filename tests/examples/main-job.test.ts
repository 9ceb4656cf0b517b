// @slow: it runs programs as a user does; step job has the run that decides

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const main = join(import.meta.dirname, '../../examples/main-job/main.mjs')
const run = promisify(execFile)
const start = (...args: string[]) => run(process.execPath, [main, ...args])
const failed = (...args: string[]) =>
  start(...args).then(
    () => expect.unreachable('it went well'),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )

describe('npm start in examples/main-job', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'alvarium-job-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('shows its arguments with --help', async () => {
    const { stdout } = await start('--help')
    expect(stdout).toMatch(/^npm start -- \[file\] \[--limit n\]\n/)
  })

  it('ends after --limit records, without a warning', async () => {
    const { stdout, stderr } = await start('--limit', '3')
    expect(stdout).toMatch(/ all +12 +12 +12 +0\n/)
    expect(stderr).toBe('')
  })

  it('ends with an error if the SDK does not open', async () => {
    const fault =
      'import net from "node:net";net.Socket.prototype.connect=function(){queueMicrotask(()=>this.destroy(new Error("no network")));return this}'
    const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}` }
    const { code, stderr } = await run(process.execPath, [main], { env }).catch((error) => error)
    expect(code).toBe(1)
    expect(stderr).toContain('no network')
  })

  it('ends without an error when the reader of its output has closed the pipe', async () => {
    const { stdout, stderr } = await run('sh', [
      '-c',
      '{ "$0" "$1"; echo "ended with $?" >&2; } | head -1',
      process.execPath,
      main,
    ])
    expect(stdout).toMatch(/^Alvarium: /)
    expect(stderr).toBe('ended with 0\n')
  })

  it.each(['0', 'many', '-1'])('refuses the limit %s', async (limit) => {
    const { code, stderr } = await failed(`--limit=${limit}`)
    expect(code).toBe(1)
    expect(stderr).toContain(`--limit: expected 1 or more, got ${limit}`)
  })

  it('reports an unreadable line of the file before it annotates anything', async () => {
    const path = join(folder, 'readings.ndjson')
    await writeFile(path, '{"celsius":21}\n{celsius\n')
    expect(await failed(path)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`${path}: line 2: `),
    })
  })

  it.each([
    ['sales.csv', 'id,name\n1,Ren\xe9\n2,Ren\xe8\n', 2],
    ['cut.csv', 'id,name\n1,a\n2,\xc3', 3],
    ['sales.ndjson', '{"name":"a"}\n\n{"name":"Ren\xe9"}\n', 3],
    ['unicode-text.csv', '\xff\xfei\0d\0\n\x01\0\n\0', 1],
  ])(
    'refuses %s, which is not UTF-8, because different rows would become one payload',
    async (name, text, line) => {
      const path = join(folder, name)
      await writeFile(path, text, 'latin1')
      const { code, stdout, stderr } = await failed(path)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain(
        `${path}: line ${line}: expected UTF-8, got other bytes: convert it first (iconv`,
      )
    },
  )

  it('reads a CSV file of Excel, with semicolons and decimal commas', async () => {
    const path = join(folder, 'excel.csv')
    await writeFile(path, '\ufeffid;name\r\n1;"north; upper"\r\n2;"21,4"\r\n3;a,b\r\n')
    const { stdout } = await start(path)
    expect(stdout).toMatch(/ all +12 +12 +12 +0\n/)
  })

  it('reads UTF-8 characters that are split between two reads of the file', async () => {
    const path = join(folder, 'names.csv')
    await writeFile(path, `id,name\n${'1,ééééééé\n'.repeat(2000)}`)
    const { stdout } = await start(path, '--limit', '3')
    expect(stdout).toMatch(/ all +12 +12 +12 +0\n/)
  })
})
