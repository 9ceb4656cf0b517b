// @own-process: it stops the clock
// @node-only: it stops the clock, and the order that it shows is the same in every engine

import type { DedupOptions } from 'alvarium-sdk'
import { describe, expect, it, vi } from 'vitest'
import { failure } from '../support/failure.js'
import { grouping, idOf, keyIn, many, message, sizes, stopClock } from '../support/grouping.js'

describe('a subscription with a dedup store that has hasAll() and addAll()', () => {
  function storing(known: readonly string[] = []) {
    const has = vi.fn(() => false)
    const add = vi.fn()
    const hasAll = vi.fn((ids: readonly string[]) => ids.filter((id) => known.includes(id)))
    const addAll = vi.fn()
    return { has, add, hasAll, addAll }
  }

  /** Starts a loop over single bundles of these messages, which have already arrived. */
  function loopOver(messages: readonly Uint8Array[], dedup: DedupOptions) {
    const { inbox, come, consumer, from } = grouping({ dedup })
    come(...messages)
    return { inbox, loop: consumer.deliver(from) }
  }

  // claim: verifying-26
  it('queries the store once for each group, and marks the group with one call', async () => {
    const messages = await many(6)
    const ids = messages.map(idOf)
    const store = storing()
    const { come, group } = grouping({ max: 3, dedup: { store } })
    come(...messages)
    for (let at = 0; at < 2; at++) await group()
    expect(store.hasAll.mock.calls).toEqual([[ids.slice(0, 3)], [ids.slice(3)]])
    expect(store.addAll.mock.calls).toEqual([[ids.slice(0, 3)]])
    expect([store.has, store.add].flatMap(({ mock }) => mock.calls)).toEqual([])
  })

  it('acknowledges a bundle that the store knows, and does not deliver it', async () => {
    const messages = await many(4)
    const ids = messages.map(idOf)
    const store = storing([ids[0] as string, ids[2] as string])
    const { come, group, acked } = grouping({ max: 4, dedup: { store } })
    come(...messages)
    expect((await group()).bundles.map(({ id }) => id)).toEqual([ids[1], ids[3]])
    expect(acked).toEqual([0, 2])
  })

  it('does not mark a bundle as processed if its group was not acknowledged', async () => {
    const store = storing()
    const [a, b] = (await many(2)) as [Uint8Array, Uint8Array]
    const { come, group } = grouping({ max: 1, ack: 'manual', dedup: { store } })
    come(a, b)
    const first = await group()
    const second = await group()
    first.nack()
    await second.ack()
    expect(store.addAll.mock.calls).toEqual([[[idOf(b)]]])
  })

  it('does not deliver a group that contains only copies', async () => {
    const [a, b, c] = (await many(3)) as [Uint8Array, Uint8Array, Uint8Array]
    const { come, group, acked } = grouping({
      max: 2,
      dedup: { store: storing([idOf(a), idOf(b)]) },
    })
    come(a, b, c, c)
    expect((await group()).bundles.map(keyIn)).toEqual(['2'])
    expect(acked).toEqual([0, 1])
  })

  it('queries the store once for all bundles that are verified in one call', async () => {
    const store = storing()
    const [a, b] = (await many(2)) as [Uint8Array, Uint8Array]
    const { loop } = loopOver([a, b], { store, max: 1 })
    for (let at = 0; at < 2; at++) await loop.next()
    expect(store.hasAll.mock.calls).toEqual([[[a, b].map(idOf)]])
    expect(store.has).not.toHaveBeenCalled()
    await loop.return()
  })

  it('queries the store again about a bundle that was settled during the query', async () => {
    const a = await message('a')
    const done = new Set<string>()
    const store = {
      ...storing(),
      has: (id: string) => done.has(id),
      addAll: (ids: string[]) => ids.map((id) => done.add(id)),
    }
    // The short ttlMs leaves only the store to recognize the bundle.
    const { loop, inbox } = loopOver([a, a], { store, ttlMs: 1 })
    const { value } = await loop.next()
    await value?.ack()
    await new Promise((resolve) => setTimeout(resolve, 5))
    inbox.end()
    expect((await loop.next()).done).toBe(true)
  })

  it.each([true, undefined, 7, [true, false], ['another']])(
    "ends the loop after the store's invalid answer %j, and acknowledges nothing",
    async (answer) => {
      const store = { ...storing(), hasAll: () => answer as never }
      const { come, loop, acked } = grouping({ max: 2, dedup: { store } })
      come(...(await many(2)))
      expect(await failure(() => loop.next())).toMatchObject({
        code: 'STORE_FAILED',
        message: expect.stringMatching(/^dedup\.store\.hasAll: expected an array of the ids/),
      })
      expect(acked).toEqual([])
    },
  )
})

describe('a subscription to groups, with dedup', () => {
  it('settles a copy together with its bundle, even if the copy arrives after the group of the bundle', async () => {
    const [a, b] = (await many(2)) as [Uint8Array, Uint8Array]
    stopClock()
    const { come, rest, acked } = grouping({ max: 3, ack: 'manual', dedup: {} })
    come(a, a, b)
    const first = await rest()
    come(b, a, await message('c'))
    const second = await rest()
    expect(sizes([first, second])).toEqual([2, 1])
    expect(acked).toEqual([])
    await first.ack()
    expect([...acked].sort()).toEqual([0, 1, 2, 3, 4])
  })

  it('redelivers only bundles that were not acknowledged', async () => {
    const [a, b] = (await many(2)) as [Uint8Array, Uint8Array]
    stopClock()
    const { come, group, rest } = grouping({ max: 2, ack: 'manual', dedup: {} })
    come(a, b)
    const first = await group()
    await first.bundles[0]?.ack()
    first.nack()
    come(a)
    expect((await rest()).bundles.map(keyIn)).toEqual(['1'])
  })
})
