import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { medianOf, ratiosOf } from '../../bench/suites/blocks.mjs'

describe('the ratio between alternating blocks', () => {
  const upTo = (count: number) => Array.from({ length: count }, (_, at) => count - at)

  it('is the median of thirty blocks, and its range is from the tenth to the twenty-first', () => {
    expect(medianOf(upTo(30))).toEqual({ low: 10, median: 15.5, high: 21 })
  })

  it('has the range of all blocks if there are only five', () => {
    expect(medianOf(upTo(5))).toEqual({ low: 1, median: 3, high: 5 })
  })

  it('has one value for each block, and the contenders alternate in running first', async () => {
    const order: string[] = []
    const contender = (name: string) => ({ run: () => order.push(name) })
    const ratios = await ratiosOf(contender('base'), contender('other'), { blocks: 2, operations: 1 })
    expect(order).toEqual(['base', 'other', 'other', 'base'])
    expect(ratios).toHaveLength(2)
  })
})

/** Compares this build with itself. */
function compared(...args: string[]) {
  const root = resolve(import.meta.dirname, '../..')
  const all = [join(root, 'bench/builds.mjs'), root, '--processes', '1', '--blocks', '1', ...args]
  return promisify(execFile)(process.execPath, all)
}

it('the bench compares two builds call by call and over a broker', async () => {
  const { stdout } = await compared()
  const rows = stdout.trim().split('\n').slice(2)
  expect(rows.map((row) => row.slice(0, 16).trim())).toEqual([
    'create',
    'createMany',
    'verify',
    'verify together',
    'wire',
  ])
  for (const row of rows) {
    const [median = 0, low, high] = row.slice(16).trim().split(/\s+/).map(Number)
    expect(median).toBeGreaterThan(0)
    expect([low, high]).toEqual([median, median])
  }
})

it('the build comparison refuses the name of an unknown call', async () => {
  await expect(compared('--only', 'vrify')).rejects.toMatchObject({
    stderr: expect.stringContaining('--only: expected the beginning of one of create, createMany, verify, '),
  })
})
