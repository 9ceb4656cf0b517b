import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const run = promisify(execFile)
const main = join(import.meta.dirname, '../../bench/gaps/main.mjs')
const gaps = (...given: string[]) => run(process.execPath, [main, ...given])

describe('the command that measures event-loop delays', () => {
  it('prints a row of figures for each operation that its arguments name', async () => {
    const { stdout } = await gaps('--count', '20', 'create', 'createMany', 'verifyMessages, CBOR')
    const [, , ...rows] = stdout.trim().split('\n')
    expect(rows.map((row) => row.split('|')[1]?.trim())).toEqual([
      'create',
      'createMany',
      'verifyMessages, CBOR',
    ])
    for (const row of rows) expect(row).toMatch(/^\| [^|]+( \| \d+\.\d){3} \| (\d+\.\d)? \| \d+\.\d \|$/)
  })

  it('lists the known operations when its argument names an unknown operation', async () => {
    await expect(gaps('nothing')).rejects.toMatchObject({ stderr: expect.stringContaining('verifyMessages') })
  })
})
