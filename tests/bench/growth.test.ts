import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('the store growth bench times every query on a store of the given size', async () => {
  const main = join(import.meta.dirname, '../../bench/store/growth/main.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [main, '20000'])
  const [title, , ...rows] = stdout.trim().split('\n')
  expect(title).toMatch(/^20,000 bundles, made in \d+ s$/)
  const figures = rows.map((row) => row.trim().split(/\s+/).slice(-3).map(Number))
  expect(figures).toHaveLength(19)
  expect(figures.flat().every((ms) => ms >= 0)).toBe(true)
  expect(figures.every(([, , call = 0]) => call > 0)).toBe(true)
})
