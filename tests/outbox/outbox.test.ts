import { AlvariumError, type MemoryStream, memory, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it, vi } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { deferred } from '../support/deferred.js'
import { codeOf } from '../support/failure.js'
import { memoryStore } from '../support/outbox-store.js'
import { absent, opened, outgoing } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'
import { closing } from '../support/receiving.js'
import { key, keyring } from '../support/sdk.js'

const texts = (count: number) => Array.from({ length: count }, (_, at) => `message ${at}`)
const textsOf = ({ messages }: MemoryStream) => messages.map(textOf)
const refusal = new AlvariumError('STREAM_UNREACHABLE', 'away')
const never = () => new Promise(() => {})

describe('a call through an outbox', () => {
  // claim: delivery-14
  it('resolves when its message is stored, and its receipt resolves when the stream accepts the message', async () => {
    const gate = deferred()
    const stream = outgoing(() => gate.promise)
    const box = outbox({ stream, store: newPlace() })
    await using sdk = await openSdk({ signingKey: key.signingKey, annotators: [source()], stream: box })
    const receipt = await sdk.create(utf8('payload'))
    expect(box.stored.messages).toBe(1)
    const delivered = vi.fn()
    const waiting = receipt.delivered.then(delivered)
    await vi.waitFor(() => expect(stream.handed).toHaveLength(1))
    expect(delivered).not.toHaveBeenCalled()
    gate.resolve()
    await waiting
    expect(box.stored).toEqual({ messages: 0, bytes: 0 })
    expect((await verifyMessage(utf8(stream.accepted[0] ?? ''), { keyring })).id).toBeDefined()
  })

  it('counts as delivered when its batch is delivered', async () => {
    const stream = memory()
    const box = outbox({ stream, store: newPlace() })
    await using sdk = await openSdk({ signingKey: key.signingKey, annotators: [], stream: box })
    const receipts = await sdk.createMany(texts(10).map(utf8))
    await Promise.all(receipts.map(({ delivered }) => delivered))
    expect(stream.messages).toHaveLength(1)
  })
})

describe('an outbox', () => {
  // claim: delivery-16
  it('keeps the order of the calls, however many there are, and deletes delivered messages', async () => {
    const stream = memory()
    const box = await opened({ stream, store: newPlace() })
    const stored = await Promise.all(texts(2000).map((text) => box.publish(utf8(text))))
    await Promise.all(stored.map(({ delivered }) => delivered))
    expect(textsOf(stream)).toEqual(texts(2000))
    expect(box.stored).toEqual({ messages: 0, bytes: 0 })
  })

  it('sends the messages of its store once and in order after a restart, and only then new messages', async () => {
    const store = newPlace()
    const first = outbox({ stream: outgoing(never), store, closeTimeoutMs: 10 })
    await first.connect()
    await Promise.all(texts(1000).map((text) => first.publish(utf8(text))))
    await first.close()
    const stream = memory()
    const second = await opened({ stream, store })
    expect(second.stored.messages).toBe(1000)
    await (await second.publish(utf8('new'))).delivered
    expect(textsOf(stream)).toEqual([...texts(1000), 'new'])
    await second.close()
    const third = await opened({ stream: memory(), store })
    expect(third.stored.messages).toBe(0)
  })

  it('sends the remaining messages after a restart if it was closed half-way', async () => {
    const store = newPlace()
    const one = await opened({ stream: away(), store })
    await Promise.all(texts(600).map((text) => one.publish(utf8(text))))
    await one.close()
    const some = outgoing((text) => (Number(text.slice(8)) < 300 ? undefined : refusal))
    const two = await opened({ stream: some, store })
    await vi.waitFor(() => expect(some.accepted).toHaveLength(300))
    await two.close()
    const rest = memory()
    const three = await opened({ stream: rest, store })
    await vi.waitFor(() => expect(three.stored.messages).toBe(0))
    expect([...some.accepted, ...textsOf(rest)]).toEqual(texts(600))
  })

  it('reports how many messages wait, and since when', async () => {
    const before = Date.now()
    const box = await opened({ stream: away(), store: newPlace() })
    expect(box.stored).toEqual({ messages: 0, bytes: 0 })
    for (const text of texts(3)) await box.publish(utf8(text))
    const { messages, bytes, oldestAt = 0 } = box.stored
    expect(messages).toBe(3)
    expect(bytes).toBeGreaterThan(3 * 9)
    expect(oldestAt).toBeGreaterThan(before - 1000)
    expect(oldestAt).toBeLessThan(Date.now() + 1000)
  })

  it('has at most maxInFlight messages in flight', async () => {
    const stream = outgoing(never)
    const box = await opened({ stream, store: newPlace(), maxInFlight: 3 })
    await Promise.all(texts(10).map((text) => box.publish(utf8(text))))
    await vi.waitFor(() => expect(stream.handed).toEqual(texts(3)))
  })

  // claim: delivery-23
  it.each([1, 2])(
    'resends a rejected message before any unsent message, with a maxInFlight of %i',
    async (maxInFlight) => {
      let rejections = 3
      const stream = outgoing((text) => (text === 'message 0' && rejections-- > 0 ? refusal : undefined))
      const box = await opened({ stream, store: newPlace(), maxInFlight })
      const stored = await Promise.all(texts(6).map((text) => box.publish(utf8(text))))
      await Promise.all(stored.map(({ delivered }) => delivered))
      const overtaking = texts(6).slice(1, maxInFlight)
      expect(stream.accepted).toEqual([...overtaking, 'message 0', ...texts(6).slice(maxInFlight)])
    },
  )

  // claim: delivery-31
  it('stores messages while the stream is unreachable, and retries until the stream connects', async () => {
    let attempts = 0
    const stream = memory()
    const connect = async () => {
      if (attempts++ < 2) throw refusal
    }
    const box = await opened({ stream: { ...stream, connect }, store: newPlace() })
    const { delivered } = await box.publish(utf8('a'))
    expect(stream.messages).toHaveLength(0)
    await delivered
    expect(attempts).toBe(3)
  })

  it('sends each message with the options that it was published with, even after a restart', async () => {
    const store = newPlace()
    const one = await opened({ stream: away(), store })
    await one.publish(utf8('a'), { contentType: 'application/cbor' })
    await one.close()
    const publish = vi.fn()
    const two = await opened({ stream: { publish }, store })
    await vi.waitFor(() => expect(two.stored.messages).toBe(0))
    expect(publish.mock.calls).toEqual([[utf8('a'), { contentType: 'application/cbor' }]])
  })

  // claim: delivery-17
  it('refuses to open a store that another outbox has open, and the other outbox continues', async () => {
    const store = newPlace()
    const stream = memory()
    const box = await opened({ stream, store })
    const second = outbox({ stream: memory(), store })
    const error = await second.connect().catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'STORE_LOCKED' })
    expect(error.message).toMatch(
      /^store: (?:expected a folder that no other outbox has open, got one|.* is open in another page)/,
    )
    await (await box.publish(utf8('a'))).delivered
    await box.close()
    await second.connect()
    await second.close()
  })

  it('rejects the receipts of waiting messages when it is closed', async () => {
    const box = await opened({ stream: away(), store: newPlace() })
    const { delivered } = await box.publish(utf8('a'))
    const told = expect(delivered).rejects.toMatchObject({ code: 'STREAM_CLOSED' })
    await box.close()
    await told
  })

  it('sends waiting messages while it closes', async () => {
    const stream = outgoing(() => new Promise((resolve) => setTimeout(resolve, 5)))
    const box = closing(outbox({ stream, store: newPlace(), maxInFlight: 1 }))
    await box.connect()
    for (const text of texts(5)) await box.publish(utf8(text))
    await box.close()
    expect(stream.accepted).toEqual(texts(5))
  })

  it('does not wait in close() for a stream that is offline', async () => {
    const box = await opened({ stream: absent(), store: memoryStore(), closeTimeoutMs: 3_600_000 })
    await box.publish(utf8('a'))
    await vi.waitFor(() => expect(box.stats().online).toBe(false))
    await box.close()
  })

  it('rejects the receipt of a message that is stored while it closes', async () => {
    const [appending, hasBegun] = [deferred(), deferred()]
    const store = memoryStore()
    const { append } = store
    store.append = async (...records) => {
      hasBegun.resolve()
      await appending.promise
      await append(...records)
    }
    const box = await opened({ stream: absent(), store, closeTimeoutMs: 1 })
    const publish = box.publish(utf8('a'))
    await hasBegun.promise
    await box.close()
    appending.resolve()
    await expect((await publish).delivered).rejects.toMatchObject({ code: 'STREAM_CLOSED' })
  })

  it('rejects messages before it is connected and after it is closed', async () => {
    const box = outbox({ stream: memory(), store: newPlace() })
    expect(await codeOf(() => box.publish(utf8('early')))).toBe('STREAM_CLOSED')
    await box.connect()
    await box.close()
    expect(await codeOf(() => box.publish(utf8('late')))).toBe('STREAM_CLOSED')
    expect(await codeOf(() => box.connect())).toBe('STREAM_CLOSED')
  })

  it('releases the store if the caller aborts the opening', async () => {
    const store = newPlace()
    const controller = new AbortController()
    const box = outbox({ stream: memory(), store })
    const connecting = box.connect({ signal: controller.signal })
    controller.abort(new Error('changed my mind'))
    await expect(connecting).rejects.toThrow('changed my mind')
    await opened({ stream: memory(), store })
  })

  it.each([
    [{ stream: {} }, 'outbox.stream: expected a stream with publish(), got an Object'],
    [{ store: '' }, 'outbox.store: expected the name of a place, or a store'],
    [{ store: { open() {} } }, 'outbox.store: expected the name of a place, or a store'],
    [{ maxBytes: 0 }, 'outbox.maxBytes: expected an integer from 1'],
    [{ whenFull: 'wait' }, 'outbox.whenFull: expected reject or drop-oldest, got "wait"'],
  ])('refuses the options %j with an error that names the option', async (wrong, message) => {
    const options = { stream: memory(), store: 'place', ...wrong } as never
    const error = await codeOf(() => outbox(options))
    expect(error).toBe('CONFIG_INVALID')
    expect(() => outbox(options)).toThrow(message)
  })
})

/** Returns a stream that is never reachable. */
const away = () => ({ connect: () => Promise.reject(refusal), publish: () => Promise.reject(refusal) })
