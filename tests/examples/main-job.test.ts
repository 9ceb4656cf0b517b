import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const main = join(import.meta.dirname, '../../examples/main-job/main.mjs')
const start = (...args: string[]) => promisify(execFile)(process.execPath, [main, ...args])
const failed = (...args: string[]) =>
  start(...args).then(
    () => expect.unreachable('it went well'),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )

describe('npm start', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'alvarium-job-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('says what it takes', async () => {
    const { stdout } = await start('--help')
    expect(stdout).toMatch(/^npm start -- \[file\] \[--limit n\]\n/)
  })

  it('ends with a limit after so many records, without a warning', async () => {
    const { stdout, stderr } = await start('--limit', '3')
    expect(stdout).toMatch(/ all +12 +12 +12 +0\n/)
    expect(stderr).toBe('')
  })

  it.each(['0', 'many', '-1'])('refuses %s as a limit', async (limit) => {
    const { code, stderr } = await failed(`--limit=${limit}`)
    expect(code).toBe(1)
    expect(stderr).toContain(`--limit: expected 1 or more, got ${limit}`)
  })

  it('tells of a file that it cannot read, by its line, before anything else', async () => {
    const path = join(folder, 'readings.ndjson')
    await writeFile(path, '{"celsius":21}\n{celsius\n')
    expect(await failed(path)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`${path}: line 2: `),
    })
  })
})
