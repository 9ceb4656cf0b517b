import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('the bench of cold starts measures each entry point, from node_modules and from a bundle', async () => {
  const main = join(import.meta.dirname, '../../bench/cold/main.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [main, '1'])
  const [, , ...rows] = stdout.trim().split('\n')
  const entries = ['alvarium-sdk', 'alvarium-sdk/verify']
  const cells = rows.map((row) => row.split(' | ').slice(1).map(Number.parseFloat))
  expect(rows.map((row) => row.split(' | ')[0]?.slice(2))).toEqual([
    ...entries,
    ...entries.map((entry) => `${entry}, bundled`),
  ])
  expect(cells.flat().every((ms) => ms > 0)).toBe(true)
})
