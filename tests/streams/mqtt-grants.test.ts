// @node-only: its broker listens on a plain socket

import { mqtt } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { packet } from '../brokers/scripted.js'
import { scripted, until } from '../support/scripts.js'
import { subscribed } from '../support/subscribed.js'

// Identifiers of properties (MQTT 5, 2.2.2.2), each with a value.
const SESSION_EXPIRY = (seconds: number) => [0x11, 0, 0, seconds >> 8, seconds & 255]
const ASSIGNED_CLIENT_ID = [0x12, 0, 1, 0x78]
const SERVER_KEEP_ALIVE = [0x13, 0, 60]
const MAXIMUM_QOS = (qos: number) => [0x24, qos]
const NO_RETAIN = [0x25, 0]
const MAXIMUM_PACKET_SIZE = (bytes: number) => [0x27, 0, 0, 0, bytes]
const NO_WILDCARDS = [0x28, 0]
const NO_GROUPS = [0x2a, 0]

const allowing = (properties: readonly number[]) => ({
  connect: () => packet('connack', [0, 0, properties.length, ...properties]),
})
const loggerOf = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() })

describe('a stream that checks its options against CONNACK', () => {
  async function connecting(properties: readonly number[], options: Partial<Parameters<typeof mqtt>[0]>) {
    const broker = await scripted(allowing(properties))
    const stream = mqtt({ url: broker.url, topic: 't', protocolVersion: 5, ...options })
    onTestFinished(() => stream.close())
    return { broker, stream }
  }

  it.each<[string, Parameters<typeof connecting>, RegExp]>([
    ['QoS 1', [MAXIMUM_QOS(0), {}], /^qos: expected 0 or less .*Maximum QoS 0 in CONNACK/],
    ['QoS 2', [MAXIMUM_QOS(1), { qos: 2 }], /^qos: expected 1 or less .*Maximum QoS 1 in CONNACK/],
    [
      'retained messages',
      [NO_RETAIN, { retain: true }],
      /^retain: expected false .*Retain Available 0 in CONNACK/,
    ],
    [
      'a topic that is longer than a packet',
      [MAXIMUM_PACKET_SIZE(20), { topic: ['t', 't'.repeat(20)] }],
      /^topic: expected less than 20 bytes .*Maximum Packet Size 20 in CONNACK/,
    ],
    [
      'a connection without pings',
      [SERVER_KEEP_ALIVE, { keepAliveSeconds: 0 }],
      /^keepAliveSeconds: expected 60 /,
    ],
  ])('does not connect if CONNACK rules out %s', async (_, [properties, options], message) => {
    const { stream } = await connecting(properties, options)
    const refused = { code: 'STREAM_REFUSED', message: expect.stringMatching(message) }
    await expect(stream.connect()).rejects.toMatchObject(refused)
    expect(stream.online).toBe(false)
  })

  it.each<[string, Parameters<typeof connecting>]>([
    ['QoS 0', [MAXIMUM_QOS(0), { qos: 0 }]],
    ['QoS 1', [MAXIMUM_QOS(1), {}]],
    ['a message that is not retained', [NO_RETAIN, {}]],
    ['a topic that fits', [MAXIMUM_PACKET_SIZE(20), {}]],
    ['pings', [SERVER_KEEP_ALIVE, {}]],
  ])('connects if CONNACK permits %s', async (_, given) => {
    const { stream } = await connecting(...given)
    await stream.connect()
    expect(stream.online).toBe(true)
  })

  it('states in stats() why CONNACK keeps it offline after a reconnect', async () => {
    let count = 0
    const broker = await scripted({
      connect: () => (count++ === 0 ? packet('connack', [0, 0, 0]) : allowing(MAXIMUM_QOS(0)).connect()),
    })
    const stream = mqtt({ url: broker.url, topic: 't', protocolVersion: 5 })
    onTestFinished(() => stream.close())
    await stream.connect()
    broker.cut()
    await until(() => stream.stats().lastError?.startsWith('qos: ') === true)
    expect(stream.online).toBe(false)
  })
})

describe('a subscription that checks its options against CONNACK', () => {
  type Options = Parameters<typeof subscribed>[0]
  const opening = (properties: readonly number[], options: Options) =>
    subscribed({ protocolVersion: 5, ...options }, allowing(properties))
  const durable = { durable: true, clientId: 'archive-1' }

  it.each<[string, readonly number[], Options, RegExp]>([
    ['a durable session', SESSION_EXPIRY(0), durable, /^durable: expected false .*Session Expiry Interval 0/],
    [
      'the clientId of a durable session',
      ASSIGNED_CLIENT_ID,
      durable,
      /^clientId: expected "x" .*another name assigned/,
    ],
    ['a group', NO_GROUPS, { group: 'team' }, /^group: cannot be used .*Shared Subscription Available 0/],
    ['wildcards', NO_WILDCARDS, { topic: ['t', 'a/+'] }, /^topic: expected filters without \+ and # /],
    [
      'a connection without pings',
      SERVER_KEEP_ALIVE,
      { keepAliveSeconds: 0 },
      /^keepAliveSeconds: expected 60 /,
    ],
  ])('does not open if CONNACK rules out %s', async (_, properties, options, message) => {
    const { reception, broker } = await opening(properties, options)
    const error = await reception.open().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'STREAM_REFUSED', message: expect.stringMatching(message) })
    await expect(reception.take()).rejects.toBe(error)
    expect(broker.heard.map(({ name }) => name)).not.toContain('subscribe')
  })

  it.each<[string, readonly number[], Options]>([
    ['a session', SESSION_EXPIRY(0), {}],
    ['groups', NO_GROUPS, {}],
    ['wildcards', NO_WILDCARDS, {}],
    ['a chosen clientId', ASSIGNED_CLIENT_ID, {}],
  ])('opens if CONNACK rules out only %s, which the options do not need', async (_, properties, options) => {
    const { reception } = await opening(properties, options)
    await reception.open()
  })

  it('logs for how many seconds the broker keeps the subscription, if the broker limits that time', async () => {
    const logger = loggerOf()
    const { reception } = await subscribed(
      { protocolVersion: 5, ...durable },
      allowing(SESSION_EXPIRY(7_200)),
      logger,
    )
    await reception.open()
    expect(logger.warn.mock.calls).toEqual([
      [{ seconds: 7_200 }, 'mqtt: the broker keeps a subscription no longer than that'],
    ])
  })
})
