import { AlvariumError, memory } from 'alvarium-sdk'
import { type DamagedEvent, type OutboxStore, outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it, vi } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { memoryStore } from '../support/outbox-store.js'
import { absent, droppedBy, opened, outgoing } from '../support/outgoing.js'

// Damaged records of any store: a custom one, IndexedDB, a folder. For the files of a folder see rot.test.ts.

const names = ['one', 'two', 'three', 'four', 'five', 'six']

async function filled() {
  const store = memoryStore()
  const box = await opened({ stream: absent(), store })
  for (const name of names) await box.publish(utf8(name))
  await box.close()
  return store
}

type Store = Awaited<ReturnType<typeof filled>>

/** Returns a store without a mark and without numbers, as a custom store may be. */
function plain({ mark, numbers, setAside, ...store }: Store): OutboxStore {
  return { ...store, open: async () => ({ ...(await store.open()), mark: undefined }) }
}

/** Returns the messages that a store delivers, and the numbers that it reports as damaged. */
async function outcome(store: OutboxStore) {
  const stream = memory()
  const box = outbox({ stream, store, closeTimeoutMs: 1000 })
  const told: DamagedEvent[] = []
  box.addEventListener('damaged', (event) => told.push(event as unknown as DamagedEvent))
  await box.connect()
  await vi.waitFor(() => expect(box.stored).toEqual({ messages: 0, bytes: 0 }))
  await (await box.publish(utf8('next'))).delivered
  expect(told.every(({ error }) => error.code === 'STORE_DAMAGED')).toBe(true)
  await box.close()
  expect(box.stats().damaged).toBe(told.reduce((sum, { count }) => sum + count, 0))
  const unmarked = told.flatMap(
    ({ error }) => /mark, .* is (.*): lost messages/.exec(error.message)?.[1] ?? [],
  )
  return {
    delivered: stream.messages.map(textOf),
    gone: told.flatMap(({ numbers }) => numbers),
    ...(unmarked.length > 0 && { unmarked }),
  }
}

const but = (...gone: string[]) => [...names.filter((name) => !gone.includes(name)), 'next']

function flip(store: Store, number: number, at: number): void {
  const record = new Uint8Array(store.records.get(number) ?? new Uint8Array(1))
  record[at] = (record[at] ?? 0) ^ 1
  store.records.set(number, record)
}

describe.each([
  ['that has a mark (its first and last record number)', (store: Store): OutboxStore => store],
  ['with only the required methods', plain],
])('an outbox store %s', (_, made) => {
  // claim: delivery-33
  it('reports a record in which any byte was altered, and delivers the other records', async () => {
    const { length } = (await filled()).records.get(3) ?? new Uint8Array()
    for (let at = 0; at < length; at++) {
      const store = await filled()
      flip(store, 3, at)
      expect([at, await outcome(made(store))]).toEqual([at, { delivered: but('three'), gone: [[3, 3]] }])
    }
  })

  it.each([
    ['the first', 1, 'one'],
    ['the last', 6, 'six'],
  ])('opens when %s record is damaged, and delivers the other records', async (_, number, name) => {
    const store = await filled()
    store.records.set(number, utf8('rubbish'))
    expect(await outcome(made(store))).toEqual({ delivered: but(name), gone: [[number, number]] })
  })

  it.each([new Uint8Array(), utf8('rubbish'), new Uint8Array(100), Uint8Array.of(1)])(
    'reports a record that was replaced by other bytes: %o',
    async (rubbish) => {
      const store = await filled()
      store.records.set(3, rubbish)
      expect(await outcome(made(store))).toEqual({ delivered: but('three'), gone: [[3, 3]] })
    },
  )

  it('drops the oldest message to make room, and skips damaged messages', async () => {
    const store = await filled()
    flip(store, 1, 42)
    store.records.delete(2)
    const box = await opened({ stream: absent(), store: made(store), maxBytes: 250, whenFull: 'drop-oldest' })
    const dropped = droppedBy(box)
    await box.publish(utf8('next'))
    await box.publish(utf8('and next'))
    expect(box.stats().damaged).toBe(2)
    expect(dropped.map(([text]) => text)).toEqual(['three', 'four'].slice(0, dropped.length))
    expect(dropped.length).toBeGreaterThan(0)
  })

  it('reports missing record numbers between the remaining records', async () => {
    const store = await filled()
    for (const number of [2, 3, 5]) store.records.delete(number)
    const gone = [
      [2, 3],
      [5, 5],
    ]
    expect(await outcome(made(store))).toEqual({ delivered: but('two', 'three', 'five'), gone })
  })

  it('reports a record that a copy of another record has overwritten, and sends the copied message once', async () => {
    const store = await filled()
    store.records.set(4, store.records.get(2) as Uint8Array)
    expect(await outcome(made(store))).toEqual({ delivered: but('four'), gone: [[4, 4]] })
  })

  it('reports a record that is permanently unreadable, and delivers the other records', async () => {
    const store = await filled()
    const { read } = store
    store.read = async (from, most) => {
      const found = await read(from, most)
      if (found.some(({ number }) => number === 3)) throw new AlvariumError('STORE_DAMAGED', 'a bad block')
      return found
    }
    expect(await outcome(made(store))).toEqual({ delivered: but('three'), gone: [[3, 3]] })
  })
})

it('an outbox loses no record if its store returns fewer records than requested', async () => {
  const store = await filled()
  const { read } = store
  store.read = (from, most) => read(from, Math.min(most, 2))
  expect(await outcome(plain(store))).toEqual({ delivered: but(), gone: [] })
  const marked = await filled()
  const { read: readMarked } = marked
  marked.read = (from, most) => readMarked(from, Math.min(most, 2))
  marked.records.delete(6)
  expect(await outcome(marked)).toEqual({ delivered: but('six'), gone: [[6, 6]] })
})

describe('an outbox store that has a mark (its first and last record number)', () => {
  it('reports records that are missing at the beginning, at the end, or altogether', async () => {
    for (const gone of [
      [1, 2],
      [5, 6],
      [1, 2, 3, 4, 5, 6],
    ]) {
      const store = await filled()
      for (const number of gone) store.records.delete(number)
      const lost = gone.map((number) => names[number - 1] ?? '')
      const range = [gone[0], gone.at(-1)]
      expect(await outcome(store)).toEqual({ delivered: but(...lost), gone: [range] })
    }
  })

  it('relies on its records if the mark is damaged, and reports the damaged mark once', async () => {
    const store = await filled()
    await store.mark(utf8('rubbish'))
    expect(await outcome(store)).toEqual({ delivered: but(), gone: [], unmarked: ['damaged'] })
    expect(await outcome(store)).toEqual({ delivered: ['next'], gone: [] })
  })

  it('relies on its records if the mark is missing, and reports the missing mark once', async () => {
    const store = await filled()
    await store.mark(undefined as never)
    expect(await outcome(store)).toEqual({ delivered: but(), gone: [], unmarked: ['missing'] })
    expect(await outcome(store)).toEqual({ delivered: ['next'], gone: [] })
  })

  it('reports a damaged mark even if there are no records', async () => {
    const store = await filled()
    store.records.clear()
    await store.mark(utf8('rubbish'))
    expect(await outcome(store)).toEqual({ delivered: ['next'], gone: [], unmarked: ['damaged'] })
  })

  it('does not resend a message that was marked as delivered, but not deleted', async () => {
    const store = await filled()
    // The process is killed between delivery and deletion.
    store.deleteThrough = () => new Promise(() => {})
    expect((await outcome(store)).delivered).toEqual(but())
    expect(await outcome(store)).toEqual({ delivered: ['next'], gone: [] })
  })
})

describe('an outbox store that fails', () => {
  /** Opens a store with a method that rejects until it is repaired. */
  async function failing(method: 'open' | 'read' | 'numbers') {
    const store = await filled()
    const close = vi.fn(store.close)
    const works = store[method] as (...args: unknown[]) => Promise<never>
    let isBroken = true
    const broken = (...args: unknown[]) =>
      isBroken ? Promise.reject(new RangeError('oops')) : works(...args)
    const repair = () => {
      isBroken = false
    }
    return { store: { ...store, close, [method]: broken }, close, repair }
  }

  it.each(['open', 'numbers'] as const)(
    'in %s() is closed after the error STORE_FAILED, and can be opened again',
    async (method) => {
      const { store, close, repair } = await failing(method)
      const box = outbox({ stream: memory(), store })
      await expect(box.connect()).rejects.toMatchObject({
        code: 'STORE_FAILED',
        cause: new RangeError('oops'),
      })
      expect(close).toHaveBeenCalledOnce()
      repair()
      await box.connect()
      await box.close()
    },
  )

  it('temporarily in read() loses no message', async () => {
    const { store, repair } = await failing('read')
    const stream = outgoing()
    const box = await opened({ stream, store })
    expect(stream.accepted).toEqual([])
    repair()
    await vi.waitFor(() => expect(stream.accepted).toEqual(names))
    expect(box.stats().damaged).toBe(0)
  })
})
