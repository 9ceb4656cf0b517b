import { describe, expect, it } from 'vitest'
import { type Answer, filtersOf, message, packet } from '../brokers/scripted.js'
import { subscribed } from '../support/subscribed.js'

/** Keeps what a broker answers in MQTT 5, for the test to send. */
function answeringLater(): { waiting: Uint8Array[]; subscribe: Answer } {
  const waiting: Uint8Array[] = []
  const subscribe: Answer = ({ body }) => {
    waiting.push(packet('suback', [...body.slice(0, 2), 0, 1]))
    return undefined
  }
  return { waiting, subscribe }
}

describe('what is asked of a broker to subscribe', () => {
  it.each([0, 1, 2] as const)('is each of the filters, with QoS %i', async (qos) => {
    const { broker, reception } = await subscribed({ topic: ['a', 'b/+', 'b/c'], qos })
    await reception.open()
    const [asked] = await broker.hears('subscribe')
    expect(asked && filtersOf(asked, false)).toEqual(['a', 'b/+'].map((filter) => ({ filter, options: qos })))
  })

  it('is the share of a group', async () => {
    const { broker, reception } = await subscribed({ topic: ['a', 'b'], group: 'team' })
    await reception.open()
    const [asked] = await broker.hears('subscribe')
    expect(asked && filtersOf(asked, false).map(({ filter }) => filter)).toEqual([
      '$share/team/a',
      '$share/team/b',
    ])
  })

  it('is in MQTT 5 nothing that it had kept, unless that is new, and a name for each filter that overlaps', async () => {
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

  it('is in MQTT 5 no packet without filters, where all of them overlap', async () => {
    const { broker, reception } = await subscribed({ topic: ['a/+', '+/b'], protocolVersion: 5 })
    await reception.open()
    expect(await broker.hears('subscribe')).toHaveLength(2)
  })

  it('is answered when the last of its packets is', async () => {
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

  it('is not proven by a message, where several of its packets are not answered', async () => {
    const { waiting, subscribe } = answeringLater()
    const { broker, reception, told, taken } = await subscribed(
      { topic: ['a/+', '+/b'], protocolVersion: 5 },
      { subscribe },
    )
    const opening = reception.open()
    await broker.hears('subscribe', 2)
    // Without properties, of which the byte behind the packet id says that there are none.
    broker.send(message('early', { topic: 'a/c', properties: [0] }))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(told).toEqual([])
    broker.send(...waiting)
    await opening
    expect((await taken()).map(({ text }) => text)).toEqual(['early'])
  })

  it.each([1, 64])(
    'is proven by a message, with %i in hand at the most, answered or not',
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

  it('is not answered within connectTimeoutMs, which it says', async () => {
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

  it('is refused, which ends it for who takes, too', async () => {
    const { reception } = await subscribed(
      { topic: ['a', 'b"'] },
      { subscribe: ({ body }) => packet('suback', [...body.slice(0, 2), 1, 0x80]) },
    )
    const error = await reception.open().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'STREAM_REFUSED',
      message: expect.stringMatching(
        /^topic: expected the broker to let us subscribe to "a", "b\\"", got: ./,
      ),
      cause: expect.any(Error),
    })
    await expect(reception.take()).rejects.toBe(error)
    expect(await reception.take()).toEqual([])
  })
})
