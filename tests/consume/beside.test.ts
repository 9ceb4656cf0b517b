// @own-process: it stops the clock
// @node-only: it stops the clock, and the order that it shows is the same in every engine

import { AlvariumError } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { VERSION } from '../../dist/base/version.js'
import { LeaseIntake } from '../../dist/consume/leases.js'
import type { Arrival } from '../../dist/streams/mqtt/inbox.js'
import { utf8 } from '../support/bytes.js'
import { grouping, keyIn, message, type One, settles, stopClock } from '../support/grouping.js'
import { leaseFrom, subject } from '../support/leases.js'
import { messageFrom, trustOf } from '../support/trust.js'

/** As whoever takes checkpoints would read it: here, one is as good as another. */
const taker = { verify: async () => ({ is: 'a checkpoint' }) }
const checkpoint = utf8('{"messageType":"alvarium.Checkpoint/1","content":"a"}')
const BESIDE = Symbol.for(`alvarium-sdk.Beside ${VERSION}`)
const shown = (group: One) => [group.bundles.map(keyIn), Reflect.get(group, BESIDE).length]

describe('a checkpoint in a group', () => {
  it('comes again with it when that could not be processed, once', async () => {
    const { come, group, acked } = grouping({ max: 2, ack: 'manual', taker })
    come(await message('a'), checkpoint)
    const first = await group()
    expect(shown(first)).toEqual([['a'], 1])
    first.nack()
    first.nack()
    const again = await group()
    expect([shown(again), acked]).toEqual([[['a'], 1], []])
    await again.ack()
    expect(acked).toEqual([0, 1])
  })

  it('is left to the broker, which sends it again, when the connection was lost before it was given', async () => {
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
    expect([shown(first), acked]).toEqual([[[], 1], [1]])
  })
})

it('a bundle that comes too late waits for its proof where somebody takes checkpoints, as where they are verified', async () => {
  const arrivalOf = (message: Uint8Array) => ({ message, setAside: () => {}, ack: () => {} }) as Arrival
  const user = { trust: { keyring: await trustOf() }, known: [], onLease: undefined, hasLogs: false }
  const window = () => ({ prefetch: 1000, reached: 1000 })
  const intake = new LeaseIntake({ ...user, window, logger: console })
  onTestFinished(() => intake.close())
  const supplied = [[arrivalOf(await leaseFrom())], []].values()
  await intake.take({ take: async () => supplied.next().value ?? [] }, async () => {})
  const late = arrivalOf(await messageFrom({ signingKey: subject.signingKey }))
  const holds = () => intake.hold(late, new AlvariumError('SIGNER_EXPIRED', 'the lease has ended'))
  expect(await holds()).toBe(false)
  intake.passOn()
  expect(await holds()).toBe(true)
})
