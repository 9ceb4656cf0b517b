// @own-process: it stops the clock
// @node-only: its broker listens on a plain socket

import { mqtt } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { packet, type ScriptedBroker } from '../brokers/scripted.js'
import { utf8 } from '../support/bytes.js'
import { codes } from '../support/codes.js'
import { ACCEPTED, type Answers, connects, REFUSED, scripted, until } from '../support/scripts.js'

describe('an mqtt stream', () => {
  const message = utf8('hello')
  const acknowledging: Answers = { publish: ({ body }) => packet('puback', body.slice(3, 5)) }

  async function streaming(
    options: Partial<Parameters<typeof mqtt>[0]> = {},
    answers: Answers = acknowledging,
  ) {
    const broker = await scripted(answers)
    const stream = mqtt({ url: broker.url, topic: 't', protocolVersion: 4, closeTimeoutMs: 1, ...options })
    onTestFinished(() => stream.close())
    const told: string[] = []
    stream.addEventListener('online', () => void told.push('online'))
    stream.addEventListener('offline', ({ detail }) => void told.push(`offline: ${detail.message}`))
    return { broker, stream, told }
  }

  /** Returns the delay before each reconnection, after connections on which a message was sent. */
  async function waits(losses: number, options: Partial<Parameters<typeof mqtt>[0]> = {}) {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const timers = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => void vi.restoreAllMocks())
    const { broker, stream, told } = await streaming(options)
    await stream.connect()
    for (let times = 1; times <= losses; times++) {
      await stream.publish(message)
      broker.cut()
      await until(() => told.length === 2 * times + 1)
    }
    return timers.mock.calls.flatMap(([, ms = 0]) => (ms >= 200 && ms <= 800 ? [ms] : []))
  }

  it('reports that it is online, or the reason why it is not', async () => {
    const { broker, stream, told } = await streaming()
    expect([stream.online, stream.stats().online, stream.stats().reconnects]).toEqual([false, false, 0])
    await stream.connect()
    expect([stream.online, stream.stats().online, stream.stats().reconnects]).toEqual([true, true, 0])
    expect(Object.isFrozen(stream.stats())).toBe(true)
    broker.cut()
    await until(() => told.length === 2)
    expect(stream.stats()).toMatchObject({ online: false, lastError: 'the connection was closed' })
    await until(() => told.length === 3)
    expect(stream.stats()).toMatchObject({ online: true, reconnects: 1 })
    await stream.close()
    const closed = 'offline: mqtt: the stream is closed'
    expect(told).toEqual(['online', 'offline: the connection was closed', 'online', closed])
  })

  it.each([
    ['the broker allows', {}, 2],
    ['its options allow', { maxInFlight: 1 }, 1],
  ])('has no more messages in flight than %s', async (_, options, most) => {
    const properties = [0x21, 0, 2]
    const { broker, stream } = await streaming(
      { protocolVersion: 5, ...options },
      { connect: () => packet('connack', [0, 0, properties.length, ...properties]) },
    )
    await stream.connect()
    void codes(Array.from({ length: 5 }, () => stream.publish(message)))
    await broker.hears('publish', most)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([await broker.hears('publish'), stream.stats().inFlight]).toMatchObject([{ length: most }, most])
  })

  it('reconnects after the shortest wait if the lost connection had an acknowledgement', async () => {
    expect(await waits(3)).toEqual([200, 200, 200])
  })

  it('accepts no message before it is connected or after it is closed', async () => {
    const { stream, told } = await streaming()
    const failing = (text: string) => ({ code: 'STREAM_CLOSED', message: `mqtt: ${text}` })
    const early = failing('the stream is not connected: call connect() first')
    await expect(stream.publish(message)).rejects.toMatchObject(early)
    await stream.ready()
    await stream.close()
    const late = failing('the stream is closed')
    for (const call of [stream.publish(message), stream.connect(), stream.ready()])
      await expect(call).rejects.toMatchObject(late)
    expect(told).toEqual([])
  })

  it('sends, in the order of the calls, the messages that were published while connect() was still running', async () => {
    const { broker, stream } = await streaming()
    const texts = ['1', '2', '3', '4']
    const connecting = stream.connect()
    const calls = texts.slice(0, 3).map((text) => stream.publish(utf8(text)))
    await connecting
    calls.push(stream.publish(utf8('4')))
    await Promise.all(calls)
    const sent = await broker.hears('publish', 4)
    expect(sent.map(({ body }) => String.fromCharCode(body.at(-1) ?? 0))).toEqual(texts)
  })

  it('sends the messages that were published while connect() was still running, even if an earlier connect() failed', async () => {
    const { broker, stream } = await streaming()
    await expect(stream.connect({ signal: AbortSignal.abort() })).rejects.toThrow()
    const connecting = stream.connect()
    await Promise.all([stream.publish(utf8('1')), connecting])
    expect(await broker.hears('publish')).toHaveLength(1)
  })

  it('has the same stats() before and after it is connected, except for `online`', async () => {
    const { stream } = await streaming()
    const before = stream.stats()
    await stream.connect()
    expect(stream.stats()).toEqual({ ...before, online: true })
  })

  it('rejects unacknowledged messages when it closes, and names the broker', async () => {
    const { broker, stream } = await streaming({}, {})
    await stream.connect()
    const call = stream.publish(message)
    await broker.hears('publish')
    await stream.close()
    await expect(call).rejects.toMatchObject({
      code: 'STREAM_CLOSED',
      message: `mqtt: the stream was closed before ${broker.url} accepted the message`,
    })
  })

  it('when closed, waits up to closeTimeoutMs for the acknowledgements of the broker', async () => {
    const { broker, stream } = await streaming({ closeTimeoutMs: 5_000 }, {})
    await stream.connect()
    const call = codes([stream.publish(message)])
    const [sent] = await broker.hears('publish')
    const closing = stream.close()
    await new Promise((resolve) => setTimeout(resolve, 20))
    broker.send(packet('puback', sent?.body.slice(3, 5) ?? []))
    await closing
    expect(await call).toEqual(['accepted'])
  })

  it('rejects messages published while it could not connect, and connects at a second call of connect()', async () => {
    let count = 0
    const { broker, stream } = await streaming(
      {},
      { ...acknowledging, connect: () => (count++ === 0 ? REFUSED : ACCEPTED) },
    )
    const connecting = stream.connect()
    const failure = stream.publish(message).catch(({ code, message }) => `${code}: ${message}`)
    const call = Promise.all([failure])
    expect(stream.connect()).toBe(connecting)
    await expect(connecting).rejects.toMatchObject({ code: 'STREAM_UNREACHABLE' })
    expect(await call).toEqual(['STREAM_CLOSED: mqtt: the stream could not connect'])
    await expect(stream.publish(message)).rejects.toThrow('not connected')
    await stream.connect()
    await stream.publish(message)
    expect(connects(broker)).toBe(2)
  })

  it('resends a message while the broker keeps disconnecting, until the broker accepts the message', async () => {
    const hanging: { broker?: ScriptedBroker } = {}
    let isDown = true
    const { broker, stream } = await streaming(
      {},
      {
        publish: ({ body }) => {
          if (!isDown) return packet('puback', body.slice(3, 5))
          hanging.broker?.cut()
          return undefined
        },
      },
    )
    hanging.broker = broker
    await stream.connect()
    const calls = codes(Array.from({ length: 3 }, () => stream.publish(message)))
    await broker.hears('publish', 8)
    isDown = false
    expect(await calls).toEqual(['accepted', 'accepted', 'accepted'])
  })

  it('reports once for each connection that the messages have no subscriber', async () => {
    const { stream } = await streaming(
      { protocolVersion: 5 },
      { publish: ({ body }) => packet('puback', [...body.slice(3, 5), 0x10, 0]) },
    )
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    await stream.connect({ logger })
    expect(await codes([1, 2].map(() => stream.publish(message)))).toEqual(['accepted', 'accepted'])
    expect(logger.warn.mock.calls).toEqual([
      [
        { topic: 't' },
        expect.stringMatching(/^mqtt: the broker accepts messages that nobody subscribes to, /),
      ],
    ])
  })

  it('suspects no message of causing the loss of a connection that it has cut itself', async () => {
    const { stream } = await streaming({ publishTimeoutMs: 1_500 }, { pingreq: () => undefined })
    await stream.connect()
    expect(await codes([stream.publish(message)])).toEqual(['STREAM_TIMEOUT'])
    expect(stream.stats().lastError).toMatch(/^nothing came from the broker for \d+ ms/)
  })

  it('states in the errors of undelivered messages why the broker still cannot be reached', async () => {
    let count = 0
    const { broker, stream, told } = await streaming(
      { publishTimeoutMs: 600 },
      { connect: () => (count++ === 0 ? ACCEPTED : REFUSED) },
    )
    const warn = vi.fn()
    await stream.connect({ logger: { debug: () => {}, info: () => {}, error: () => {}, warn } })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    broker.cut()
    await until(() => told.length === 2)
    const call = expect(stream.publish(message)).rejects.toMatchObject({
      code: 'STREAM_TIMEOUT',
      message: expect.stringMatching(/the broker is not connected: .*Not authorized \(reason code 0x05\)$/),
    })
    vi.advanceTimersByTime(400)
    await until(() => warn.mock.calls.length === 2)
    vi.advanceTimersByTime(200)
    await call
  })

  it('doubles the delay before each reconnect with QoS 0, because no acknowledgement resets the delay', async () => {
    expect(await waits(2, { qos: 0 })).toEqual([200, 400])
  })

  it('names all of its brokers in the error of a message that it could not deliver before close()', async () => {
    const { broker, stream } = await streaming({}, {})
    expect(stream.drainsOnClose).toBe(true)
    expect(() => stream.publish('text' as never)).toThrow(TypeError)
    expect(() => stream.publish('text' as never)).toThrow(/^message: /)
    const both = mqtt({ url: [broker.url, 'ws://127.0.0.1:1'], topic: 't', closeTimeoutMs: 1 })
    await both.connect()
    const call = both.publish(message).catch((error: Error) => error.message)
    await both.close()
    expect(await call).toBe(
      `mqtt: the stream was closed before ${broker.url} or ws://127.0.0.1:1/ accepted the message`,
    )
  })

  it.each([
    [100, { qos: 0, topic: 'ü' }],
    [129, { qos: 0, topic: 't', protocolVersion: 5 }],
    [
      300,
      {
        qos: 1,
        topic: '€'.repeat(9),
        messageExpirySeconds: 9,
        userProperties: { a: '', '🙂': 'x'.repeat(150) },
      },
    ],
  ] as const)(
    'sends packets up to the limit of the broker, %i bytes, and refuses longer ones',
    async (most, options) => {
      const broker = await scripted({
        connect: () => packet('connack', [0, 0, 5, 0x27, 0, 0, most >> 8, most & 0xff]),
        publish: ({ body }) => {
          const at = 2 + (body[1] as number)
          return options.qos === 0 ? undefined : packet('puback', body.slice(at, at + 2))
        },
      })
      const stream = mqtt({ url: broker.url, ...options })
      onTestFinished(() => stream.close())
      await stream.connect()
      const settled = await codes(
        Array.from({ length: most }, (_, length) => stream.publish(new Uint8Array(length))),
      )
      const sent = settled.filter((code) => code === 'accepted').length
      expect(settled).toEqual(settled.map((_, at) => (at < sent ? 'accepted' : 'STREAM_REFUSED')))
      const lengths = (await broker.hears('publish', sent)).map(
        ({ body: { length } }) => 1 + (length < 128 ? 1 : 2) + length,
      )
      expect(lengths).toHaveLength(sent)
      expect(Math.max(...lengths)).toBe(most)
    },
  )
})
