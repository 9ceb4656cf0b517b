// @internal: an older version opens a store as one without a mark
// @node-only: it uses files and LevelDB

import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { memory, type StreamProvider } from 'alvarium-sdk'
import { type DamagedEvent, type OutboxStore, outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { storeAt } from '../../dist/streams/outbox/store-node.js'
import { textOf, utf8 } from '../support/bytes.js'
import { memoryStore } from '../support/outbox-store.js'
import { absent, opened } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'

// Versions before the mark number messages from 1 on in a store that is empty.

/** Uses a store as an older version does: it neither marks anything nor sets messages aside. */
function older(store: OutboxStore): OutboxStore {
  return {
    open: async () => ({ ...(await store.open()), mark: undefined }),
    append: (first, records) => store.append(first, records),
    read: (from, most) => store.read(from, most),
    deleteThrough: (number) => store.deleteThrough(number),
    close: () => store.close(),
  }
}

const lines = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name} ${at + 1}`)

const nowhere = absent()

/** Stores messages, and delivers them unless they are for nowhere. */
async function use(store: OutboxStore | string, texts: readonly string[], stream: StreamProvider) {
  const box = await opened({ stream, store, closeTimeoutMs: 1_000 })
  const stored = []
  for (const text of texts) stored.push(await box.publish(utf8(text)))
  if (stream !== nowhere) await Promise.all(stored.map(({ delivered }) => delivered))
  await box.close()
}

/** Returns what is delivered, reported and logged when the store is opened again. */
async function outcome(store: OutboxStore | string) {
  const stream = memory()
  const warn = vi.fn()
  const box = outbox({ stream, store, closeTimeoutMs: 1_000 })
  const told: DamagedEvent[] = []
  box.addEventListener('damaged', (event) => told.push(event as unknown as DamagedEvent))
  await box.connect({ logger: { debug: () => {}, info: () => {}, error: () => {}, warn } })
  await vi.waitFor(() => expect(box.stored.messages).toBe(0))
  await box.close()
  const count = told.reduce((sum, one) => sum + one.count, 0)
  return {
    delivered: stream.messages.map(textOf),
    told: count,
    warned: warn.mock.calls.map(([, text]) => text),
  }
}

const WARNING = [expect.stringContaining('under numbers that were in use before')]

describe.each<[string, () => { now: () => OutboxStore }]>([
  [
    'a folder',
    () => {
      const place = newPlace()
      return { now: () => storeAt(place) }
    },
  ],
  [
    'a store of your own',
    () => {
      const store = memoryStore()
      return { now: () => store }
    },
  ],
])('%s that was drained, and that an older version has stored messages in since,', (_, placed) => {
  // claim: delivery-60
  it.each([
    ['fewer than before', 10, 5],
    ['as many as before', 10, 10],
    ['more than before', 300, 1_400],
  ])('delivers all of them, in order, if they are %s', async (_, before, after) => {
    const { now } = placed()
    await use(now(), lines('before', before), memory())
    await use(older(now()), lines('after', after), nowhere)
    const after_ = lines('after', after)
    expect(await outcome(now())).toEqual({ delivered: after_, told: 0, warned: WARNING })
    expect(await outcome(now())).toEqual({ delivered: [], told: 0, warned: [] })
  })

  // claim: delivery-61
  it('numbers what comes next behind all numbers that were in use', async () => {
    const { now } = placed()
    await use(now(), lines('before', 10), memory())
    await use(older(now()), lines('after', 5), nowhere)
    await use(now(), ['next'], nowhere)
    const { delivered, told } = await outcome(now())
    expect([delivered, told]).toEqual([[...lines('after', 5), 'next'], 0])
    const store = now()
    expect((await store.open())?.first).toBeUndefined()
    await store.close()
  })

  it.each([5, 8])(
    'delivers all %i, as long as those before, if the process was killed before it could mark that it had deleted 5',
    async (after) => {
      const { now } = placed()
      const store = now()
      const deleteThrough = store.deleteThrough.bind(store)
      store.deleteThrough = async (number) => {
        await deleteThrough(number)
        store.mark = () => new Promise(() => {})
      }
      await use(store, lines('before', 5), memory())
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000 })
      onTestFinished(() => void vi.useRealTimers())
      await use(older(now()), lines('latter', after), nowhere)
      const { delivered, told } = await outcome(now())
      expect([delivered, told]).toEqual([lines('latter', after), 0])
    },
  )

  // claim: delivery-62
  it('sends again what the older version has sent and deleted, or reports it as lost', async () => {
    const { now } = placed()
    await use(now(), lines('before', 5), nowhere)
    await use(older(now()), ['after'], memory())
    const { delivered, told } = await outcome(now())
    expect(delivered.filter((text) => text.startsWith('before')).length + told).toBe(5)
  })

  it('delivers them if it was drained, and filled by the older version, twice', async () => {
    const { now } = placed()
    await use(now(), lines('before', 10), memory())
    for (const round of ['one', 'two']) {
      await use(older(now()), lines(round, 5), nowhere)
      expect((await outcome(now())).delivered).toEqual(lines(round, 5))
    }
  })
})

it('a folder in which an older version has stored messages is searched for those alone once it is damaged', async () => {
  const place = newPlace()
  await use(place, lines('before', 10), memory())
  await use(older(storeAt(place)), lines('after', 5), nowhere)
  await use(place, ['next'], nowhere)
  writeFileSync(join(place, 'CURRENT'), 'rubbish')
  expect(await outcome(place)).toEqual({ delivered: [...lines('after', 5), 'next'], told: 0, warned: [] })
})

describe('the mark of a folder', () => {
  const filled = async (place: string) => use(place, lines('stored', 5), nowhere)
  const removeLog = (place: string) => {
    for (const name of readdirSync(place)) if (name.endsWith('.log')) rmSync(join(place, name))
  }
  const damage = (path: string) => writeFileSync(path, 'rubbish')

  // claim: delivery-58
  it.each([
    ['damaged', damage],
    ['gone', (path: string) => rmSync(path)],
  ])('counts what is missing by its copy if it is %s', async (_, fault) => {
    for (const name of ['mark', 'mark-copy']) {
      const place = newPlace()
      await filled(place)
      removeLog(place)
      fault(join(place, name))
      const warned =
        name === 'mark' || fault === damage ? [expect.stringContaining('a copy of it is used')] : []
      expect(await outcome(place)).toEqual({ delivered: [], told: 5, warned })
    }
  })

  // claim: delivery-59
  it('is reported once if it and its copy are gone, and messages are delivered', async () => {
    const place = newPlace()
    await filled(place)
    for (const name of ['mark', 'mark-copy']) rmSync(join(place, name))
    const told: string[] = []
    for (const delivered of [5, 0]) {
      const stream = memory()
      const box = outbox({ stream, store: place, closeTimeoutMs: 1_000 })
      box.addEventListener('damaged', ({ count, error }) => told.push(`${count} ${error.message}`))
      await box.connect()
      await vi.waitFor(() => expect(box.stored.messages).toBe(0))
      await box.close()
      expect(stream.messages).toHaveLength(delivered)
    }
    expect(told).toEqual([
      expect.stringMatching(/^0 store: expected a mark .*, got none: .* cannot be counted/),
    ])
  })

  it('is reported, too, if the messages are gone with both', async () => {
    const place = newPlace()
    await filled(place)
    removeLog(place)
    for (const name of ['mark', 'mark-copy']) damage(join(place, name))
    const box = outbox({ stream: memory(), store: place })
    const told = vi.fn()
    box.addEventListener('damaged', told)
    await box.connect()
    await box.close()
    expect(told).toHaveBeenCalledOnce()
  })

  it('is there from the first opening on: a new store reports nothing, however often it is opened', async () => {
    const place = newPlace()
    for (let time = 0; time < 3; time++) {
      const box = outbox({ stream: memory(), store: place })
      const [told, warn] = [vi.fn(), vi.fn()]
      box.addEventListener('damaged', told)
      await box.connect({ logger: { debug: () => {}, info: () => {}, error: () => {}, warn } })
      await box.close()
      expect([told.mock.calls, warn.mock.calls]).toEqual([[], []])
    }
  })
})
