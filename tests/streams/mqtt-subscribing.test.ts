// @node-only: its broker listens on a plain socket

import { describe, expect, it, vi } from 'vitest'
import { type Answer, filtersOf, message, packet } from '../brokers/scripted.js'
import { subscribed } from '../support/subscribed.js'

/** Collects a broker's answers in MQTT 5, for the test to send. */
function answeringLater(): { waiting: Uint8Array[]; subscribe: Answer } {
  const waiting: Uint8Array[] = []
  const subscribe: Answer = ({ body }) => {
    waiting.push(packet('suback', [...body.slice(0, 2), 0, 1]))
    return undefined
  }
  return { waiting, subscribe }
}

const suback =
  (version: 4 | 5, ...codes: number[]): Answer =>
  ({ body }) =>
    packet('suback', [...body.slice(0, 2), ...(version === 5 ? [0] : []), ...codes])

describe('an MQTT subscribe request', () => {
  it.each([0, 1, 2] as const)('names each of the filters, with QoS %i', async (qos) => {
    const { broker, reception } = await subscribed({ topic: ['a', 'b/+', 'b/c'], qos })
    await reception.open()
    const [asked] = await broker.hears('subscribe')
    expect(asked && filtersOf(asked, false)).toEqual(['a', 'b/+'].map((filter) => ({ filter, options: qos })))
  })

  it('for a group contains filters of the form $share/group/filter', async () => {
    const { broker, reception } = await subscribed({ topic: ['a', 'b'], group: 'team' })
    await reception.open()
    const [asked] = await broker.hears('subscribe')
    expect(asked && filtersOf(asked, false).map(({ filter }) => filter)).toEqual([
      '$share/team/a',
      '$share/team/b',
    ])
  })

  it('in MQTT 5 requests retained messages only if the subscription is new, and numbers overlapping filters', async () => {
    const { broker, reception } = await subscribed({ topic: ['a/+', '+/b', 'c'], protocolVersion: 5 })
    await reception.open()
    const asked = await broker.hears('subscribe', 3)
    // Retain Handling is 1, in bits 4 and 5.
    const filters = asked.map((one) => filtersOf(one, true))
    expect(filters).toEqual([
      [{ filter: 'c', options: 0b01_0001 }],
      [{ filter: 'a/+', options: 0b01_0001 }],
      [{ filter: '+/b', options: 0b01_0001 }],
    ])
    expect(asked.map(({ body }) => body.slice(2, 2 + 1 + (body[2] as number)))).toEqual([
      [0],
      [2, 11, 1],
      [2, 11, 2],
    ])
  })

  it('has at least one filter in each packet in MQTT 5, even if all filters overlap', async () => {
    const { broker, reception } = await subscribed({ topic: ['a/+', '+/b'], protocolVersion: 5 })
    await reception.open()
    expect(await broker.hears('subscribe')).toHaveLength(2)
  })

  it('is answered when the last of its packets is answered', async () => {
    const { waiting, subscribe } = answeringLater()
    const { broker, reception, told } = await subscribed(
      { topic: ['a/+', '+/b'], protocolVersion: 5 },
      { subscribe },
    )
    const opening = reception.open()
    await broker.hears('subscribe', 2)
    broker.send(...waiting.splice(0, 1))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(told).toEqual([])
    broker.send(...waiting)
    await opening
    expect(told).toEqual(['online'])
  })

  it('is not considered accepted by the arrival of a message while several packets of the request are unanswered', async () => {
    const { waiting, subscribe } = answeringLater()
    const { broker, reception, told, taken } = await subscribed(
      { topic: ['a/+', '+/b'], protocolVersion: 5 },
      { subscribe },
    )
    const opening = reception.open()
    await broker.hears('subscribe', 2)
    // The message has no properties: the byte behind the packet id is their length, 0.
    broker.send(message('early', { topic: 'a/c', properties: [0] }))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(told).toEqual([])
    broker.send(...waiting)
    await opening
    expect((await taken()).map(({ text }) => text)).toEqual(['early'])
  })

  it.each([1, 64])(
    'is considered accepted when a message arrives before the answer, with a prefetch of %i',
    async (prefetch) => {
      const { broker, reception, taken } = await subscribed(
        { prefetch },
        { subscribe: () => message('before the answer') },
      )
      await reception.open()
      expect((await taken()).map(({ text }) => text)).toEqual(['before the answer'])
      expect(broker.heard.map(({ name }) => name)).toEqual(['connect', 'subscribe'])
    },
  )

  it('makes open() reject if it is not answered within connectTimeoutMs', async () => {
    const { broker, reception, told } = await subscribed(
      { connectTimeoutMs: 1_000 },
      { subscribe: () => undefined },
    )
    await expect(reception.open()).rejects.toMatchObject({
      code: 'STREAM_UNREACHABLE',
      message: `mqtt: expected ${broker.url} to answer SUBSCRIBE, got: no answer within 1000 ms`,
      cause: new Error('no answer within 1000 ms'),
    })
    expect(told).toEqual([])
  })

  it.each([
    [5, 0x80, 'STREAM_UNAVAILABLE', 'Unspecified error'],
    [5, 0x83, 'STREAM_UNAVAILABLE', 'Implementation specific error'],
    [5, 0x87, 'STREAM_UNAVAILABLE', 'Not authorized'],
    [5, 0x8f, 'STREAM_REFUSED', 'Topic Filter invalid'],
    [5, 0x91, 'STREAM_UNAVAILABLE', 'Packet Identifier in use'],
    [5, 0x97, 'STREAM_UNAVAILABLE', 'Quota exceeded'],
    [5, 0x9e, 'STREAM_REFUSED', 'Shared Subscriptions not supported'],
    [5, 0xa1, 'STREAM_REFUSED', 'Subscription Identifiers not supported'],
    [5, 0xa2, 'STREAM_REFUSED', 'Wildcard Subscriptions not supported'],
    [4, 0x80, 'STREAM_UNAVAILABLE', 'Unspecified error'],
  ] as const)(
    'is refused in version %i by reason code %i, and makes open() and take() reject',
    async (version, answered, code, name) => {
      const { reception } = await subscribed(
        { topic: ['a', 'b"'], protocolVersion: version },
        { subscribe: suback(version, 1, answered) },
      )
      const error = await reception.open().catch((thrown: unknown) => thrown)
      const shown = `${name} (reason code 0x${answered.toString(16).toUpperCase()})`
      expect(error).toMatchObject({
        code,
        message: `topic: expected the broker to accept the subscription, got ${shown} for "b\\""`,
      })
      await expect(reception.take()).rejects.toBe(error)
      expect(await reception.take()).toEqual([])
    },
  )

  it.each([4, 5] as const)(
    'counts as refused if the broker grants a lower QoS, in version %i',
    async (version) => {
      const { reception } = await subscribed(
        { topic: ['a', 'b'], protocolVersion: version },
        { subscribe: suback(version, 1, 0) },
      )
      await expect(reception.open()).rejects.toMatchObject({
        code: 'STREAM_REFUSED',
        message: expect.stringMatching(
          /^qos: expected at most 0, which this broker grants for "b", got 1, with which /,
        ),
      })
    },
  )

  it('succeeds if the broker grants a higher QoS than requested', async () => {
    const { reception } = await subscribed({ qos: 0 }, { subscribe: suback(4, 1) })
    await reception.open()
  })

  it('makes open() reject if the broker answers it with a DISCONNECT that refuses a filter', async () => {
    const { broker, reception } = await subscribed(
      { protocolVersion: 5 },
      { subscribe: () => packet('disconnect', [0xa2, 0]) },
    )
    void broker.hears('subscribe').then(() => broker.cut())
    const error = await reception.open().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'STREAM_REFUSED',
      message: expect.stringContaining('got Wildcard Subscriptions not supported (reason code 0xA2) for "t"'),
    })
    await expect(reception.take()).rejects.toBe(error)
  })
})

describe('a subscription that the broker refuses after a lost connection', () => {
  /** Accepts the first subscription, and then refuses as often as the test says. */
  async function reconnecting(version: 4 | 5, code: number, times: number) {
    let asked = 0
    const given = await subscribed(
      { protocolVersion: version },
      {
        subscribe: (heard) => {
          const isRefused = asked > 0 && asked <= times
          asked++
          return suback(version, isRefused ? code : 1)(heard)
        },
      },
    )
    await given.reception.open()
    given.broker.cut()
    return given
  }

  it.each([
    [4, 0x80],
    [5, 0x80],
    [5, 0x83],
    [5, 0x87],
    [5, 0x91],
    [5, 0x97],
  ] as const)(
    'is requested again in version %i after reason code %i, and continues',
    async (version, code) => {
      const { broker, reception, told, taken } = await reconnecting(version, code, 1)
      await broker.hears('subscribe', 3)
      await vi.waitFor(() => expect(told).toEqual(['online', 'offline', 'offline', 'online']))
      broker.send(message('still here', { properties: version === 5 ? [0] : [] }))
      expect((await taken()).map(({ text }) => text)).toEqual(['still here'])
      await reception.close()
    },
  )

  it.each([
    [4, 0, /^qos: expected at most 0, /],
    [5, 0, /^qos: expected at most 0, /],
    [5, 0x8f, /Topic Filter invalid/],
    [5, 0x9e, /Shared Subscriptions not supported/],
    [5, 0xa2, /Wildcard Subscriptions not supported/],
  ] as const)('ends with the reason in version %i after reason code %i', async (version, code, text) => {
    const { broker, reception } = await reconnecting(version, code, Number.POSITIVE_INFINITY)
    const error = await reception.take().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'STREAM_REFUSED', message: expect.stringMatching(text) })
    expect(await reception.take()).toEqual([])
    expect(broker.heard.filter(({ name }) => name === 'subscribe')).toHaveLength(2)
  })

  it('is requested again if the SUBACK with the refusal arrives after the first message', async () => {
    let asked = 0
    const { broker, reception, told } = await subscribed(
      {},
      { subscribe: (heard) => (asked++ === 0 ? message('early') : suback(4, 1)(heard)) },
    )
    await reception.open()
    const [first] = await broker.hears('subscribe')
    broker.send(packet('suback', [...(first?.body.slice(0, 2) ?? []), 0x80]))
    await broker.hears('subscribe', 2)
    await vi.waitFor(() => expect(told).toEqual(['online', 'offline', 'online']))
  })
})
