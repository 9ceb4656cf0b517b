// @internal: a broker shows only by chance in which order messages are retried
// @own-process: it stops the clock
// @node-only: it stops the clock, and the order that it shows is the same in every engine

import { AlvariumError, generateKey, mqtt, openSdk, source, subscribe } from 'alvarium-sdk'
import { connectAsync } from 'mqtt'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { NoSubscribersError } from '../../dist/transport/streams/mqtt/no-subscribers.js'
import { startMosquitto } from '../../examples/broker/mosquitto.mjs'
import { packet } from '../brokers/scripted.js'
import { utf8 } from '../support/bytes.js'
import { codes } from '../support/codes.js'
import { codeOf, failure } from '../support/failure.js'
import { Connection, lost, queueWith, withStoppedClock } from '../support/queues.js'
import { type Answers, scripted, until } from '../support/scripts.js'

const UNHEARD = [0x10, 0]
const idOf = (body: readonly number[]) => body.slice(3, 5)

describe("a stream with noSubscribers: 'wait'", () => {
  async function waiting(answers: Answers, options: Partial<Parameters<typeof mqtt>[0]> = {}) {
    const broker = await scripted(answers)
    const stream = mqtt({ url: broker.url, topic: 't', closeTimeoutMs: 1, noSubscribers: 'wait', ...options })
    onTestFinished(() => stream.close())
    return { broker, stream }
  }

  it('sends a message again until it has a subscriber', async () => {
    let times = 0
    const publish: Answers['publish'] = ({ body }) =>
      packet('puback', [...idOf(body), ...(++times < 3 ? UNHEARD : [])])
    const { broker, stream } = await waiting({ publish })
    await stream.connect()
    await stream.publish(utf8('hello'))
    expect(broker.heard.filter(({ name }) => name === 'publish')).toHaveLength(3)
    expect(stream.stats()).toMatchObject({ acknowledged: 1, resent: 2, queued: 0 })
  })

  it('sends a message with QoS 2 again until it has a subscriber', async () => {
    let times = 0
    const { stream } = await waiting(
      {
        publish: ({ body }) => packet('pubrec', [...idOf(body), ...(++times < 3 ? UNHEARD : [])]),
        pubrel: ({ body }) => packet('pubcomp', body.slice(0, 2)),
      },
      { qos: 2 },
    )
    await stream.connect()
    await stream.publish(utf8('hello'))
    expect([times, stream.stats().acknowledged]).toEqual([3, 1])
  })

  it('rejects a message after publishTimeoutMs, with the topic that has no subscribers', async () => {
    const { stream } = await waiting(
      { publish: ({ body }) => packet('puback', [...idOf(body), ...UNHEARD]) },
      { publishTimeoutMs: 300 },
    )
    await stream.connect()
    const { code, message } = await failure(() => stream.publish(utf8('hello')))
    expect(code).toBe('STREAM_TIMEOUT')
    expect(message).toBe(
      'mqtt: expected the broker to accept the message within 300 ms, nobody subscribes to "t"',
    )
  })

  it('does not connect to a broker that cannot report missing subscribers', async () => {
    const { stream } = await waiting({
      connect: ({ body }) => packet('connack', body[6] === 5 ? [0, 0x84, 0] : [0, 0]),
    })
    const { code, message } = await failure(() => stream.connect())
    expect(code).toBe('STREAM_REFUSED')
    expect(message).toMatch(/^noSubscribers: expected accept .*MQTT 3\.1\.1/)
  })

  it.each([{ qos: 0 }, { protocolVersion: 4 }] as const)('is refused with %o', async (more) => {
    const options = { url: 'mqtt://broker', topic: 't', noSubscribers: 'wait', ...more } as const
    expect(await codeOf(() => mqtt(options))).toBe('CONFIG_INVALID')
  })

  it('loses no message if Mosquitto has lost the subscription of a group at a restart', async () => {
    const broker = await startMosquitto({ isKept: true })
    onTestFinished(broker.stop)
    const member = { clientId: 'member', clean: false, properties: { sessionExpiryInterval: 3_600 } }
    const client = await connectAsync(broker.tcpUrl, { protocolVersion: 5, ...member })
    await client.subscribeAsync('$share/g/t', { qos: 1 })
    await client.endAsync()
    await broker.terminate()
    await broker.start()
    const { signingKey, verifyingKey } = generateKey()
    const stream = mqtt({ url: broker.tcpUrl, topic: 't', noSubscribers: 'wait' })
    const sdk = await openSdk({ signingKey, annotators: [source()], stream })
    onTestFinished(() => sdk.close())
    const calls = ['a', 'b', 'c'].map((text) => sdk.create(utf8(text)))
    await until(() => (sdk.stats().stream?.resent ?? 0) > 0)
    const where = { url: broker.tcpUrl, topic: 't', group: 'g', clientId: 'member' }
    const ids: string[] = []
    for await (const { id } of subscribe({ ...where, keyring: [verifyingKey] })) {
      if (ids.push(id) === calls.length) break
    }
    expect(ids).toEqual((await Promise.all(calls)).map(({ id }) => id))
  })
})

describe('an MQTT message without subscribers', () => {
  withStoppedClock()

  /** Returns a queue on a connection whose broker reports two messages without subscribers, while a third one waits. */
  function withoutSubscribers() {
    const queue = queueWith()
    const connection = new Connection(2)
    queue.attach(connection)
    const ending = new AbortController()
    const all = codes([
      queue.add(utf8('a'), { signal: ending.signal }),
      ...['b', 'c'].map((text) => queue.add(utf8(text))),
    ])
    for (const answer of connection.answers.splice(0)) answer(new NoSubscribersError())
    return { queue, connection, ending, all }
  }

  it('is retried after 250 ms, before messages that were never sent', async () => {
    const { connection, all } = withoutSubscribers()
    vi.advanceTimersByTime(249)
    expect(connection.sent).toEqual(['a', 'b'])
    vi.advanceTimersByTime(1)
    expect(connection.sent).toEqual(['a', 'b', 'a', 'b'])
    while (connection.answers.length > 0) connection.answers.shift()?.()
    expect(connection.sent).toEqual(['a', 'b', 'a', 'b', 'c'])
    expect(await all).toEqual(['accepted', 'accepted', 'accepted'])
  })

  it('is resent over the next connection, before messages that were never sent', async () => {
    const { queue, all } = withoutSubscribers()
    queue.detach(lost)
    const next = new Connection(3)
    queue.attach(next)
    expect(next.sent).toEqual(['a', 'b', 'c'])
    for (const answer of next.answers) answer()
    expect(await all).toEqual(['accepted', 'accepted', 'accepted'])
  })

  it('is not retried if it was given up', async () => {
    const { connection, ending, all } = withoutSubscribers()
    ending.abort()
    vi.advanceTimersByTime(250)
    expect(connection.sent).toEqual(['a', 'b', 'b', 'c'])
    while (connection.answers.length > 0) connection.answers.shift()?.()
    await all
  })

  it('leaves no timer after the stream is closed', async () => {
    const { queue, all } = withoutSubscribers()
    queue.clear(new AlvariumError('STREAM_CLOSED', 'closed'))
    await all
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is not mentioned in the error of a later timeout if the topic has a subscriber by then', async () => {
    const { queue, connection, all } = withoutSubscribers()
    vi.advanceTimersByTime(250)
    while (connection.answers.length > 0) connection.answers.shift()?.()
    await all
    const late = failure(() => queue.add(utf8('d')))
    vi.advanceTimersByTime(1_000)
    expect((await late).message).not.toContain('nobody')
  })
})
