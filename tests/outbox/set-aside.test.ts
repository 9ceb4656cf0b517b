import { AlvariumError, memory, openSdk, source } from 'alvarium-sdk'
import { type Outbox, type OutboxOptions, outbox, type SetAsideMessage } from 'alvarium-sdk/outbox'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { deferred, quiet } from '../support/deferred.js'
import { codeOf } from '../support/failure.js'
import { memoryStore } from '../support/outbox-store.js'
import { absent, droppedBy, opened, outgoing } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'
import { closing } from '../support/receiving.js'
import { key } from '../support/sdk.js'

const suspect = new AlvariumError('STREAM_SUSPECT', 'the broker hangs up')
/** Returns a stream whose broker disconnects at every message that begins with `poison`. */
const hangingUp = () => outgoing((text) => (text.startsWith('poison') ? suspect : undefined))

async function setAsideIn(box: Outbox): Promise<SetAsideMessage[]> {
  const all: SetAsideMessage[] = []
  for await (const message of box.setAside()) all.push(message)
  return all
}

/** Opens an outbox that has set one message aside. */
async function withPoison(store: OutboxOptions['store'], options: object = {}) {
  const stream = hangingUp()
  const box = await opened({ stream, store, ...options })
  const stored = await box.publish(utf8('poison'))
  await vi.waitFor(() => expect(box.stats().setAside).toBe(1))
  return { box, stream, stored }
}

describe('a message that an outbox sets aside because the broker disconnects', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('does not prevent the delivery of the other messages', async () => {
    const stream = hangingUp()
    const box = await opened({ stream, store: newPlace(), whenRefused: 'drop' })
    const dropped = droppedBy(box)
    const before = Date.now()
    const [, b] = await Promise.all(['poison', 'b'].map((text) => box.publish(utf8(text))))
    await b?.delivered
    await vi.waitFor(() => expect(box.stats().setAside).toBe(1))
    expect([stream.accepted, dropped, box.stored.messages]).toEqual([['b'], [], 0])
    const [message] = await setAsideIn(box)
    expect(message).toEqual({
      id: 1,
      message: utf8('poison'),
      storedAt: expect.any(Number),
      error: suspect.message,
    })
    expect(message?.storedAt).toBeGreaterThan(before - 1000)
    expect(stream.handed.filter((text) => text === 'poison')).toHaveLength(1)
  })

  it("is passed to the store's put() only after the previous put() has settled", async () => {
    const store = memoryStore()
    const { put } = store.setAside
    let [putting, most] = [0, 0]
    store.setAside.put = async (...record) => {
      most = Math.max(most, ++putting)
      await quiet()
      putting--
      await put(...record)
    }
    const box = await opened({ stream: hangingUp(), store })
    await Promise.all(['poison 1', 'poison 2', 'poison 3'].map((text) => box.publish(utf8(text))))
    await vi.waitFor(() => expect(box.stats().setAside).toBe(3))
    expect(most).toBe(1)
  })

  // claim: delivery-22
  it('is reported in an event and in the log', async () => {
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    const box = outbox({ stream: hangingUp(), store: newPlace() })
    const told = vi.fn()
    box.addEventListener('setaside', ({ id, message, error }) => told([id, textOf(message), error]))
    await box.connect({ logger })
    onTestFinished(() => box.close())
    await box.publish(utf8('poison'))
    await vi.waitFor(() => expect(told).toHaveBeenCalledWith([1, 'poison', suspect.message]))
    expect(logger.error).toHaveBeenCalledWith({ err: suspect, id: 1 }, expect.stringContaining('set aside'))
  })

  // claim: delivery-26
  it('is still set aside after a restart and after maxAgeMs', async () => {
    const store = newPlace()
    const { box } = await withPoison(store)
    await box.close()
    const stream = memory()
    const now = Date.now()
    vi.spyOn(Date, 'now').mockReturnValue(now + 86_400_000)
    const again = await opened({ stream, store, maxAgeMs: 3_600_000 })
    const dropped = droppedBy(again)
    await (await again.publish(utf8('next'))).delivered
    expect(stream.messages.map(textOf)).toEqual(['next'])
    expect(again.stats().setAside).toBe(1)
    expect((await setAsideIn(again)).map(({ message }) => textOf(message))).toEqual(['poison'])
    expect(dropped).toEqual([])
  })

  // claim: delivery-25
  it('counts towards maxBytes until it is discarded', async () => {
    const poison = utf8('poison'.padEnd(1000))
    const box = await opened({ stream: hangingUp(), store: newPlace(), maxBytes: 2000 })
    await box.publish(poison)
    await vi.waitFor(() => expect(box.stats().setAside).toBe(1))
    expect(await codeOf(() => box.publish(new Uint8Array(1000)))).toBe('QUEUE_FULL')
    const more = { messages: 1, bytes: 1000 }
    expect(box.hasRoom?.(more)).not.toBe(true)
    await box.discard(1)
    expect(box.hasRoom?.(more)).toBe(true)
    await box.publish(new Uint8Array(1000))
  })

  it('frees room, when it is discarded, for a caller that waits with ready()', async () => {
    const box = outbox({ stream: hangingUp(), store: newPlace(), maxBytes: 2000 })
    const sdk = closing(await openSdk({ signingKey: key.signingKey, annotators: [source()], stream: box }))
    await box.publish(utf8('poison'.padEnd(1900)))
    await vi.waitFor(() => expect(box.stats().setAside).toBe(1))
    const goOn = vi.fn()
    const ready = sdk.ready().then(goOn)
    await quiet()
    expect(goOn).not.toHaveBeenCalled()
    await box.discard(1)
    await ready
    await sdk.create(utf8('21.4'))
  })

  it('is not dropped for newer messages if whenFull is "drop-oldest"', async () => {
    const options = { maxBytes: 2000, whenFull: 'drop-oldest' } as const
    const box = await opened({ stream: hangingUp(), store: newPlace(), ...options })
    const dropped = droppedBy(box)
    await box.publish(utf8('poison'.padEnd(1500)))
    await vi.waitFor(() => expect(box.stats().setAside).toBe(1))
    expect(await codeOf(() => box.publish(new Uint8Array(1000)))).toBe('QUEUE_FULL')
    expect([box.stats().setAside, dropped]).toEqual([1, []])
  })

  it('is sent by resend() after the other messages', async () => {
    const { box, stream, stored } = await withPoison(newPlace())
    stream.answer = () => undefined
    await box.publish(utf8('b'))
    const again = await box.resend(1)
    await Promise.all([again.delivered, stored.delivered])
    expect(stream.accepted).toEqual(['b', 'poison'])
    expect([box.stats().setAside, await setAsideIn(box)]).toEqual([0, []])
  })

  it('is set aside again if the broker disconnects again after resend()', async () => {
    const { box } = await withPoison(newPlace())
    await box.resend(1)
    await vi.waitFor(async () => expect((await setAsideIn(box)).map(({ id }) => id)).toEqual([2]))
    expect(box.stats().setAside).toBe(1)
  })

  it('keeps its number reserved after a restart, even if the store does not implement mark()', async () => {
    const { mark, ...store } = memoryStore()
    const options = { ...store, open: async () => ({ ...(await store.open()), mark: undefined }) }
    for (const poison of ['poison 1', 'poison 2']) {
      const box = await opened({ stream: hangingUp(), store: options })
      await box.publish(utf8(poison))
      await vi.waitFor(() => expect(box.stored.messages).toBe(0))
      await box.close()
    }
    const all = await setAsideIn(await opened({ stream: hangingUp(), store: options }))
    expect(all.map(({ id, message }) => [id, textOf(message)])).toEqual([
      [1, 'poison 1'],
      [2, 'poison 2'],
    ])
  })

  it('stays set aside if a message waiting to be sent has the same record number', async () => {
    const store = memoryStore()
    const { box } = await withPoison(store)
    await box.close()
    const { mark: _, setAside: __, ...rest } = store
    await store.mark(undefined as never)
    const before = await opened({ stream: absent(), store: rest })
    await before.publish(utf8('poison, too'))
    await before.close()
    const stream = hangingUp()
    const again = await opened({ stream, store })
    await vi.waitFor(() => expect(stream.handed.length).toBeGreaterThan(1))
    expect(again.stored.messages).toBe(1)
    expect((await setAsideIn(again)).map(({ id, message }) => [id, textOf(message)])).toEqual([[1, 'poison']])
  })

  it('stays set aside if the outbox is closed before the message could be resent', async () => {
    const store = memoryStore()
    const { read } = store.setAside
    const reading = deferred<void>()
    store.setAside.read = async (number) => {
      await reading.promise
      return read(number)
    }
    const { box } = await withPoison(store)
    const resent = codeOf(() => box.resend(1))
    await box.close()
    reading.resolve()
    expect(await resent).toBe('STREAM_CLOSED')
    expect([store.records.size, await store.setAside.numbers()]).toEqual([0, [1]])
  })

  it('is gone when it is discarded, even after a restart', async () => {
    const store = newPlace()
    const { box, stored } = await withPoison(store)
    const told = expect(stored.delivered).rejects.toMatchObject({ code: 'STREAM_SUSPECT' })
    await box.discard(1)
    await told
    await box.close()
    const again = await opened({ stream: memory(), store })
    expect([again.stats().setAside, again.stats().damaged]).toEqual([0, 0])
  })

  it.each(['resend', 'discard'] as const)(
    'is required by %s(), which rejects with a RangeError for an unknown id',
    async (method) => {
      const box = await opened({ stream: memory(), store: newPlace() })
      await expect(box[method](7)).rejects.toThrow(
        new RangeError('id: expected the id of a message that is set aside, got 7'),
      )
      await box.close()
      expect(await codeOf(() => box[method](7))).toBe('STREAM_CLOSED')
    },
  )

  it('is sent again after the other messages if the store cannot set messages aside', async () => {
    let isPoison = true
    const stream = outgoing((text) => (text === 'poison' && isPoison ? suspect : undefined))
    const { setAside, ...store } = memoryStore()
    const box = await opened({ stream, store, maxInFlight: 1 })
    const { delivered } = await box.publish(utf8('poison'))
    await (await box.publish(utf8('b'))).delivered
    expect([stream.accepted, box.stats().setAside]).toEqual([['b'], 0])
    isPoison = false
    await delivered
  })

  it('is sent again if the store fails to set the message aside', async () => {
    let isPoison = true
    const stream = outgoing(() => (isPoison ? suspect : undefined))
    const store = memoryStore()
    store.setAside.put = () => Promise.reject(new Error('disk full'))
    const box = await opened({ stream, store })
    const { delivered } = await box.publish(utf8('poison'))
    await vi.waitFor(() => expect(stream.handed.length).toBeGreaterThan(1))
    isPoison = false
    await delivered
  })
})

describe('the stats of an outbox', () => {
  it('contain those of its stream, and how many messages wait, are set aside and are lost', async () => {
    const own = { online: true, acknowledged: 7, refused: 2 } as never
    const stream = { ...hangingUp(), stats: () => own }
    const box = await opened({ stream, store: newPlace() })
    await box.publish(utf8('poison'))
    await vi.waitFor(() => expect(box.stats().setAside).toBe(1))
    const stored = { messages: 0, bytes: 0 }
    expect(box.stats()).toMatchObject({
      online: true,
      acknowledged: 7,
      refused: 2,
      stored,
      setAside: 1,
      damaged: 0,
    })
  })

  it('contain the outbox’s own figures if the stream has none', async () => {
    const box = outbox({ stream: memory(), store: newPlace() })
    expect(box.stats()).toMatchObject({ online: false, acknowledged: 0, setAside: 0 })
    await box.connect()
    onTestFinished(() => box.close())
    await (await box.publish(utf8('a'))).delivered
    expect(box.stats()).toMatchObject({ online: true, acknowledged: 1, queued: 0, refused: 0 })
  })

  it('are the member `stream` of sdk.stats()', async () => {
    const stream = outbox({ stream: memory(), store: newPlace() })
    await using sdk = await openSdk({ signingKey: key.signingKey, annotators: [source()], stream })
    expect(sdk.stats().stream).toMatchObject({ setAside: 0, damaged: 0, stored: { messages: 0, bytes: 0 } })
  })
})
