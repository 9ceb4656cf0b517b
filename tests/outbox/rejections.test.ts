// @own-process: it stops the clock
// @node-only: it stops the clock, and the order that it shows is the same in every engine

import { AlvariumError, type ErrorCode, memory, tee } from 'alvarium-sdk'
import { describe, expect, it, vi } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { deferred } from '../support/deferred.js'
import { hurry } from '../support/hurry.js'
import { droppedBy, opened, outgoing } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'

const refused = new AlvariumError('STREAM_REFUSED', 'too large')
const texts = (count: number) => Array.from({ length: count }, (_, at) => `message ${at}`)

describe('a message that the stream refuses permanently', () => {
  // claim: delivery-20
  it('is dropped from the outbox with its reason, and the next messages are sent', async () => {
    const stream = outgoing((text) => (text === 'b' ? refused : undefined))
    const box = await opened({ stream, store: newPlace() })
    const dropped = droppedBy(box)
    const [, b, c] = await Promise.all(['a', 'b', 'c'].map((text) => box.publish(utf8(text))))
    await expect(b?.delivered).rejects.toBe(refused)
    await c?.delivered
    expect([stream.accepted, dropped]).toEqual([['a', 'c'], [['b', 'STREAM_REFUSED']]])
    expect(box.stored.messages).toBe(0)
  })

  // claim: delivery-21
  it('is sent again if whenRefused is "keep"', async () => {
    let refusals = 2
    const stream = outgoing(() => (refusals-- > 0 ? refused : undefined))
    const box = await opened({ stream, store: newPlace(), whenRefused: 'keep' })
    hurry()
    await (await box.publish(utf8('a'))).delivered
    expect(stream.handed).toEqual(['a', 'a', 'a'])
  })

  it('does not delay other messages if whenRefused is "keep"', async () => {
    const stream = outgoing((text) => (text === 'message 0' ? refused : undefined))
    const box = await opened({ stream, store: newPlace(), whenRefused: 'keep', maxInFlight: 1 })
    hurry()
    const stored = await Promise.all(texts(5).map((text) => box.publish(utf8(text))))
    await Promise.all(stored.slice(1).map(({ delivered }) => delivered))
    expect(stream.accepted).toEqual(texts(5).slice(1))
    expect(box.stored.messages).toBe(5)
  })
})

describe('a message in an outbox that the stream rejects, but not permanently,', () => {
  const codes: ErrorCode[] = [
    ...(['STREAM_UNAVAILABLE', 'STREAM_FAILED', 'STREAM_LOST', 'STREAM_TIMEOUT', 'STREAM_CLOSED'] as const),
    ...(['STREAM_UNREACHABLE', 'QUEUE_FULL', 'STORE_FAILED'] as const),
  ]
  const errors: [string, unknown][] = [
    ...codes.map((code): [string, unknown] => [code, new AlvariumError(code, 'not now')]),
    ['an error without a code', new TypeError('oops')],
    [
      'an application error with the code STREAM_REFUSED',
      Object.assign(new Error('oops'), { code: 'STREAM_REFUSED' }),
    ],
    ['a text in place of an error', 'oops'],
    ['undefined', undefined],
  ]

  it.each(errors)('stays stored and is sent again after %s', async (_, error) => {
    let rejections = 2
    const publish = vi.fn(() => (rejections-- > 0 ? Promise.reject(error) : Promise.resolve()))
    const box = await opened({ stream: { publish }, store: newPlace() })
    hurry()
    const dropped = droppedBy(box)
    await (await box.publish(utf8('a'))).delivered
    expect([publish.mock.calls.length, dropped]).toEqual([3, []])
  })

  it('keeps its place when it is sent again, in whatever order the rejections arrive', async () => {
    const answers = new Map(['a', 'b', 'c'].map((text) => [text, deferred<never>()]))
    const stream = outgoing((text) => answers.get(text)?.promise)
    const box = await opened({ stream, store: newPlace(), maxInFlight: 3 })
    hurry()
    const stored = await Promise.all([...answers.keys()].map((text) => box.publish(utf8(text))))
    await vi.waitFor(() => expect(stream.handed).toEqual(['a', 'b', 'c']))
    stream.answer = () => undefined
    for (const text of ['c', 'a', 'b'])
      answers.get(text)?.reject(new AlvariumError('STREAM_UNAVAILABLE', 'not now'))
    await Promise.all(stored.map(({ delivered }) => delivered))
    expect(stream.accepted).toEqual(['a', 'b', 'c'])
  })

  it('stays stored if an application’s stream throws synchronously', async () => {
    let isBack = false
    const accepted: string[] = []
    const publish = (message: Uint8Array) => {
      if (!isBack) throw new Error('oops')
      accepted.push(textOf(message))
    }
    const box = await opened({ stream: { publish }, store: newPlace() })
    hurry()
    const dropped = droppedBy(box)
    const stored = await Promise.all(texts(3).map((text) => box.publish(utf8(text))))
    isBack = true
    await Promise.all(stored.map(({ delivered }) => delivered))
    expect([accepted, dropped]).toEqual([texts(3), []])
  })
})

describe('a message in an outbox that the stream repeatedly fails to deliver', () => {
  const broken = new Error('this one again')

  // claim: delivery-24
  it.each([1, 2, 64])('does not delay other messages, with a maxInFlight of %i', async (maxInFlight) => {
    const stream = outgoing((text) => (text === 'message 0' ? broken : undefined))
    const box = await opened({ stream, store: newPlace(), maxInFlight })
    hurry()
    const dropped = droppedBy(box)
    const stored = await Promise.all(texts(20).map((text) => box.publish(utf8(text))))
    await Promise.all(stored.slice(1).map(({ delivered }) => delivered))
    expect([stream.accepted, dropped]).toEqual([texts(20).slice(1), []])
    expect(box.stored.messages).toBe(20)
  })

  it('is delivered after the other messages if the stream finally accepts it', async () => {
    let isBroken = true
    const stream = outgoing((text) => (text === 'message 0' && isBroken ? broken : undefined))
    const box = await opened({ stream, store: newPlace(), maxInFlight: 1 })
    hurry()
    const [first, ...others] = await Promise.all(texts(5).map((text) => box.publish(utf8(text))))
    await Promise.all(others.map(({ delivered }) => delivered))
    isBroken = false
    await first?.delivered
    expect(stream.accepted).toEqual([...texts(5).slice(1), 'message 0'])
    expect(box.stored).toEqual({ messages: 0, bytes: 0 })
  })

  it('is tried at increasing intervals while other messages are accepted', async () => {
    const stream = outgoing((text) => (text === 'poison' ? broken : undefined))
    const box = await opened({ stream, store: newPlace() })
    await box.publish(utf8('poison'))
    const tries = () => stream.handed.filter((text) => text === 'poison').length
    await vi.waitFor(() => expect(tries()).toBe(5))
    for (let at = 0; at < 200; at++) await (await box.publish(utf8(`${at}`))).delivered
    expect(tries()).toBeLessThan(12)
  })

  it('does not delay other messages even if more than maxInFlight messages are rejected repeatedly', async () => {
    const isBad = (text: string) => Number(text.slice(8)) < 5
    const stream = outgoing((text) => (isBad(text) ? broken : undefined))
    const box = await opened({ stream, store: newPlace(), maxInFlight: 2 })
    hurry()
    const stored = await Promise.all(texts(10).map((text) => box.publish(utf8(text))))
    await Promise.all(stored.slice(5).map(({ delivered }) => delivered))
    expect(stream.accepted.toSorted()).toEqual(texts(10).slice(5))
  })

  it('does not delay the next messages if each of its attempts times out', async () => {
    const late = new AlvariumError('STREAM_TIMEOUT', 'not in time')
    const stream = outgoing((text) => (text === 'message 0' ? late : undefined))
    const box = await opened({ stream, store: newPlace(), maxInFlight: 2 })
    const [, second] = await Promise.all(texts(2).map((text) => box.publish(utf8(text))))
    await second?.delivered
    expect(stream.handed.filter((text) => text === 'message 0').length).toBeLessThan(4)
  })
})

describe('an outbox whose stream was unavailable', () => {
  it.each(['STREAM_UNREACHABLE', 'STREAM_TIMEOUT'] as const)(
    'later sends its messages in the order of the calls, even if attempts failed with %s',
    async (code) => {
      let isAway = true
      const stream = outgoing(() => (isAway ? new AlvariumError(code, 'away') : undefined))
      const box = await opened({ stream, store: newPlace(), maxInFlight: 8 })
      hurry()
      const stored = await Promise.all(texts(30).map((text) => box.publish(utf8(text))))
      await vi.waitFor(() => expect(stream.handed.length).toBeGreaterThan(20))
      isAway = false
      await Promise.all(stored.map(({ delivered }) => delivered))
      expect(stream.accepted).toEqual(texts(30))
    },
  )
})

describe('an outbox whose stream does not answer', () => {
  it('ends the attempt to send a message after streamTimeoutMs, and sends the message again', async () => {
    let isSilent = true
    const stream = outgoing(() => (isSilent ? new Promise(() => {}) : undefined))
    const box = await opened({ stream, store: newPlace(), streamTimeoutMs: 20 })
    const { delivered } = await box.publish(utf8('a'))
    await vi.waitFor(() => expect(stream.handed.length).toBeGreaterThan(2))
    isSilent = false
    await delivered
    expect(stream.accepted).toEqual(['a'])
  })

  // claim: delivery-27
  it('counts a message as accepted if the stream answers an earlier attempt late', async () => {
    const answers = [deferred<void>(), deferred<void>()]
    const publish = vi.fn(() => answers[Math.min(publish.mock.calls.length, 2) - 1]?.promise)
    const box = await opened({ stream: { publish }, store: newPlace(), streamTimeoutMs: 20 })
    const { delivered } = await box.publish(utf8('a'))
    await vi.waitFor(() => expect(publish).toHaveBeenCalledTimes(2))
    answers[0]?.resolve()
    await delivered
    expect(box.stored.messages).toBe(0)
    answers[1]?.resolve()
  })

  // claim: delivery-28
  it('ends the attempt to send a message after maxAgeMs, and drops the message', async () => {
    const stream = outgoing(() => new Promise(() => {}))
    const box = await opened({ stream, store: newPlace(), maxAgeMs: 30 })
    const dropped = droppedBy(box)
    const { delivered } = await box.publish(utf8('a'))
    await expect(delivered).rejects.toMatchObject({ code: 'STREAM_TIMEOUT' })
    expect([dropped, box.stored.messages]).toEqual([[['a', 'STREAM_TIMEOUT']], 0])
  })

  it('keeps no message longer than maxAgeMs during a connect() without an answer', async () => {
    const stream = { connect: () => new Promise(() => {}), publish: () => {} }
    const box = await opened({ stream, store: newPlace(), maxAgeMs: 30 })
    const { delivered } = await box.publish(utf8('a'))
    await expect(delivered).rejects.toMatchObject({ code: 'STREAM_TIMEOUT' })
  })

  // claim: delivery-32
  it.each(['connect', 'publish', 'close'] as const)(
    'to %s() closes within its time limits, and unlocks its store',
    async (method) => {
      const store = newPlace()
      const stream = { ...memory(), [method]: () => new Promise(() => {}) }
      const box = await opened({ stream, store, closeTimeoutMs: 30 })
      await box.publish(utf8('a'))
      const since = performance.now()
      await box.close()
      // Four times closeTimeoutMs. The rest is slack for a busy machine, and less than the default of 5 s would take.
      expect(performance.now() - since).toBeLessThan(4 * 30 + 15_000)
      await opened({ stream: memory(), store })
    },
  )
})

it('an outbox does not drop a message as refused if a stream behind a tee throws', async () => {
  let isAway = true
  const own = {
    publish: () => {
      if (isAway) throw new Error('away')
    },
  }
  const kept = memory()
  const box = await opened({ stream: tee(kept, own), store: newPlace() })
  hurry()
  const dropped = droppedBy(box)
  const stored = await Promise.all(texts(3).map((text) => box.publish(utf8(text))))
  isAway = false
  await Promise.all(stored.map(({ delivered }) => delivered))
  expect(dropped).toEqual([])
})
