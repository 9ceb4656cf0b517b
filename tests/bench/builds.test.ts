import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { medianOf, ratiosOf } from '../../bench/suites/blocks.mjs'

describe('the time ratio of two contenders that run in alternating blocks', () => {
  const upTo = (count: number) => Array.from({ length: count }, (_, at) => count - at)

  it('is the median of 30 blocks, with a range from the 10th to the 21st ratio', () => {
    expect(medianOf(upTo(30))).toEqual({ low: 10, median: 15.5, high: 21 })
  })

  it('has a range from the lowest to the highest ratio if there are only 5 blocks', () => {
    expect(medianOf(upTo(5))).toEqual({ low: 1, median: 3, high: 5 })
  })

  it('is measured once in each block, and the contenders take turns to run first', async () => {
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

it('the build comparison prints the median ratio and its range for each kind of call', async () => {
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

it('the build comparison refuses an unknown kind of call in --only', async () => {
  await expect(compared('--only', 'vrify')).rejects.toMatchObject({
    stderr: expect.stringContaining('--only: expected the beginning of one of create, createMany, verify, '),
  })
})
