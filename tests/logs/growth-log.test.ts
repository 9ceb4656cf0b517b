// @node-only: it uses node:crypto
// @internal: no public function keeps the sizes of a log; an SDK with witnesses does

import { expect, it } from 'vitest'
import { GrowthLog } from '../../dist/evidence/logs/growth-log.js'
import { LogTree } from '../../dist/evidence/logs/log-tree.js'
import { Random } from '../attack/random.mjs'
import { HandLog } from '../witness/logs.mjs'

/** A log that exposes its growth. */
class GrowingLog extends GrowthLog {
  readonly #tree: LogTree

  constructor(tree = new LogTree()) {
    super(tree)
    this.#tree = tree
  }

  override append(leaves: Uint8Array): void {
    this.#tree.append(leaves)
    super.append(leaves)
  }
}

const hex = (path: readonly Uint8Array[] | undefined) =>
  path?.map((hash) => Buffer.from(hash).toString('hex'))

it('a growing log makes the consistency proof of RFC 6962 between any two of its recorded sizes', async () => {
  const log = new HandLog().grow(70)
  for (const sizes of [
    [1, 2, 3, 5, 6, 7, 8, 12],
    [16, 23, 31, 32, 33, 48, 63, 64],
  ]) {
    const growth = new GrowingLog()
    for (let size = 1; size <= 70; size++) {
      growth.append(log.leaves[size - 1] as Uint8Array)
      if (sizes.includes(size)) growth.recordSize()
      const now = growth.snapshot
      for (const from of sizes.filter((one) => one <= size)) {
        expect([from, size, hex(await now(from))]).toEqual([from, size, hex(log.pathOf(from, size))])
      }
      expect(await now(0)).toEqual([])
    }
  }
})

it('a snapshot of a growing log proves consistency with the size at the time of the snapshot, whatever is appended afterwards', async () => {
  const log = new HandLog().grow(1000)
  const growth = new GrowingLog()
  growth.append(Buffer.concat(log.leaves.slice(0, 37)))
  growth.recordSize()
  growth.append(Buffer.concat(log.leaves.slice(37, 700)))
  const then = growth.snapshot
  growth.append(Buffer.concat(log.leaves.slice(700)))
  expect(hex(await then(37))).toEqual(hex(log.pathOf(37, 700)))
  expect(hex(await growth.snapshot(37))).toEqual(hex(log.pathOf(37)))
  expect(await then(38)).toBe(undefined)
})

it('a growing log makes the same consistency proofs however its leaves are split into appends', async () => {
  const random = new Random(48)
  for (let round = 0; round < 12; round++) {
    const log = new HandLog().grow(600)
    const growth = new GrowingLog()
    const kept: number[] = []
    for (let size = 0; size < 600; ) {
      const next = Math.min(600, size + 1 + random.below(random.pick([2, 20, 150])))
      growth.append(Buffer.concat(log.leaves.slice(size, next)))
      size = next
      if (kept.length < 7 && growth.recordSize() !== undefined) kept.push(size)
    }
    for (const from of kept) expect(hex(await growth.snapshot(from))).toEqual(hex(log.pathOf(from)))
  }
})

it('a growing log keeps its oldest size and the newest ones, and forgetBelow(size) removes all smaller sizes', async () => {
  const log = new HandLog().grow(100)
  const growth = new GrowingLog()
  for (const leaf of log.leaves) {
    growth.append(leaf)
    growth.recordSize()
  }
  const known = async () => {
    const now = growth.snapshot
    const found = []
    for (let from = 1; from < 100; from++) if (await now(from)) found.push(from)
    return found
  }
  expect(await known()).toEqual([1, 94, 95, 96, 97, 98, 99])
  growth.forgetBelow(97)
  expect(await known()).toEqual([97, 98, 99])
})
