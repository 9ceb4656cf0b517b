// @not-firefox: Chromium shows the transport of browsers, and mqtt.test.ts that Firefox has it

import { type SubscribeOptions, subscribe } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { brokers } from '../brokers/brokers.js'
import { startMosquitto } from '../brokers/mosquitto.js'
import { startNetwork } from '../brokers/network.js'
import { utf8 as bytes } from '../support/bytes.js'
import { receiving, sender, take } from '../support/receiving.js'
import { keyring } from '../support/sdk.js'

describe.each(brokers)('receive() for MQTT, with $name,', ({ start }) => {
  async function fresh() {
    const broker = await start()
    onTestFinished(broker.stop)
    return broker
  }

  it.each([0, 1, 2] as const)('delivers with QoS %i every message since open(), in order', async (qos) => {
    const { url } = await fresh()
    const messages = receiving({ url, topic: 'a/+', qos })
    await messages.open()
    const stream = await sender(url, 'a/b', qos)
    const expected = Array.from({ length: 1_000 }, (_, i) => `message ${i}`)
    for (const one of expected) void stream.publish(bytes(one))
    expect(await take(messages, 1_000)).toEqual(expected)
  })

  it('returns each message with its topic', async () => {
    const { url } = await fresh()
    const messages = receiving({ url, topic: ['a/#', 'b'] })
    await messages.open()
    await (await sender(url, 'a/b/c')).publish(bytes('x'))
    expect(await messages.next()).toMatchObject({ value: { topic: 'a/b/c' } })
  })

  // claim: verifying-8
  it('subscribes again when the broker is back', async () => {
    const broker = await fresh()
    const messages = receiving({ url: broker.url, topic: 't' })
    await messages.open()
    await broker.kill()
    await broker.restart()
    const stream = await sender(broker.url, 't')
    // There is no event for the new subscription, so publish until a message arrives.
    const first = messages.next()
    const calling = setInterval(() => void stream.publish(bytes('are you there?')), 20)
    onTestFinished(async () => clearInterval(calling))
    expect(await first).toMatchObject({ done: false })
  })

  it('ends the loop when it is closed', async () => {
    const { url } = await fresh()
    const messages = receiving({ url, topic: 't' })
    await messages.open()
    const waiting = messages.next()
    await messages.close()
    expect(await waiting).toEqual({ done: true, value: undefined })
  })

  it('delivers with a durable subscription the messages that arrived while the client was away', async () => {
    const { url } = await fresh()
    const options = { url, topic: 't', durable: true, clientId: 'keeper' }
    const before = receiving(options)
    await before.open()
    await before.close()
    await (await sender(url, 't')).publish(bytes('while you were out'))
    const after = receiving(options)
    await after.open()
    expect(await take(after, 1)).toEqual(['while you were out'])
  })
})

describe('receive() for MQTT, over a real network,', () => {
  it.each([1, 2] as const)(
    'loses no message with QoS %i and a durable subscription when the network fails',
    async (qos) => {
      const broker = await startMosquitto()
      onTestFinished(broker.stop)
      const network = await startNetwork(broker.url)
      onTestFinished(network.stop)
      const options = { url: network.url, topic: 't', qos, durable: true, clientId: 'keeper' }
      const messages = receiving(options)
      await messages.open()
      const stream = await sender(broker.url, 't', 2)
      const all = Array.from({ length: 2_000 }, (_, i) => `message ${i}`)
      const published = Promise.all(all.map((one) => stream.publish(bytes(one))))
      const seen = new Set<string>()
      for (const stopAt of [300, 900, 2_000]) {
        while (seen.size < stopAt) for (const one of await take(messages, 1)) seen.add(one)
        await network.fail()
        await network.recover()
      }
      await published
      expect(seen).toEqual(new Set(all))
    },
  )

  it('shares messages among the members of a group', async () => {
    const broker = await startMosquitto()
    onTestFinished(broker.stop)
    const options = { url: broker.url, topic: 't', group: 'team' }
    const [one, other] = [receiving(options), receiving(options)]
    await Promise.all([one.open(), other.open()])
    const stream = await sender(broker.url, 't')
    await Promise.all(['1', '2', '3', '4'].map((name) => stream.publish(bytes(name))))
    const taken = [...(await take(one, 2)), ...(await take(other, 2))]
    expect(taken.sort()).toEqual(['1', '2', '3', '4'])
  })

  it('rejects next() and open() if the broker cannot be reached', async () => {
    const messages = receiving({ url: 'ws://127.0.0.1:1', topic: 't' })
    await expect(messages.next()).rejects.toMatchObject({ code: 'STREAM_UNREACHABLE' })
    expect(await messages.next()).toEqual({ done: true, value: undefined })
    await expect(messages.open()).rejects.toMatchObject({ code: 'STREAM_UNREACHABLE' })
  })
})

describe('the options of an MQTT subscription', () => {
  const subscribing = (options: object) => () =>
    subscribe({ url: 'ws://127.0.0.1:1', clientId: 'a', keyring, ...options } as SubscribeOptions)

  it.each(['#', '+', '+/+/#', 'a/#', '+/b', 'a/+/c', 'abc/+/def', 'a//b', '/', '/a', 'a/', 'abc/def/#'])(
    'allow the topic filter %s',
    (topic) => {
      expect(subscribing({ topic })).not.toThrow()
    },
  )

  it.each(['a#', '#a', '##', '#/a', 'a/#/b', 'a/b#', 'a+', '+a', 'a+/b', 'a/+b', 'a/b+/c', 'a/++'])(
    'do not allow the topic filter %s',
    (topic) => {
      expect(subscribing({ topic })).toThrow(
        `topic.0: expected a topic filter with + and # only as whole levels, # last, got "${topic}"`,
      )
    },
  )

  it.each([
    [{ group: 'x/y' }, 'group'],
    [{ prefetch: 0 }, 'prefetch'],
    [{ qos: 0, durable: true }, 'durable: cannot be combined with qos 0: no broker keeps such messages'],
  ])('are refused with an error that names the option: %o', (options, text) => {
    const failing = { code: 'CONFIG_INVALID', message: expect.stringContaining(text) }
    expect(subscribing({ topic: 't', ...options })).toThrow(expect.objectContaining(failing))
  })

  it('need no clientId with QoS 0, because brokers store no messages with QoS 0', () => {
    expect(subscribing({ topic: 't', clientId: undefined, qos: 0 })).not.toThrow()
  })
})
