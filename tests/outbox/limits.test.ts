import { AlvariumError } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { deferred } from '../support/deferred.js'
import { codeOf } from '../support/failure.js'
import { memoryStore } from '../support/outbox-store.js'
import { absent, away, droppedBy, opened, outgoing } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'

const HOUR = 3_600_000
const refused = new AlvariumError('STREAM_REFUSED', 'not you')
const kilobyte = (name: string) => utf8(name.padEnd(1000))
const names = (dropped: string[][]) => dropped.map(([text = '', code]) => [text.trim(), code])

describe('an outbox with maxBytes', () => {
  it('has room again for as many bytes as were delivered', async () => {
    const box = await opened({ stream: outgoing(), store: newPlace(), maxBytes: 3500 })
    for (let at = 0; at < 20; at++) await (await box.publish(kilobyte(`${at}`))).delivered
    expect(await codeOf(() => box.publish(new Uint8Array(4000)))).toBe('QUEUE_FULL')
  })

  it('does not count messages that it could not store', async () => {
    const store = memoryStore()
    const { append } = store
    let isFull = true
    store.append = (...records) => (isFull ? Promise.reject(new Error('no space')) : append(...records))
    const box = await opened({ stream: absent(), store, maxBytes: 3500 })
    for (let at = 0; at < 5; at++) expect(await codeOf(() => box.publish(kilobyte('a')))).toBe('STORE_FAILED')
    isFull = false
    await box.publish(kilobyte('b'))
    expect(box.stored.messages).toBe(1)
  })

  it('admits a waiting call if the message that would have filled the outbox could not be stored', async () => {
    const [store, disk] = [memoryStore(), deferred()]
    store.append = () => disk.promise
    const box = await opened({ stream: absent(), store, maxBytes: 3500 })
    const stored = codeOf(() => box.publish(new Uint8Array(3000)))
    const more = { messages: 1, bytes: 1000 }
    const room = box.hasRoom?.(more)
    expect(room).not.toBe(true)
    disk.reject(new Error('no space'))
    expect(await stored).toBe('STORE_FAILED')
    await room
    expect(box.hasRoom?.(more)).toBe(true)
  })

  it('counts the messages that it had stored before a restart', async () => {
    const store = newPlace()
    const options = { stream: absent(), store, maxBytes: 3500 }
    const one = await opened(options)
    for (const name of ['a', 'b', 'c']) await one.publish(kilobyte(name))
    const { messages, bytes } = one.stored
    await one.close()
    const two = await opened(options)
    expect(two.stored).toMatchObject({ messages, bytes })
    expect(await codeOf(() => two.publish(kilobyte('d')))).toBe('QUEUE_FULL')
  })

  it('drops the oldest message to make room if whenFull is "drop-oldest"', async () => {
    const store = newPlace()
    const box = await opened({ stream: absent(), store, maxBytes: 3500, whenFull: 'drop-oldest' })
    const dropped = droppedBy(box)
    const first = await box.publish(kilobyte('a'))
    const told = expect(first.delivered).rejects.toMatchObject({ code: 'QUEUE_FULL' })
    for (const name of ['b', 'c', 'd', 'e']) await box.publish(kilobyte(name))
    await told
    expect(names(dropped)).toEqual([
      ['a', 'QUEUE_FULL'],
      ['b', 'QUEUE_FULL'],
    ])
    await box.close()
    const stream = outgoing()
    const next = await opened({ stream, store })
    await vi.waitFor(() => expect(next.stored.messages).toBe(0))
    expect(stream.accepted.map((text) => text.trim())).toEqual(['c', 'd', 'e'])
  })

  it('drops the oldest message to make room even if that message is in flight', async () => {
    const stream = outgoing(() => new Promise(() => {}))
    const options = { maxBytes: 2500, maxInFlight: 1, whenFull: 'drop-oldest' } as const
    const box = await opened({ stream, store: newPlace(), ...options })
    const dropped = droppedBy(box)
    await box.publish(kilobyte('a'))
    await vi.waitFor(() => expect(stream.handed).toHaveLength(1))
    for (const name of ['b', 'c']) await box.publish(kilobyte(name))
    expect(names(dropped)).toEqual([['a', 'QUEUE_FULL']])
    expect(box.stored.messages).toBe(2)
  })

  it('reports a dropped message once, even if the stream refuses it afterwards', async () => {
    const answer = deferred<never>()
    const stream = outgoing((text) => (text.startsWith('a') ? answer.promise : undefined))
    const options = { maxBytes: 1500, maxInFlight: 1, whenFull: 'drop-oldest' } as const
    const box = await opened({ stream, store: newPlace(), ...options })
    const dropped = droppedBy(box)
    await box.publish(kilobyte('a'))
    await vi.waitFor(() => expect(stream.handed).toHaveLength(1))
    const b = await box.publish(kilobyte('b'))
    answer.reject(refused)
    await b.delivered
    expect(names(dropped)).toEqual([['a', 'QUEUE_FULL']])
  })
})

describe('maxAgeMs of an outbox', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  function clocks() {
    const [wall, start] = [Date.now(), performance.now()]
    const machine = vi.spyOn(Date, 'now').mockReturnValue(wall)
    const steady = vi.spyOn(performance, 'now').mockReturnValue(start)
    return {
      machine: (ahead: number) => machine.mockReturnValue(wall + ahead),
      steady: (ahead: number) => steady.mockReturnValue(start + ahead),
    }
  }

  it('drops a message that is too old, and no younger message', async () => {
    const { steady } = clocks()
    let isAway = true
    const stream = outgoing(() => (isAway ? away : undefined))
    const box = await opened({ stream, store: newPlace(), maxAgeMs: HOUR })
    const dropped = droppedBy(box)
    const old = await box.publish(utf8('old'))
    const told = expect(old.delivered).rejects.toMatchObject({ code: 'STREAM_TIMEOUT' })
    steady(HOUR - 1)
    await box.publish(utf8('young'))
    steady(HOUR + 1)
    await told
    isAway = false
    await vi.waitFor(() => expect(stream.accepted).toEqual(['young']))
    expect(dropped).toEqual([['old', 'STREAM_TIMEOUT']])
  })

  it('drops a message even while the stream cannot be reached', async () => {
    const { steady } = clocks()
    const box = await opened({ stream: absent(), store: newPlace(), maxAgeMs: HOUR })
    const { delivered } = await box.publish(utf8('old'))
    const told = expect(delivered).rejects.toMatchObject({ code: 'STREAM_TIMEOUT' })
    steady(HOUR + 1)
    await told
    expect(box.stored.messages).toBe(0)
  })

  // claim: threats-64
  it.each([-24 * 365 * HOUR, 24 * 365 * HOUR])(
    'drops no message even if the clock is moved by %i ms while the process runs',
    async (ahead) => {
      const { machine } = clocks()
      let isAway = true
      const stream = outgoing(() => (isAway ? away : undefined))
      const box = await opened({ stream, store: newPlace(), maxAgeMs: HOUR })
      const { delivered } = await box.publish(utf8('a'))
      machine(ahead)
      const { delivered: other } = await box.publish(utf8('b'))
      isAway = false
      await Promise.all([delivered, other])
      expect(stream.accepted).toEqual(['a', 'b'])
    },
  )

  it('drops stored messages in time after a restart with the clock set back', async () => {
    const { machine, steady } = clocks()
    const store = newPlace()
    const one = await opened({ stream: absent(), store, maxAgeMs: HOUR })
    await one.publish(utf8('from the future'))
    await one.close()
    machine(-24 * 365 * HOUR)
    const two = await opened({ stream: absent(), store, maxAgeMs: HOUR })
    const dropped = droppedBy(two)
    steady(HOUR + 1)
    await vi.waitFor(() => expect(dropped).toEqual([['from the future', 'STREAM_TIMEOUT']]))
  })

  it('drops no stored message too early after a restart with the clock set back', async () => {
    const { machine, steady } = clocks()
    const store = newPlace()
    const one = await opened({ stream: absent(), store, maxAgeMs: HOUR })
    await one.publish(utf8('before'))
    await one.close()
    machine(-24 * 365 * HOUR)
    let isAway = true
    const stream = outgoing(() => (isAway ? away : undefined))
    const two = await opened({ stream, store, maxAgeMs: HOUR })
    await two.publish(utf8('after'))
    steady(HOUR - 1)
    isAway = false
    await vi.waitFor(() => expect(stream.accepted).toEqual(['before', 'after']))
  })

  it.each([-24 * 365 * HOUR, 24 * 365 * HOUR])(
    'drops no message after two restarts even if the clock was moved by %i ms before each restart',
    async (ahead) => {
      const { machine } = clocks()
      const store = newPlace()
      const one = await opened({ stream: absent(), store, maxAgeMs: HOUR })
      await one.publish(utf8('before'))
      machine(ahead)
      expect(Math.abs(Date.now() - (one.stored.oldestAt ?? 0))).toBeLessThan(1000)
      await one.publish(utf8('after'))
      await one.close()
      const two = await opened({ stream: absent(), store, maxAgeMs: HOUR })
      const dropped = droppedBy(two)
      machine(2 * ahead)
      await two.publish(utf8('second'))
      await two.close()
      const stream = outgoing()
      const three = await opened({ stream, store, maxAgeMs: HOUR })
      await vi.waitFor(() => expect(three.stored.messages).toBe(0))
      expect([stream.accepted, dropped]).toEqual([['before', 'after', 'second'], []])
    },
  )

  it('drops messages that are too old after a restart, although the clock had been set forward', async () => {
    const { machine } = clocks()
    const store = newPlace()
    const one = await opened({ stream: absent(), store, maxAgeMs: HOUR })
    await one.publish(utf8('before'))
    machine(24 * HOUR)
    await one.publish(utf8('after'))
    await one.close()
    machine(25 * HOUR + 1)
    const two = await opened({ stream: absent(), store, maxAgeMs: HOUR })
    const dropped = droppedBy(two)
    await vi.waitFor(() => expect(dropped.map(([text]) => text)).toEqual(['before', 'after']))
  })

  it('drops a message after a restart if the message became too old while the process was down', async () => {
    const { machine } = clocks()
    const store = newPlace()
    const one = await opened({ stream: absent(), store })
    await one.publish(utf8('a'))
    await one.close()
    machine(HOUR + 1)
    const two = await opened({ stream: absent(), store, maxAgeMs: HOUR })
    const dropped = droppedBy(two)
    await vi.waitFor(() => expect(dropped).toEqual([['a', 'STREAM_TIMEOUT']]))
  })
})

it('an outbox logs a listener that throws when a message is dropped, and sends the next messages', async () => {
  const stream = outgoing((text) => (text === 'a' ? refused : undefined))
  const box = outbox({ stream, store: newPlace() })
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const oops = new Error('oops')
  box.addEventListener('dropped', () => {
    throw oops
  })
  await box.connect({ logger })
  onTestFinished(() => box.close())
  const [, b] = await Promise.all(['a', 'b'].map((text) => box.publish(utf8(text))))
  await b?.delivered
  expect(logger.error).toHaveBeenCalledWith({ err: oops, event: 'dropped' }, 'a listener threw')
})

it('a dropped message whose receipt nobody reads causes no unhandled rejection', async () => {
  const unhandled = vi.fn()
  globalThis.process?.on('unhandledRejection', unhandled)
  const stream = outgoing(() => refused)
  const box = await opened({ stream, store: newPlace() })
  await box.publish(utf8('a'))
  await vi.waitFor(() => expect(box.stored.messages).toBe(0))
  await new Promise((resolve) => setTimeout(resolve))
  globalThis.process?.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})
