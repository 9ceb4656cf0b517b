// @node-only: above the connection, all is the same in every engine

import { mqtt } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startMosquitto } from '../brokers/mosquitto.js'
import { type SilentBroker, startSilent } from '../brokers/silent.js'
import { witness } from '../brokers/witness.js'
import { utf8 } from '../support/bytes.js'
import { codes } from '../support/codes.js'

const message = new TextEncoder().encode('0123456789')

async function silentBroker(): Promise<SilentBroker> {
  const broker = await startSilent()
  onTestFinished(broker.stop)
  return broker
}

async function connected(options: Parameters<typeof mqtt>[0]) {
  const stream = mqtt({ closeTimeoutMs: 100, ...options })
  onTestFinished(() => stream.close())
  await stream.connect()
  return stream
}

describe('mqtt', () => {
  describe('with a broker that allows few messages in flight', () => {
    it.each([1, 2] as const)(
      'delivers 5,000 messages with QoS %i through a window of 10, on one connection',
      async (qos) => {
        const broker = await startMosquitto({ config: ['max_inflight_messages 10'] })
        onTestFinished(broker.stop)
        const stream = await connected({ url: broker.url, topic: 't', qos, maxInFlight: 1_000 })
        let lost = 0
        stream.addEventListener('offline', () => lost++)
        const all = Array.from({ length: 5_000 }, () => stream.publish(message))
        expect(new Set(await codes(all))).toEqual(new Set(['accepted']))
        expect(lost).toBe(0)
      },
    )
  })

  describe('with a broker that refuses a message', () => {
    // claim: delivery-2
    it('rejects the call with the reason code of the broker', async () => {
      const acl = '/dev/null'
      const broker = await startMosquitto({ config: [`acl_file ${acl}`] })
      onTestFinished(broker.stop)
      const stream = await connected({ url: broker.url, topic: 'forbidden' })
      const error = await stream.publish(message).catch((thrown) => thrown)
      expect(error).toMatchObject({ code: 'STREAM_UNAVAILABLE' })
      expect(error.message).toContain('Not authorized (reason code 0x87)')
    })
  })

  describe('with a broker that limits its packets', () => {
    it.each(['t', '€'.repeat(100)])(
      'sends the longest message that fits, and not one byte more',
      async (topic) => {
        const broker = await startMosquitto({ config: ['max_packet_size 1000'] })
        onTestFinished(broker.stop)
        const stream = await connected({ url: broker.url, topic })
        const offline = vi.fn()
        stream.addEventListener('offline', offline)
        // A header of three bytes, a topic, a packet id and no properties (MQTT 5, 3.3).
        const most = 1_000 - 3 - (2 + utf8(topic).length) - 2 - 1
        await stream.publish(new Uint8Array(most))
        await expect(stream.publish(new Uint8Array(most + 1))).rejects.toThrow(
          `mqtt: expected a packet of at most 1000 bytes for this broker, got 1001, with a message of ${most + 1}`,
        )
        await stream.publish(message)
        expect(offline).not.toHaveBeenCalled()
      },
    )
  })

  describe('with a broker that acknowledges nothing', () => {
    // claim: delivery-3
    it('refuses messages beyond maxQueuedMessages', async () => {
      const broker = await silentBroker()
      const stream = await connected({ url: broker.url, topic: 't', maxQueuedMessages: 3 })
      const all = codes(Array.from({ length: 5 }, () => stream.publish(message)))
      await broker.speak()
      expect(await all).toEqual(['accepted', 'accepted', 'accepted', 'QUEUE_FULL', 'QUEUE_FULL'])
    })

    // claim: threats-51
    it('refuses bytes beyond maxQueuedBytes', async () => {
      const broker = await silentBroker()
      const stream = await connected({ url: broker.url, topic: 't', maxQueuedBytes: 25 })
      const all = codes(Array.from({ length: 3 }, () => stream.publish(message)))
      await broker.speak()
      expect(await all).toEqual(['accepted', 'accepted', 'QUEUE_FULL'])
    })

    it('gives a message up after publishTimeoutMs, and does not send the message again later', async () => {
      const broker = await silentBroker()
      const consumer = await witness(broker.url, 't')
      onTestFinished(consumer.close)
      const stream = await connected({ url: broker.url, topic: 't', publishTimeoutMs: 3_000, maxInFlight: 1 })
      const offline = new Promise<Event>((resolve) => stream.addEventListener('offline', resolve))
      const online = new Promise((resolve) => stream.addEventListener('online', resolve))
      const given = await codes([stream.publish(message), stream.publish(message)])
      expect(given).toEqual(['STREAM_TIMEOUT', 'STREAM_TIMEOUT'])
      // The message occupies the window until there is a new connection.
      expect(await offline).toMatchObject({
        detail: new Error('the broker acknowledged none of 1 messages in time'),
      })
      await online
      await broker.speak()
      await stream.publish(new TextEncoder().encode('the next one'))
      await consumer.hears('the next one')
      const arrived = await consumer.untilEnd()
      expect(arrived.at(-1)).toBe('the next one')
      expect(arrived.length).toBeLessThanOrEqual(2)
    })

    it('ends a call with the reason of its signal', async () => {
      const broker = await silentBroker()
      const consumer = await witness(broker.url, 't')
      onTestFinished(consumer.close)
      const stream = await connected({ url: broker.url, topic: 't', maxInFlight: 1, maxQueuedMessages: 2 })
      const controller = new AbortController()
      const first = stream.publish(message)
      const second = stream.publish(new TextEncoder().encode('queued'), { signal: controller.signal })
      await broker.heard()
      controller.abort(new Error('changed my mind'))
      await expect(second).rejects.toThrow('changed my mind')
      const third = stream.publish(new TextEncoder().encode('in its place'))
      await broker.speak()
      await Promise.all([first, third])
      await consumer.hears('in its place')
      expect(await consumer.untilEnd()).toEqual(['0123456789', 'in its place'])
    })

    it('rejects the remaining messages when it is closed', async () => {
      const broker = await silentBroker()
      const stream = await connected({ url: broker.url, topic: 't', maxInFlight: 1 })
      const all = codes([stream.publish(message), stream.publish(message)])
      await stream.close()
      expect(await all).toEqual(['STREAM_CLOSED', 'STREAM_CLOSED'])
    })
  })

  describe('for a caller who has aborted before', () => {
    it('accepts no message', async () => {
      const broker = await silentBroker()
      const stream = await connected({ url: broker.url, topic: 't' })
      const signal = AbortSignal.abort(new Error('never mind'))
      await expect(stream.publish(message, { signal })).rejects.toThrow('never mind')
    })
  })

  describe('that is closed', () => {
    it('first delivers all accepted messages', async () => {
      const broker = await silentBroker()
      const consumer = await witness(broker.url, 't')
      onTestFinished(consumer.close)
      const stream = await connected({ url: broker.url, topic: 't', closeTimeoutMs: 60_000 })
      const texts = Array.from({ length: 500 }, (_, at) => `message ${at}`)
      const all = codes(texts.map((text) => stream.publish(utf8(text))))
      const closing = stream.close()
      await broker.speak()
      await closing
      expect(new Set(await all)).toEqual(new Set(['accepted']))
      expect(await consumer.distinct(500)).toEqual(new Set(texts))
    })

    it('accepts no further message', async () => {
      const broker = await silentBroker()
      const stream = await connected({ url: broker.url, topic: 't' })
      await stream.close()
      await stream.close()
      await expect(stream.publish(message)).rejects.toMatchObject({ code: 'STREAM_CLOSED' })
      await expect(stream.connect()).rejects.toMatchObject({ code: 'STREAM_CLOSED' })
    })
  })
})
