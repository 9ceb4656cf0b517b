import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('the records bench prints the bytes per record of each method, which are 32 for a manifest', async () => {
  const main = join(import.meta.dirname, '../../bench/records/main.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [main])
  const [, , , ...rows] = stdout.trimEnd().split('\n')
  // Programs of others, which have rows too if they are installed, sign the file as a whole.
  const own = rows.filter((row) => !row.includes('the whole file'))
  const figures = own.map((row) => row.split('|').map((cell) => cell.trim()))
  expect(figures.map(([, way, bytes]) => [way, bytes])).toEqual([
    ['a message a row', expect.stringMatching(/^5\d\d$/)],
    ['batches of 256', expect.stringMatching(/^2\d\d$/)],
    ['batches of 256 in CBOR', expect.stringMatching(/^[345]\d$/)],
    ['manifest', '32'],
    ['SHA-256 a row in Python, one signature', '32'],
  ])
})
