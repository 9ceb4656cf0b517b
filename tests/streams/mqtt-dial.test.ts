// @internal: a stream does not show which of its attempts to connect failed, and why
// @node-only: its broker listens on a plain socket

import type { MqttClient } from 'mqtt'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type DialSettings, dial } from '../../dist/transport/streams/mqtt/dial.js'
import { reasonOf } from '../../dist/transport/streams/mqtt/link.js'
import { message, packet } from '../brokers/scripted.js'
import { countAbortListeners } from '../support/abort-listeners.js'
import { quiet } from '../support/deferred.js'
import { type Answers, scripted } from '../support/scripts.js'

const MAX_PACKET_BYTES = 24 * 1024 * 1024 + 128 * 1024
const u32 = (number: number) => [number >>> 24, (number >> 16) & 255, (number >> 8) & 255, number & 255]

async function dialled(url: string, more: Partial<DialSettings> = {}, signal = new AbortController().signal) {
  const clients: MqttClient[] = []
  const settings: DialSettings = {
    url,
    qos: 1,
    clientId: 'me',
    keepAliveSeconds: 60,
    connectTimeoutMs: 5_000,
    tls: {},
    ...more,
  }
  const link = await dial(settings, { signal, prepare: (client) => void clients.push(client) })
  onTestFinished(() => link.drop(new Error('the test is over')))
  return { link, clients }
}

describe('the CONNECT packet', () => {
  it.each([
    ['only a client id and a clean session, in MQTT 3.1.1', { protocolVersion: 4 }, [4, 0b10, 0, 60]],
    ['a persistent session', { protocolVersion: 4, clean: false }, [4, 0, 0, 60]],
    ['a ping every 300 seconds', { protocolVersion: 4, keepAliveSeconds: 300 }, [4, 0b10, 1, 44]],
    ['no pings', { protocolVersion: 4, keepAliveSeconds: 0 }, [4, 0b10, 0, 0]],
  ] as const)('requests %s', async (_, more, expected) => {
    const broker = await scripted()
    await dialled(broker.url, more)
    expect(broker.heard[0]?.body.slice(6)).toEqual([...expected, 0, 2, 0x6d, 0x65])
  })

  it.each([
    [true, 0],
    [false, 0xffff_ffff],
  ])('requests in MQTT 5 a packet limit, and a session (clean: %s) of %i seconds', async (clean, seconds) => {
    const broker = await scripted()
    const { link } = await dialled(broker.url, { clean, protocolVersion: 5 })
    const properties = [0x11, ...u32(seconds), 0x27, ...u32(MAX_PACKET_BYTES)]
    expect(broker.heard[0]?.body.slice(6, 21)).toEqual([5, clean ? 2 : 0, 0, 60, 10, ...properties])
    expect(link.version).toBe(5)
  })
})

describe('a CONNACK packet', () => {
  it('without properties limits nothing', async () => {
    const { url } = await scripted()
    for (const protocolVersion of [4, 5] as const) {
      const { link } = await dialled(url, { protocolVersion })
      expect(link).toMatchObject({
        version: protocolVersion,
        receiveMaximum: 65_535,
        maximumPacketSize: Number.POSITIVE_INFINITY,
        hasSubscriptionIds: protocolVersion === 5,
      })
    }
  })

  it('limits packets in flight and packet size, and rules out subscription ids, by its properties', async () => {
    const properties = [0x21, 0, 10, 0x27, ...u32(1_000), 0x29, 0]
    const { url } = await scripted({
      connect: () => packet('connack', [0, 0, properties.length, ...properties]),
    })
    const { link } = await dialled(url)
    expect(link).toMatchObject({ receiveMaximum: 10, maximumPacketSize: 1_000, hasSubscriptionIds: false })
  })
})

describe('dialling a broker that does not accept the connection', () => {
  const refused = async (answers: Answers, more: Partial<DialSettings> = {}) => {
    const broker = await scripted(answers)
    const error = await dialled(broker.url, more).catch((thrown: unknown) => thrown)
    return { broker, error }
  }

  it("makes one attempt, and reports the URL of the broker and the broker's reason", async () => {
    const { broker, error } = await refused({ connect: () => packet('connack', [0, 135, 0]) })
    expect(error).toMatchObject({
      code: 'STREAM_UNREACHABLE',
      message: `url: expected a broker at ${broker.url} that accepts the connection, got: Not authorized (reason code 0x87)`,
      cause: { reason: { code: 0x87, about: 'us' } },
    })
    expect(broker.heard.map(({ name }) => name)).toEqual(['connect'])
  })

  it.each([
    ['1', [0, 1]],
    ['132', [0, 132, 0]],
  ])('makes another attempt in MQTT 3.1.1 if the code %s refuses the version', async (_, connack) => {
    const broker = await scripted({
      connect: ({ body }) => packet('connack', body[6] === 5 ? connack : [0, 0]),
    })
    const { link } = await dialled(broker.url)
    expect(link.version).toBe(4)
    expect(broker.heard.map(({ body }) => body[6])).toEqual([5, 4])
  })

  it.each([
    ['in MQTT 5 if the broker disconnects once', 1, [5, 5]],
    ['in MQTT 3.1.1 if the broker disconnects twice', 2, [5, 5, 4]],
  ])('makes another attempt %s', async (_, times, versions) => {
    for (const how of ['end', 'reset'] as const) {
      const broker = await scripted({
        connect: ({ connection, body }) => {
          if (connection >= times) return packet('connack', body[6] === 5 ? [0, 0, 0] : [0, 0])
          broker.cut(how)
          return undefined
        },
      })
      const { link } = await dialled(broker.url)
      expect(broker.heard.map(({ body }) => body[6])).toEqual(versions)
      expect(link.version).toBe(versions.at(-1))
    }
  })

  it('makes no other attempt if the version is refused and no other version is allowed', async () => {
    const { broker, error } = await refused(
      { connect: () => packet('connack', [0, 132, 0]) },
      { protocolVersion: 5 },
    )
    expect(error).toMatchObject({ code: 'STREAM_UNREACHABLE' })
    expect(broker.heard).toHaveLength(1)
  })

  it.each([
    ['HTTP', new TextEncoder().encode('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['TLS', Uint8Array.of(0x15, 3, 1, 0, 2, 2, 40)],
    ['zeros', new Uint8Array(64)],
  ])(
    'ends at once if the answer is not MQTT but %s, although the connection stays open',
    async (_, answer) => {
      // The attempt must end before its timeout of an hour.
      const { broker, error } = await refused({ connect: () => answer }, { connectTimeoutMs: 3_600_000 })
      expect(error).toMatchObject({
        code: 'STREAM_UNREACHABLE',
        message: expect.stringMatching(/, got: something that is not MQTT \(.+\)$/),
      })
      expect(broker.heard).toHaveLength(1)
    },
  )

  it('ends after the time limit, and leaves no listener and no timer', async () => {
    const listeners = countAbortListeners()
    const { broker, error } = await refused({ connect: () => undefined }, { connectTimeoutMs: 1_000 })
    expect(error).toMatchObject({ message: expect.stringMatching(/, got: no answer within 1000 ms$/) })
    await quiet()
    expect(listeners()).toBe(0)
    expect(broker.heard).toHaveLength(1)
  })
})

describe('dialling a broker with a signal', () => {
  it('rejects with the reason of the signal, whatever the broker does', async () => {
    const controller = new AbortController()
    const broker = await scripted({
      connect: () => {
        controller.abort(new Error('enough'))
        return undefined
      },
    })
    await expect(dialled(broker.url, {}, controller.signal)).rejects.toThrow('enough')
  })

  it('makes no connection if the signal has already aborted', async () => {
    const broker = await scripted()
    await expect(dialled(broker.url, {}, AbortSignal.abort(new Error('never')))).rejects.toThrow('never')
    await quiet()
    expect(broker.heard).toEqual([])
  })

  it('keeps the connection if the signal aborts after the broker has answered', async () => {
    const controller = new AbortController()
    const listeners = countAbortListeners()
    const broker = await scripted()
    const { link, clients } = await dialled(broker.url, {}, controller.signal)
    expect(listeners()).toBe(0)
    controller.abort()
    await quiet()
    expect(clients.map(({ connected }) => connected)).toEqual([true])
    expect(link.client).toBe(clients[0])
  })
})

describe('a connection to a broker', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is lost with the reason that the broker sends', async () => {
    const broker = await scripted()
    const { link } = await dialled(broker.url, { protocolVersion: 5 })
    broker.send(packet('disconnect', [0x8b, 0]))
    broker.cut()
    expect(await link.lost).toMatchObject({
      message: 'the broker ended the connection: Server shutting down (reason code 0x8B)',
      reason: { code: 0x8b, about: 'connection' },
    })
  })

  it('is lost without a reason if the broker disconnects', async () => {
    const broker = await scripted()
    const { link } = await dialled(broker.url)
    broker.cut()
    expect((await link.lost).message).toMatch(/^the connection was closed$|ECONNRESET/)
  })

  it('is lost if the broker sends bytes that are not MQTT, and the reason names the invalid bytes', async () => {
    const broker = await scripted()
    const { link } = await dialled(broker.url)
    broker.send(Uint8Array.of(0x4f, 0), packet('disconnect', []))
    expect((await link.lost).message).toMatch(/header flag/)
    expect(link.client.stream.destroyed).toBe(true)
  })

  it('closes its socket when the SDK drops the connection, and is lost with the SDK’s reason', async () => {
    const broker = await scripted()
    const { link } = await dialled(broker.url)
    const reason = new Error('of no use')
    link.drop(reason)
    expect(await link.lost).toBe(reason)
    expect(link.client.stream.destroyed).toBe(true)
  })

  it('sends DISCONNECT before it ends', async () => {
    const broker = await scripted()
    const { link } = await dialled(broker.url)
    const ended = link.end()
    await broker.hears('disconnect')
    await ended
    // The broker closed the connection. A slow goodbye would be cut by us.
    expect(await link.lost).toEqual(new Error('the connection was closed'))
  })

  it('sends DISCONNECT before it ends, even if the consumer has stopped reading', async () => {
    const broker = await scripted()
    const { link } = await dialled(broker.url, { protocolVersion: 4 })
    link.client.handleMessage = () => {}
    broker.send(message('taken by nobody', { qos: 0 }))
    await quiet()
    await link.end()
    await broker.hears('disconnect')
    expect(await link.lost).toEqual(new Error('the connection was closed'))
  })

  it('ends at once and without a DISCONNECT if an acknowledgement is missing', async () => {
    const broker = await scripted()
    const { link } = await dialled(broker.url)
    link.client.publish('t', 'x', { qos: 1 }, () => {})
    await broker.hears('publish')
    await link.end()
    expect(await link.lost).toEqual(new Error('closed by us'))
    expect(broker.heard.map(({ name }) => name)).toEqual(['connect', 'publish'])
  })

  it('does not make mqtt.js store unacknowledged messages, because the SDK stores them', async () => {
    const broker = await scripted()
    const { link } = await dialled(broker.url, { protocolVersion: 4 })
    link.client.publish('t', 'x', { qos: 1 }, () => {})
    await broker.hears('publish')
    const kept: unknown[] = []
    await new Promise<void>((resolve) => {
      const stream = link.client.outgoingStore.createStream()
      stream.on('data', (one: unknown) => void kept.push(one)).on('end', resolve)
    })
    expect(kept).toEqual([])
  })

  it('can be made with the longest connectTimeoutMs', async () => {
    const longest = 2_147_483_647
    const broker = await scripted()
    // A longer delay than timers support would fire at once.
    const { clients } = await dialled(broker.url, { connectTimeoutMs: longest, protocolVersion: 4 })
    expect(clients[0]?.options.connectTimeout).toBe(longest)
  })

  it('does not reconnect by itself', async () => {
    const broker = await scripted()
    const { link, clients } = await dialled(broker.url)
    expect(clients.map(({ options }) => options)).toMatchObject([
      { reconnectPeriod: 0, resubscribe: false, connectTimeout: 6_000 },
    ])
    broker.cut()
    await link.lost
    expect(clients.map(({ reconnecting }) => reconnecting)).toEqual([false])
  })
})

describe('the reason why a broker cannot be reached', () => {
  it.each([
    [new Error('refused'), 'refused'],
    [Object.assign(new Error(''), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [new Error(''), 'unknown reason'],
    ['gone', 'gone'],
  ])('is a readable text for %s: %s', (error, text) => {
    expect(reasonOf(error)).toBe(text)
  })
})
