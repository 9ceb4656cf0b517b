// @internal: no finding shows how much is done for a message, and how much is remembered
// @node-only: it stops the clock, needs Mosquitto's queue, or looks inside the package

import type { VerifiedBundle } from 'alvarium-sdk'
import { expect, it } from 'vitest'
import { Counts } from '../../dist/evidence/completeness/live/counts.js'
import { Forks } from '../../dist/evidence/completeness/live/forks.js'
import { LiveGaps } from '../../dist/evidence/completeness/live/live-gaps.js'
import { MessageMemory } from '../../dist/evidence/completeness/live/message-memory.js'
import { DeliveryStates } from '../../dist/evidence/completeness/signing/delivery-states.js'

it('MessageMemory adds the 65,536 bundles of a batch in linear time, and forgets them when all have arrived', () => {
  const remembered = new MessageMemory(10)
  const [size, at] = [65_536, '2026-11-20T10:00:00Z']
  // A comparison of each with all others would take minutes.
  for (let count = 0; count < size; count++) {
    expect(remembered.unlisted.get('batch')?.parts?.size ?? 0).toBe(count)
    remembered.add({ key: 'batch', size }, [{ id: `${count}`, timestamp: at } as VerifiedBundle], 0)
  }
  expect(remembered.unlisted.get('batch')?.parts).toBeUndefined()
})

const bundle = (id: string) => ({ id, timestamp: '2026-11-20T10:00:00Z' }) as VerifiedBundle

it('MessageMemory keeps only 1,024 messages of a signer without checkpoints', () => {
  const remembered = new MessageMemory(100_000)
  const add = (from: number, to: number) => {
    for (let at = from; at < to; at++) remembered.add({ key: `${at}`, size: 1 }, [bundle(`${at}`)], 0)
  }
  add(0, 5_000)
  expect([remembered.unlisted.size, remembered.droppedCount]).toEqual([1_024, 3_976])
  remembered.hasCheckpoint = true
  add(5_000, 10_000)
  expect([remembered.unlisted.size, remembered.droppedCount]).toEqual([6_024, 3_976])
})

it('MessageMemory counts each bundle of an incomplete batch as one message', () => {
  const remembered = new MessageMemory(100_000)
  const half = Array.from({ length: 40_000 }, (_, at) => bundle(`${at}`))
  for (const key of ['a', 'b']) remembered.add({ key, size: 65_536 }, half, 0)
  expect(remembered.size).toBe(2 + 80_000)
  // The oldest entry makes room.
  remembered.add({ key: 'c', size: 65_536 }, half, 0)
  expect([[...remembered.unlisted.keys()], remembered.size]).toEqual([['b', 'c'], 2 + 80_000])
  const rest = Array.from({ length: 25_536 }, (_, at) => bundle(`${40_000 + at}`))
  remembered.add({ key: 'b', size: 65_536 }, rest, 0)
  expect(remembered.size).toBe(2 + 40_000)
  remembered.take('c')
  expect(remembered.size).toBe(1)
})

it('the log roots of a run count towards the memory limit until they are forgotten', () => {
  const said = { count: 0 }
  const forks = new Forks(said)
  for (let size = 0; size < 2_000; size++) forks.addRoot({ size, root: `${size}` })
  expect(said.count).toBe(1_024)
  expect(forks.addRoot({ size: 1_999, root: 'another' })).toEqual([1_999])
  forks.forget()
  expect(said.count).toBe(0)
})

it('a forgotten message that is dated in the year 9999 does not make all later messages count as unknown', () => {
  const [remembered, toleranceMs] = [new MessageMemory(10, 60_000), 60_000]
  remembered.markLostUntil(Date.UTC(9999, 0))
  expect(remembered.lostUntil).toBeLessThanOrEqual(Date.now() + toleranceMs)
})

it('a checkpoint lists only refused positions as refused, even if they form more than 16,384 ranges', () => {
  const deliveries = new DeliveryStates(() => {})
  for (let position = 0; position < 40_000; position++) {
    const message = new Uint8Array(1)
    deliveries.add(message, position)
    if (position % 2 === 0) deliveries.refuse(message)
    else deliveries.accept(message, undefined)
  }
  const [first, second] = [deliveries.take(), deliveries.take()]
  expect([first.refused.length, first.pending.length]).toEqual([16_384, 20_000 - 16_384])
  expect([second.refused.length, second.pending]).toEqual([20_000 - 16_384, []])
  const refused = [...first.refused, ...second.refused]
  expect(refused.every((range, at) => range.first === 2 * at && range.last === 2 * at)).toBe(true)
  expect(deliveries.hasNews).toBe(false)
})

it('the gap of a run without known checkpoints grows to the largest size that later runs state', () => {
  const counts = new Counts()
  const memory = new MessageMemory(10)
  const gaps = new LiveGaps({
    memory,
    counts,
    toleranceMs: 0,
    silentMs: 1,
    ownerOf: (signer) => ({ signer }),
    found: () => {},
  })
  const gap = (last: number, since: string, until: string) => ({
    keyId: 'a',
    run: 'hidden',
    first: 0,
    last,
    since: `2026-11-20T${since}:00Z`,
    until: `2026-11-20T${until}:00Z`,
  })
  gaps.addHidden(gap(4, '10:00', '11:00'), 0)
  gaps.addHidden(gap(6, '09:00', '12:00'), 0)
  gaps.fill(10, () => [])
  expect(counts.of('unknown')).toBe(7)
  gaps.addHidden(gap(2, '10:00', '11:00'), 0)
  gaps.addHidden(gap(9, '10:00', '11:00'), 0)
  expect([counts.of('unknown'), gaps.of('a')]).toEqual([
    10,
    [expect.objectContaining(gap(9, '09:00', '12:00'))],
  ])
  gaps.removeHidden(gap(0, '10:00', '11:00'))
  expect([counts.of('unknown'), gaps.of('a')]).toEqual([0, []])
})
