// @own-process: it stops the clock
// @node-only: it stops the clock, and the order that it shows is the same in every engine

import { classic, type GroupOptions, source, subscribe } from 'alvarium-sdk'
import { describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { batch, grouping, keyIn, many, message, settles, sizes, stopClock } from '../support/grouping.js'
import { key, keyring, opened } from '../support/sdk.js'

describe('a group', () => {
  // claim: verifying-23
  it('has at most `max` bundles, and each bundle is delivered once and in order', async () => {
    const messages = await many(7)
    stopClock()
    const { come, group, rest, loop, inbox } = grouping({ max: 3 })
    come(...messages)
    const groups = [await group(), await group(), await rest()]
    expect(sizes(groups)).toEqual([3, 3, 1])
    expect(groups.flatMap(({ bundles }) => bundles.map(keyIn))).toEqual(['0', '1', '2', '3', '4', '5', '6'])
    inbox.end()
    expect((await loop.next()).done).toBe(true)
  })

  // claim: verifying-25
  it('is delivered when it is full, or when its first bundle has waited for `maxMs`', async () => {
    const [a, b, c, d, e] = (await many(5)) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]
    stopClock()
    const { come, group } = grouping({ max: 3, maxMs: 100 })
    const first = group()
    expect(await settles(first)).toBe(false)
    vi.advanceTimersByTime(5_000) // an empty wait has no timer
    come(a)
    expect(await settles(first)).toBe(false)
    vi.advanceTimersByTime(60)
    come(b)
    vi.advanceTimersByTime(39)
    expect(await settles(first)).toBe(false)
    vi.advanceTimersByTime(1)
    expect(sizes([await first])).toEqual([2])
    const second = group()
    come(c, d, e)
    expect(sizes([await second])).toEqual([3])
  })

  it('leaves bundles that arrive after `maxMs` to the next group', async () => {
    const [a, b] = (await many(2)) as [Uint8Array, Uint8Array]
    stopClock()
    const { come, group } = grouping({ max: 3, maxMs: 100 })
    const first = group()
    come(a)
    expect(await settles(first)).toBe(false)
    vi.advanceTimersByTime(100)
    await first
    come(b)
    const second = group()
    expect(await settles(second)).toBe(false)
    vi.advanceTimersByTime(100)
    expect((await second).bundles.map(keyIn)).toEqual(['1'])
  })

  // claim: verifying-27
  it('is delivered with fewer bundles if `prefetch` allows no more', async () => {
    const messages = await many(5)
    const { come, group, acked } = grouping({ max: 100, prefetch: 2 })
    come(...messages)
    const groups = [await group(), await group()]
    expect(sizes(groups)).toEqual([2, 2])
    expect(acked).toEqual([0, 1])
  })

  it('is delivered with fewer bundles if unacknowledged groups use the rest of `prefetch`', async () => {
    const messages = await many(3)
    const { come, group } = grouping({ max: 2, prefetch: 3, ack: 'manual' })
    come(...messages)
    expect(sizes([await group(), await group()])).toEqual([2, 1])
  })

  it('is delivered after `maxMs` although messages that do not verify keep arriving', async () => {
    const one = await message('a')
    stopClock()
    const deadLetter = { publish: vi.fn(async () => void vi.advanceTimersByTime(30)) }
    const { come, group } = grouping({ max: 10, maxMs: 100, deadLetter })
    come(one, ...Array.from({ length: 50 }, () => utf8('x')))
    expect(sizes([await group()])).toEqual([1])
    expect(deadLetter.publish.mock.calls.length).toBeLessThanOrEqual(4)
  })

  it('may contain bundles and classic messages', async () => {
    const { sdk } = await opened([source()], { codec: classic({ signingKey: key.signingKey }) })
    const ofGo = await sdk.create(utf8('b'))
    await sdk.close()
    const { come, group } = grouping({ max: 2, classic: true })
    come(await message('a'), ofGo.message)
    const { bundles } = await group()
    expect(bundles.map(({ format }) => format)).toEqual(['bundle', 'classic'])
    expect(bundles[1]?.id).toBe(ofGo.id)
  })
})

describe('a batch that is split into several groups', () => {
  // claim: verifying-30
  it('is acknowledged when all groups with its bundles are settled', async () => {
    stopClock()
    const { come, group, rest, acked } = grouping({ max: 4, ack: 'manual' })
    come(await batch(10), await message('a'))
    const groups = [await group(), await group(), await rest()]
    expect(sizes(groups)).toEqual([4, 4, 3])
    expect(groups.flatMap(({ bundles }) => bundles.map(({ index }) => index))).toEqual([
      ...Array.from({ length: 10 }, (_, at) => at),
      0,
    ])
    for (const [at, expected] of [
      [2, [1]],
      [0, [1]],
      [1, [1, 0]],
    ] as const) {
      await groups[at]?.ack()
      expect(acked).toEqual(expected)
    }
  })

  it('is redelivered with only those bundles that were not acknowledged', async () => {
    const { come, group, acked } = grouping({ max: 2, ack: 'manual' })
    come(await batch(4))
    const [first, second] = [await group(), await group()]
    await first.ack()
    second.nack()
    const again = await group()
    expect(again.bundles.map(({ index, dup }) => [index, dup])).toEqual([
      [2, true],
      [3, true],
    ])
    await again.ack()
    expect(acked).toEqual([0])
  })
})

describe('the acknowledgement of a group', () => {
  it('is sent when the loop requests the next group', async () => {
    const { come, group, acked } = grouping({ max: 2 })
    come(...(await many(4)))
    await group()
    expect(acked).toEqual([])
    await group()
    expect(acked).toEqual([0, 1])
  })

  it("with ack: 'manual' is sent only once, by ack()", async () => {
    const { come, group, acked } = grouping({ max: 2, ack: 'manual' })
    come(...(await many(4)))
    const [first, second] = [await group(), await group()]
    expect(acked).toEqual([])
    await Promise.all([second.ack(), second.ack()])
    expect(acked).toEqual([2, 3])
    first.nack()
    await first.ack()
    expect(acked).toEqual([2, 3])
    expect((await group()).bundles.map(({ dup }) => dup)).toEqual([true, true])
  })

  // claim: verifying-28
  it('does not change bundles that were settled earlier by their own ack() or nack()', async () => {
    stopClock()
    const { come, group, rest, acked } = grouping({ max: 3 })
    come(...(await many(3)))
    const { bundles } = await group()
    bundles[0]?.nack()
    await bundles[2]?.ack()
    expect(acked).toEqual([2])
    const again = await rest()
    expect(acked).toEqual([2, 1])
    expect(again.bundles.map(keyIn)).toEqual([keyIn(bundles[0])])
  })

  it('rejects if the dedup store fails, and may be tried again', async () => {
    const down = new Error('down')
    const addAll = vi.fn()
    addAll.mockRejectedValueOnce(down)
    const store = { has: () => false, add: vi.fn(), addAll }
    const { come, group, acked } = grouping({ max: 2, ack: 'manual', dedup: { store } })
    come(...(await many(2)))
    const first = await group()
    await expect(first.ack()).rejects.toMatchObject({ code: 'STORE_FAILED', cause: down })
    expect(acked).toEqual([])
    await first.ack()
    expect(acked).toEqual([0, 1])
    addAll.mockRejectedValueOnce(down)
    come(...(await many(2)))
    void (await group()).ack()
    expect(await settles(new Promise(() => {}))).toBe(false) // an unhandled rejection would fail the test
  })
})

describe('a loop over groups', () => {
  // claim: verifying-29
  it('leaves its undelivered and unsettled bundles to the broker when it ends early', async () => {
    const { come, group, loop, acked, from, consumer } = grouping({ max: 2 })
    come(...(await many(3)))
    await group()
    await loop.return()
    expect([acked, from.end.mock.calls.length]).toEqual([[], 1])
    await consumer.stop()
  })

  it('settles its group on stop(), and leaves the bundles of the next group to the broker', async () => {
    const { come, group, loop, inbox, consumer, acked } = grouping({ max: 2 })
    come(...(await many(3)))
    await group()
    const next = loop.next()
    expect(await settles(next)).toBe(false)
    expect(acked).toEqual([0, 1])
    await consumer.stop()
    inbox.end()
    expect((await next).done).toBe(true)
    expect(acked).toEqual([0, 1])
  })

  it('stops only when its group is settled', async () => {
    const { come, group, consumer } = grouping({ max: 2, ack: 'manual' })
    come(...(await many(2)))
    const { bundles } = await group()
    const stopped = consumer.stop()
    await bundles[0]?.ack()
    expect(await settles(stopped)).toBe(false)
    await bundles[1]?.ack()
    await stopped
  })

  it("delivers the bundles that have arrived before it throws the connection's error", async () => {
    const { come, group, loop, from, acked } = grouping({ max: 2, maxMs: 50 })
    come(await message('a'))
    const take = from.take
    const lost = new Error('refused')
    let times = 0
    from.take = () => (++times > 1 ? Promise.reject(lost) : take())
    expect(sizes([await group()])).toEqual([1])
    await expect(loop.next()).rejects.toBe(lost)
    expect(acked).toEqual([0])
  })
})

describe('a loop over groups, after a lost connection,', () => {
  it('leaves undelivered bundles to the broker, which sends them again', async () => {
    const [a, b] = (await many(2)) as [Uint8Array, Uint8Array]
    stopClock()
    const { come, group, inbox, acked } = grouping({ max: 4, maxMs: 100, dedup: {} })
    const first = group()
    come(a)
    expect(await settles(first)).toBe(false)
    inbox.withdraw()
    come(a, b)
    expect(await settles(first)).toBe(false)
    vi.advanceTimersByTime(100)
    expect((await first).bundles.map(keyIn)).toEqual(['0', '1'])
    const next = group()
    expect(await settles(next)).toBe(false)
    expect(acked).toEqual([1, 2])
  })

  it('delivers no group that consists only of bundles from before the loss', async () => {
    const [a, b] = (await many(2)) as [Uint8Array, Uint8Array]
    stopClock()
    const { come, group, inbox } = grouping({ max: 4, maxMs: 100 })
    const first = group()
    come(a)
    expect(await settles(first)).toBe(false)
    inbox.withdraw()
    vi.advanceTimersByTime(100)
    expect(await settles(first)).toBe(false)
    come(b)
    expect(await settles(first)).toBe(false)
    vi.advanceTimersByTime(100)
    expect((await first).bundles.map(keyIn)).toEqual(['1'])
  })

  it('settles a redelivered copy together with the bundle in flight, and acknowledges only the copy', async () => {
    const a = await message('a')
    const { come, group, inbox, acked } = grouping({ max: 1, ack: 'manual', dedup: {} })
    come(a)
    const first = await group()
    inbox.withdraw()
    come(a)
    const next = group()
    expect(await settles(next)).toBe(false)
    await first.ack()
    expect(acked).toEqual([1])
  })
})

it.each([
  [{ max: 0 }, 'groups.max: expected an integer from 1 to 65536, got 0'],
  [{ max: 1.5 }, 'groups.max: expected an integer from 1 to 65536, got 1.5'],
  [{ maxMs: 0 }, 'groups.maxMs: expected an integer from 1 to 2147483647, got 0'],
  [{ most: 3 }, 'groups.most: is not a known option'],
] as const)('groups() of a subscription refuses the options %j', async (options, text) => {
  const bundles = subscribe({ url: 'ws://127.0.0.1:1', topic: 't', durable: false, keyring })
  const error = await failure(() => bundles.groups(options as GroupOptions))
  expect([error.code, error.message.startsWith(text)]).toEqual(['CONFIG_INVALID', true])
})
