// @own-process: it stops the clock
// @node-only: it stops the clock, and the order that it shows is the same in every engine

import { describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { grouping, keyIn, message, type One, settles, stopClock } from '../support/grouping.js'

/** A stand-in for the reader of checkpoints; all checkpoints are equal here. */
const taker = { verify: async () => ({ is: 'a checkpoint' }) }
const checkpoint = utf8('{"messageType":"alvarium.Checkpoint/1","content":"a"}')
/** Returns the checkpoints and leases that a store finds in a group. */
const besideOf = (group: One) => {
  const symbol = Object.getOwnPropertySymbols(group).find((one) => one.description?.includes('Beside'))
  return Reflect.get(group, symbol ?? '')
}
const contentsOf = (group: One) => [group.bundles.map(keyIn), besideOf(group).length]

describe('a checkpoint that arrives among the bundles of a group', () => {
  it('is redelivered once, together with the group, if processing failed', async () => {
    const { come, group, acked } = grouping({ max: 2, ack: 'manual', taker })
    come(await message('a'), checkpoint)
    const first = await group()
    expect(contentsOf(first)).toEqual([['a'], 1])
    first.nack()
    first.nack()
    const again = await group()
    expect([contentsOf(again), acked]).toEqual([[['a'], 1], []])
    await again.ack()
    expect(acked).toEqual([0, 1])
  })

  it('is left to the broker for redelivery if the connection was lost before delivery', async () => {
    stopClock()
    const { come, group, inbox, acked } = grouping({ max: 4, maxMs: 100, taker })
    const next = group()
    come(checkpoint)
    expect(await settles(next)).toBe(false)
    inbox.withdraw()
    come(checkpoint)
    expect(await settles(next)).toBe(false)
    vi.advanceTimersByTime(100)
    const first = await next
    await first.ack()
    expect([contentsOf(first), acked]).toEqual([[[], 1], [1]])
  })
})
