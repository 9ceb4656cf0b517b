// @node-only: it stops the clock, which the streams of mqtt.js need in browsers

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { mqtt } from 'alvarium-sdk'
import { connectAsync, type IPublishPacket } from 'mqtt'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { startEmbedded } from '../brokers/embedded.js'
import { startMosquitto } from '../brokers/mosquitto.js'
import { startNetwork } from '../brokers/network.js'
import { freePort } from '../brokers/ports.js'
import { startSilent } from '../brokers/silent.js'
import { witness } from '../brokers/witness.js'
import { utf8 } from '../support/bytes.js'
import { codes } from '../support/codes.js'
import { receiving, sender, take } from '../support/receiving.js'
import { until } from '../support/until.js'

async function connected(options: Parameters<typeof mqtt>[0]) {
  const stream = mqtt({ closeTimeoutMs: 100, ...options })
  onTestFinished(() => stream.close())
  await stream.connect()
  const offline = vi.fn((_event: Event) => {})
  stream.addEventListener('offline', offline)
  return { stream, offline }
}

describe('an mqtt stream whose broker, of MQTT 3.1.1, ends the connection over a message', () => {
  it('rejects only that message, and delivers all others', async () => {
    const broker = await startBroker()
    onTestFinished(broker.close)
    broker.aedes.authorizePublish = (_client, { payload }, done) =>
      done(payload.length > 1_000 ? new Error('too long') : null)
    const { stream, offline } = await connected({ url: broker.url, topic: 't', publishTimeoutMs: 40_000 })
    const others = Array.from({ length: 500 }, (_, at) => stream.publish(utf8(`message ${at}`)))
    const long = stream.publish(new Uint8Array(2_000))
    others.push(...Array.from({ length: 500 }, (_, at) => stream.publish(utf8(`later ${at}`))))
    const timer = setInterval(() => others.push(stream.publish(utf8('in between'))), 20)
    onTestFinished(() => clearInterval(timer))
    await expect(long).rejects.toMatchObject({
      code: 'STREAM_SUSPECT',
      message: expect.stringMatching(
        /to accept 2000 bytes for "t", but the connection ended each of the 6 times/,
      ),
    })
    clearInterval(timer)
    expect(new Set(await codes(others))).toEqual(new Set(['accepted']))
    expect(offline).toHaveBeenCalledTimes(6)
    expect(stream.stats()).toMatchObject({ refused: 1 })
  })
})

describe('an mqtt stream whose broker stops answering for a while', () => {
  it('rejects no message, however often the connection is lost', async () => {
    const broker = await startSilent()
    onTestFinished(broker.stop)
    const network = await startNetwork(broker.url)
    onTestFinished(network.stop)
    const { stream } = await connected({ url: network.url, topic: 't' })
    const publish = codes([stream.publish(utf8('not to blame'))])
    for (let times = 0; times < 3; times++) {
      await broker.heard()
      const failed = new Promise((resolve) => stream.addEventListener('offline', resolve, { once: true }))
      const attempts = (await network.connections()) + 1
      await network.fail()
      await failed
      const back = new Promise((resolve) => stream.addEventListener('online', resolve, { once: true }))
      await until(async () => (await network.connections()) >= attempts)
      await new Promise((resolve) => setTimeout(resolve, 20))
      await network.recover()
      await back
    }
    await broker.speak()
    expect(await publish).toEqual(['accepted'])
  })
})

describe('a half-open MQTT connection', () => {
  it('is given up early enough to deliver the message over another connection in time', async () => {
    const broker = await startMosquitto()
    onTestFinished(broker.stop)
    const network = await startNetwork(broker.url)
    onTestFinished(network.stop)
    const { stream, offline } = await connected({ url: network.url, topic: 't', publishTimeoutMs: 6_000 })
    await network.freeze()
    expect(await codes([stream.publish(utf8('into the void'))])).toEqual(['accepted'])
    expect(offline.mock.calls[0]?.[0]).toMatchObject({
      detail: new Error('nothing came from the broker for 3000 ms, not even the answer to a ping'),
    })
  })

  it('is distinguished from a connection whose broker answers only pings', async () => {
    const broker = await startSilent()
    onTestFinished(broker.stop)
    const { stream, offline } = await connected({ url: broker.url, topic: 't', publishTimeoutMs: 2_400 })
    expect(await codes([stream.publish(utf8('unanswered'))])).toEqual(['STREAM_TIMEOUT'])
    expect(offline).not.toHaveBeenCalled()
  })
})

describe('an mqtt stream whose broker sends bytes that are not MQTT', () => {
  it('ends the connection, and reports the reason', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.write(Uint8Array.of(0x20, 2, 0, 0))
        socket.on('data', () => socket.write(Uint8Array.of(0x4f, 0)))
      })
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { stream } = await connected({ url, topic: 't', protocolVersion: 4 })
    const offline = new Promise<Event>((resolve) => stream.addEventListener('offline', resolve))
    void codes([stream.publish(utf8('anything'))])
    expect(await offline).toMatchObject({ detail: { message: expect.stringMatching(/header flag/) } })
  })
})

describe('a message over MQTT 5', () => {
  it('has its media type, its expiry and the properties of the options', async () => {
    const broker = await startMosquitto()
    onTestFinished(broker.stop)
    const consumer = await connectAsync(broker.url, { protocolVersion: 5 })
    onTestFinished(() => consumer.endAsync())
    await consumer.subscribeAsync('t', { qos: 1 })
    const packet = new Promise<IPublishPacket>((resolve) =>
      consumer.on('packetreceive', (one) => {
        if (one.cmd === 'publish') resolve(one)
      }),
    )
    const userProperties = { format: 'alvarium.AnnotationBundle/1' }
    const { stream } = await connected({
      url: broker.url,
      topic: 't',
      messageExpirySeconds: 60,
      sendContentType: true,
      userProperties,
    })
    await stream.publish(utf8('{}'), { contentType: 'application/json' })
    const { properties } = await packet
    expect(properties).toMatchObject({ contentType: 'application/json', messageExpiryInterval: 60 })
    expect({ ...properties?.userProperties }).toEqual(userProperties)
  })
})

describe('an mqtt stream with several brokers', () => {
  it('connects to the first available broker, and to another when that broker fails', async () => {
    const [dead, first, second] = [await startEmbedded(), await startMosquitto(), await startEmbedded()]
    for (const broker of [dead, first, second]) onTestFinished(broker.stop)
    await dead.kill()
    const { stream } = await connected({ url: [dead.url, first.url, second.url], topic: 't' })
    await stream.publish(utf8('to the first'))
    await first.kill()
    // Unlike the first broker, this one supports MQTT 3.1.1 only.
    const consumer = await witness(second.url, 't')
    onTestFinished(consumer.close)
    await stream.publish(utf8('to the second'))
    await consumer.hears('to the second')
    await second.kill()
    await first.restart()
    await stream.publish(utf8('to the first again'))
  })

  it('rejects connect() when no broker is available', async () => {
    const url = [`ws://127.0.0.1:${await freePort()}`, `ws://127.0.0.1:${await freePort()}`]
    await expect(mqtt({ url, topic: 't' }).connect()).rejects.toMatchObject({
      code: 'STREAM_UNREACHABLE',
      message: expect.stringContaining(url[1] as string),
    })
  })

  it('refuses an invalid URL in the list, without a password in the error', () => {
    expect(() => mqtt({ url: ['ws://a', 'ws://u:geheim@b'], topic: 't' })).toThrow(
      /^stream\.url\.1: expected a URL without user and password(?!.*geheim)/,
    )
    expect(() => mqtt({ url: [], topic: 't' })).toThrow('stream.url: expected at least one URL')
  })
})

describe('a subscription whose session Mosquitto has forgotten', () => {
  it.each([1, 2] as const)(
    'still delivers the messages that it had received with QoS %i, even if the network fails once more',
    async (qos) => {
      const broker = await startMosquitto()
      onTestFinished(broker.stop)
      const network = await startNetwork(broker.url)
      onTestFinished(network.stop)
      const messages = receiving({ url: network.url, topic: 't', qos, durable: true, clientId: 'keeper' })
      await messages.open()
      const stream = await sender(broker.url, 't', qos)
      const awayWhile = async (happens: () => Promise<void>) => {
        const online = new Promise((resolve) => messages.addEventListener('online', resolve, { once: true }))
        await network.fail()
        await happens()
        await network.recover()
        await online
      }
      await stream.publish(utf8('in hand'))
      expect(await take(messages, 1)).toEqual(['in hand'])
      await stream.publish(utf8('waits'))
      await vi.waitFor(() => expect(messages.window.maxObserved).toBe(2))
      await awayWhile(async () => {
        await broker.kill()
        await broker.restart()
      })
      await awayWhile(async () => {})
      // The acknowledgement of the message in flight is late: the broker has given its packet id to the next message.
      expect(await take(messages, 1)).toEqual(['waits'])
      await stream.publish(utf8('after'))
      expect(await take(messages, 1)).toEqual(['after'])
    },
  )
})
