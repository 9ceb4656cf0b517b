// @node-only: its broker listens on a plain socket

import { describe, expect, it, vi } from 'vitest'
import { type Heard, message, packet, type ScriptedBroker } from '../brokers/scripted.js'
import { quiet } from '../support/deferred.js'
import { subscribed } from '../support/subscribed.js'

const answersOf = ({ heard }: ScriptedBroker) =>
  heard.flatMap(({ name, body }) =>
    /^pub/.test(name) ? [[name, ((body[0] ?? 0) << 8) | (body[1] ?? 0)]] : [],
  )
/** Answer to CONNECT with Session Present: the broker has kept our subscriptions. */
const resumed = { connect: () => packet('connack', [1, 0]) }

describe('a message that an mqtt subscription receives', () => {
  it('with QoS 0 is delivered, and not acknowledged', async () => {
    const { broker, reception, taken } = await subscribed()
    await reception.open()
    broker.send(message('a', { qos: 0, retain: true }))
    const [first] = await taken()
    expect(first?.one).toMatchObject({ topic: 't', retain: true, dup: false })
    first?.one.ack()
    await reception.close()
    // No message was acknowledged, so closing waits for no answer.
    expect(broker.heard.map(({ name }) => name).slice(2)).not.toContain('pingreq')
    expect(answersOf(broker)).toEqual([])
  })

  it('with QoS 1 is acknowledged when the consumer has settled it, in the order of arrival', async () => {
    const { broker, reception, taken } = await subscribed()
    await reception.open()
    broker.send(message('a', { id: 7 }), message('b', { id: 300, dup: true }))
    const arrivals = await taken()
    expect(arrivals.map(({ text, one }) => [text, one.dup])).toEqual([
      ['a', false],
      ['b', true],
    ])
    arrivals[1]?.one.ack()
    await quiet()
    expect(answersOf(broker)).toEqual([])
    arrivals[0]?.one.ack()
    await broker.hears('puback', 2)
    expect(answersOf(broker)).toEqual([
      ['puback', 7],
      ['puback', 300],
    ])
  })

  // claim: threats-57
  it('with QoS 2 is delivered once, even if the broker resends it before the release', async () => {
    const { broker, reception, taken } = await subscribed({ qos: 2 }, { pubrec: () => undefined })
    await reception.open()
    const a = message('a', { qos: 2, id: 5 })
    broker.send(a)
    for (const { one } of await taken()) one.ack()
    await broker.hears('pubrec')
    broker.send(message('a', { qos: 2, id: 5, dup: true }), message('b', { qos: 2, id: 6 }))
    expect((await taken()).map(({ text }) => text)).toEqual(['b'])
    await broker.hears('pubrec', 2)
    broker.send(packet('pubrel', [0, 5], 2))
    await broker.hears('pubcomp')
    // Another message with the same packet id.
    broker.send(a)
    expect((await taken()).map(({ text }) => text)).toEqual(['a'])
    expect(answersOf(broker)).toEqual([
      ['pubrec', 5],
      ['pubrec', 5],
      ['pubcomp', 5],
    ])
  })

  it('with QoS 2 is delivered even if an earlier message with QoS 1 had the same packet id', async () => {
    const { broker, reception, taken } = await subscribed({ qos: 2 })
    await reception.open()
    broker.send(message('a', { qos: 1, id: 5 }))
    for (const { one } of await taken()) one.ack()
    await broker.hears('puback')
    broker.send(message('b', { qos: 2, id: 5 }))
    expect((await taken()).map(({ text }) => text)).toEqual(['b'])
  })

  it('with QoS 0 is not delivered again as a copy for an overlapping filter', async () => {
    const { broker, reception, taken } = await subscribed({ topic: ['a/+', '+/b'], qos: 0 })
    await reception.open()
    const copy = message('x', { topic: 'a/b', qos: 0 })
    broker.send(copy, copy, message('y', { topic: 'a/b', qos: 0 }))
    expect((await taken()).map(({ text }) => text)).toEqual(['x', 'y'])
    expect(answersOf(broker)).toEqual([])
  })

  it('that is a copy for an overlapping filter is acknowledged, and not delivered again', async () => {
    const { broker, reception, taken } = await subscribed({ topic: ['a/+', '+/b'] })
    await reception.open()
    const copy = (id: number) => message('x', { topic: 'a/b', id })
    broker.send(copy(1), copy(2), message('y', { topic: 'a/b', id: 3 }))
    const arrivals = await taken()
    expect(arrivals.map(({ text }) => text)).toEqual(['x', 'y'])
    for (const { one } of arrivals) one.ack()
    await broker.hears('puback', 3)
    expect(answersOf(broker).map(([, id]) => id)).toEqual([1, 2, 3])
  })

  it('with a higher QoS than requested ends the connection, unless the session is durable', async () => {
    const fresh = await subscribed({ qos: 1 })
    await fresh.reception.open()
    const offline = new Promise<CustomEvent>((resolve) =>
      fresh.reception.addEventListener('offline', (event) => resolve(event as CustomEvent)),
    )
    fresh.broker.send(message('a', { qos: 2 }))
    expect((await offline).detail).toMatchObject({ message: expect.stringMatching(/QoS 1 at most/) })
    const kept = await subscribed({ qos: 1, durable: true, clientId: 'keeper' })
    await kept.reception.open()
    kept.broker.send(message('a', { qos: 2 }))
    expect((await kept.taken()).map(({ text }) => text)).toEqual(['a'])
  })

  it('waits until the inbox has room', async () => {
    const { broker, reception, taken } = await subscribed({ prefetch: 1 })
    await reception.open()
    broker.send(message('a', { id: 1 }), message('b', { id: 2 }))
    const [first] = await taken()
    const next = taken()
    await quiet()
    first?.one.ack()
    expect((await next).map(({ text }) => text)).toEqual(['b'])
  })
})

describe('an mqtt subscription whose connection is lost', () => {
  it.each([
    ['keeps the session, and resends unacknowledged messages', resumed, ['again']],
    ['forgets the session, and resends nothing', {}, ['waited', 'again']],
  ])('neither loses nor repeats undelivered messages if the broker %s', async (_, answers, expected) => {
    const { broker, reception, taken, told } = await subscribed(
      { durable: true, clientId: 'keeper' },
      answers,
    )
    await reception.open()
    broker.send(message('in hand', { id: 1 }))
    const [held] = await taken()
    broker.send(message('waited', { id: 2 }))
    await vi.waitFor(() => expect(told).toEqual(['online']))
    await new Promise((resolve) => setTimeout(resolve, 20))
    broker.cut()
    await broker.hears('subscribe', 2)
    broker.send(message('again', { id: 1 }))
    await vi.waitFor(() => expect(told).toEqual(['online', 'offline', 'online']))
    // An acknowledgement for a lost connection is not sent.
    held?.one.ack()
    expect(held?.one.withdrawn).toBe(expected.length === 1)
    const texts: string[] = []
    while (texts.at(-1) !== 'again') texts.push(...(await taken()).map(({ text }) => text))
    expect(texts).toEqual(expected)
    await quiet()
    expect(answersOf(broker)).toEqual([])
  })

  it('receives a message again if the broker resends it, even if two of its filters match the message', async () => {
    const options = { topic: ['a/+', '+/b'], durable: true, clientId: 'keeper' }
    const { broker, reception, taken } = await subscribed(options, resumed)
    await reception.open()
    const x = message('x', { topic: 'a/b', id: 1 })
    broker.send(x)
    expect((await taken()).map(({ text }) => text)).toEqual(['x'])
    broker.cut()
    await broker.hears('subscribe', 2)
    broker.send(x, message('y', { topic: 'a/b', id: 2 }))
    const texts: string[] = []
    while (texts.at(-1) !== 'y') texts.push(...(await taken()).map(({ text }) => text))
    expect(texts).toEqual(['x', 'y'])
  })

  it('drops messages that waited for room in the inbox, and receives them once when the broker resends them', async () => {
    const options = { prefetch: 1, durable: true, clientId: 'keeper' }
    const { broker, reception, taken } = await subscribed(options, resumed)
    await reception.open()
    const both = [message('a', { id: 1 }), message('b', { id: 2 })]
    broker.send(...both)
    expect((await taken()).map(({ text }) => text)).toEqual(['a'])
    broker.cut()
    await broker.hears('subscribe', 2)
    broker.send(...both)
    const texts: string[] = []
    while (texts.at(-1) !== 'b') {
      for (const { text, one } of await taken()) {
        texts.push(text)
        one.ack()
      }
    }
    expect(texts).toEqual(['a', 'b'])
  })

  it.each([
    [1, 'end'],
    [1, 'reset'],
    [2, 'end'],
    [2, 'reset'],
  ] as const)(
    'continues to deliver, with QoS %i, if a full inbox left a PUBREL unread when the connection was lost (TCP %s)',
    async (qos, how) => {
      const options = { prefetch: 1, durable: true, clientId: 'keeper', qos }
      const { broker, reception, taken } = await subscribed(options, { ...resumed, pubrec: () => undefined })
      await reception.open()
      // The first message fills the inbox, so mqtt.js delays the PUBREL until that message is settled.
      broker.send(message('a', { id: 1, qos }), packet('pubrel', [0, 9], 2))
      const [first] = await taken()
      broker.cut(how)
      await broker.hears('subscribe', 2)
      first?.one.ack()
      await quiet()
      broker.send(message('b', { id: 2, qos }))
      expect((await taken()).map(({ text }) => text)).toEqual(['b'])
    },
  )

  /** Returns the messages delivered after a connection was lost: one that was received before and not released, and another. */
  async function givenAgain(answers: NonNullable<Parameters<typeof subscribed>[1]>) {
    const options = { durable: true, clientId: 'keeper', qos: 2 } as const
    const { broker, reception, taken } = await subscribed(options, { ...answers, pubrec: () => undefined })
    await reception.open()
    broker.send(message('a', { qos: 2, id: 5 }))
    for (const { one } of await taken()) one.ack()
    await broker.hears('pubrec')
    broker.cut()
    await broker.hears('subscribe', 2)
    broker.send(message('a', { qos: 2, id: 5, dup: true }), message('b', { qos: 2, id: 6 }))
    return (await taken()).map(({ text }) => text)
  }

  it('remembers unreleased QoS 2 messages exactly if the broker keeps the session', async () => {
    expect(await givenAgain(resumed)).toEqual(['b'])
    expect(await givenAgain({})).toEqual(['a', 'b'])
  })

  it('remembers unreleased QoS 2 messages even if the broker, being busy, refused an attempt to connect', async () => {
    const connacks = [
      [0, 0],
      [0, 3],
      [1, 0],
    ]
    const busy = {
      connect: ({ connection }: { connection: number }) => packet('connack', connacks[connection] ?? []),
    }
    expect(await givenAgain(busy)).toEqual(['b'])
  })
})

describe('an mqtt subscription whose session the broker has forgotten', () => {
  /** Answers of a broker that first forgets the session, and then keeps the new one. */
  const forgetful = { connect: ({ connection }: Heard) => packet('connack', [connection > 1 ? 1 : 0, 0]) }

  it('still delivers the messages that it received earlier, however often the connection is lost', async () => {
    const { broker, reception, taken } = await subscribed({ durable: true, clientId: 'keeper' }, forgetful)
    await reception.open()
    broker.send(message('in hand', { id: 1 }))
    const [held] = await taken()
    broker.send(message('waited', { id: 2 }))
    await vi.waitFor(() => expect(reception.window.maxObserved).toBe(2))
    for (const times of [2, 3]) {
      broker.cut()
      await broker.hears('subscribe', times)
    }
    expect(held?.one.withdrawn).toBe(false)
    expect((await taken()).map(({ text }) => text)).toEqual(['waited'])
  })

  it.each([
    [{}, true, ['keeper']],
    [resumed, true, []],
    [{}, false, []],
  ])(
    'logs the loss of a session only if the session is durable: CONNACK %j, durable: %j, logged clientIds: %j',
    async (answers, durable, told) => {
      const warn = vi.fn()
      const logger = { debug() {}, info() {}, warn, error() {} }
      const { broker, reception } = await subscribed({ durable, clientId: 'keeper' }, answers, logger)
      await reception.open()
      broker.cut()
      await broker.hears('subscribe', 2)
      const forgotten = warn.mock.calls.filter(([, text]) => /has forgotten the subscription/.test(text))
      expect(forgotten.map(([{ clientId }]) => clientId)).toEqual(told)
    },
  )

  it('sends no late acknowledgement with a packet id of the old session', async () => {
    const { broker, reception, taken } = await subscribed({ qos: 2 })
    await reception.open()
    broker.send(message('a', { qos: 2, id: 5 }))
    const [late] = await taken()
    broker.cut()
    await broker.hears('subscribe', 2)
    late?.one.ack()
    broker.send(message('b', { qos: 2, id: 5 }), message('c', { qos: 2, id: 6 }))
    const texts: string[] = []
    while (texts.at(-1) !== 'c') texts.push(...(await taken()).map(({ text }) => text))
    expect(texts).toEqual(['b', 'c'])
    expect(answersOf(broker)).toEqual([])
  })
})

describe('an mqtt subscription that ends', () => {
  it('waits until the broker has its acknowledgements, and reports once that it is offline', async () => {
    const { broker, reception, taken, told } = await subscribed()
    await reception.open()
    const reasons: unknown[] = []
    reception.addEventListener('offline', (event) => void reasons.push((event as CustomEvent).detail))
    broker.send(message('a'))
    for (const { one } of await taken()) one.ack()
    await Promise.all([reception.close(), reception.close()])
    const names = broker.heard.map(({ name }) => name)
    expect(names.slice(0, 5)).toEqual(['connect', 'subscribe', 'puback', 'pingreq', 'disconnect'])
    expect(told).toEqual(['online', 'offline'])
    expect(reasons).toMatchObject([{ code: 'STREAM_CLOSED', message: 'mqtt: the subscription is closed' }])
    expect(await reception.take()).toEqual([])
  })

  it('waits at most a second for its last acknowledgements', async () => {
    const { broker, reception, taken } = await subscribed({}, { pingreq: () => undefined })
    await reception.open()
    broker.send(message('a'))
    for (const { one } of await taken()) one.ack()
    const began = performance.now()
    await reception.close()
    expect(performance.now() - began).toBeGreaterThan(900)
  })

  it('makes no connection if it is closed before it is opened', async () => {
    const { broker, reception, told } = await subscribed()
    await reception.close()
    await expect(reception.open()).rejects.toMatchObject({ code: 'STREAM_CLOSED' })
    expect(await reception.take()).toEqual([])
    expect([broker.heard, told]).toEqual([[], []])
  })

  it('unsubscribes from its group first, and waits until the messages that it has received are settled', async () => {
    const { broker, reception, taken } = await subscribed({ topic: ['a', 'b'], group: 'team' })
    await reception.open()
    broker.send(message('a', { topic: 'a' }))
    const arrivals = await taken()
    await reception.leave()
    const [left] = await broker.hears('unsubscribe')
    expect(left?.text).toMatch(/\$share\/team\/a.*\$share\/team\/b$/s)
    let isDrained = false
    const drained = reception.drained().then(() => {
      isDrained = true
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(isDrained).toBe(false)
    for (const { one } of arrivals) one.ack()
    await drained
    expect(broker.heard.some(({ name }) => name === 'pingreq')).toBe(true)
  })

  it('delivers messages that still arrive after it has left its group', async () => {
    const more = [message('later', { topic: 'a', id: 2 })]
    const { broker, reception, taken } = await subscribed(
      { topic: 'a', group: 'team' },
      { pingreq: () => Buffer.concat([...more.splice(0), packet('pingresp', [])]) },
    )
    await reception.open()
    await reception.leave()
    const drained = reception.drained()
    const [later] = await taken()
    expect(later?.text).toBe('later')
    later?.one.ack()
    await drained
    expect(answersOf(broker)).toEqual([['puback', 2]])
  })

  it('does not unsubscribe or drain if it has no group', async () => {
    const { broker, reception } = await subscribed()
    await reception.leave()
    await reception.open()
    await reception.leave()
    await reception.drained()
    expect(broker.heard.map(({ name }) => name)).toEqual(['connect', 'subscribe'])
  })
})
