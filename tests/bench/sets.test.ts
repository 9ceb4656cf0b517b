import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('the bench of sets measures each size, and draws charts', async () => {
  const main = join(import.meta.dirname, '../../bench/sets/main.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [main])
  const [, ...rows] = stdout.split('\n\n')[0]?.split('\n') ?? []
  const figures = rows.map((row) =>
    row
      .trim()
      .split(/\s+/)
      .map((cell) => Number(cell.replaceAll(',', ''))),
  )
  expect(figures.map(([count]) => count)).toEqual([10_000, 100_000])
  expect(figures.flat().every((figure) => figure > 0)).toBe(true)
  expect(stdout).toContain('█')
})
