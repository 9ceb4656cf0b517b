// @browser: a browser's WebSocket tells less of a failure
// @not-firefox: Chromium shows the transport of browsers, and mqtt.test.ts that Firefox has it

import { mqtt } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { brokers, brokersOfTransport } from '../brokers/brokers.js'
import { type Impostor, startImpostor } from '../brokers/impostor.js'
import { startNetwork } from '../brokers/network.js'
import { freePort } from '../brokers/ports.js'
import { witness } from '../brokers/witness.js'
import { codes } from '../support/codes.js'
import { platform } from '../support/platform.js'

const bytes = (text: string) => new TextEncoder().encode(text)
const texts = (count: number) => Array.from({ length: count }, (_, i) => `message ${i}`)

async function impostor(manner: Parameters<typeof startImpostor>[0]): Promise<Impostor> {
  const impostor = await startImpostor(manner)
  onTestFinished(impostor.stop)
  return impostor
}

/** QoS levels to test. Acknowledgements of QoS 2 are the same frames to a WebSocket. */
const QOS = platform.name === 'node' ? ([1, 2] as const) : ([1] as const)

const SCHEMES = { url: 'ws', tcpUrl: 'mqtt' }

describe.each(platform.addresses.map((address) => SCHEMES[address]))('mqtt over %s', (scheme) => {
  describe('without a broker', () => {
    it('rejects connect() with the reason', async () => {
      const url = `${scheme}://127.0.0.1:${await freePort()}`
      const error = await mqtt({ url, topic: 't' })
        .connect()
        .catch((thrown) => thrown)
      expect(error).toMatchObject({ code: 'STREAM_UNREACHABLE', cause: expect.any(Error) })
      expect(error.message).toContain(url)
      expect(error.message).toContain(platform.refusal)
    })
  })

  describe('to a server that never answers', () => {
    it('rejects connect() after connectTimeoutMs', async () => {
      const { host } = await impostor('says nothing')
      const stream = mqtt({ url: `${scheme}://${host}`, topic: 't', connectTimeoutMs: 50 })
      const error = await stream.connect().catch((thrown) => thrown)
      expect(error).toMatchObject({ code: 'STREAM_UNREACHABLE' })
      expect(error.message).toContain('50 ms')
    })

    it("rejects connect() with the reason of the caller's signal", async () => {
      const controller = new AbortController()
      const { host, connected } = await impostor('says nothing')
      const stream = mqtt({ url: `${scheme}://${host}`, topic: 't' })
      const connecting = stream.connect({ signal: controller.signal })
      connected().then(() => controller.abort(new Error('changed my mind')))
      await expect(connecting).rejects.toThrow('changed my mind')
    })

    it.each([
      ['', {}],
      [', even if its signal has not aborted', { signal: new AbortController().signal }],
    ])('rejects connect() when it is closed%s', async (_, context) => {
      const { host, connected } = await impostor('says nothing')
      const stream = mqtt({ url: `${scheme}://${host}`, topic: 't' })
      const connecting = stream.connect(context).catch((error) => error.code)
      await connected()
      await stream.close()
      expect(await connecting).toBe('STREAM_CLOSED')
    })
  })

  describe('to a server that disconnects without an answer', () => {
    it('rejects connect()', async () => {
      const { host } = await impostor('hangs up')
      const stream = mqtt({ url: `${scheme}://${host}`, topic: 't' })
      await expect(stream.connect()).rejects.toMatchObject({ code: 'STREAM_UNREACHABLE' })
    })
  })

  describe('with a signal that has already aborted', () => {
    it('makes no connection', async () => {
      const { host, connections } = await impostor('says nothing')
      const stream = mqtt({ url: `${scheme}://${host}`, topic: 't', connectTimeoutMs: 500 })
      const signal = AbortSignal.abort(new Error('never mind'))
      await expect(stream.connect({ signal })).rejects.toThrow('never mind')
      expect(await connections()).toBe(0)
    })
  })
})

describe('mqtt, choosing a protocol version', () => {
  // RabbitMQ 3.10 closes like this, and TCP resets when sent bytes were not read. Browsers give pages no reason.
  describe.runIf(platform.name === 'node').each(['hangs up', 'resets'] as const)(
    'connecting to a broker that cannot parse MQTT 5 and %s',
    (manner) => {
      it('tries MQTT 5 once more, and then 3.1.1', async () => {
        const { host, connections } = await impostor(manner)
        await expect(mqtt({ url: `mqtt://${host}`, topic: 't' }).connect()).rejects.toThrow()
        expect(await connections()).toBe(3)
      })

      it('does not fall back when protocolVersion is 5', async () => {
        const { host, connections } = await impostor(manner)
        const stream = mqtt({ url: `mqtt://${host}`, topic: 't', protocolVersion: 5 })
        await expect(stream.connect()).rejects.toThrow()
        expect(await connections()).toBe(1)
      })
    },
  )

  describe('connecting to a web server that is no broker', () => {
    it('reports the answer of the web server', async () => {
      const { host } = await impostor('is a web server')
      const stream = mqtt({ url: `ws://${host}/mqtt`, topic: 't' })
      await expect(stream.connect()).rejects.toThrow(platform.notFound)
    })
  })

  describe('with protocolVersion 5 and a broker that knows only 3.1.1', () => {
    it('does not fall back', async () => {
      const broker = await brokers[1]?.start()
      if (!broker) throw new Error('expected the embedded broker')
      onTestFinished(broker.stop)
      const stream = mqtt({ url: broker.url, topic: 't', protocolVersion: 5 })
      await expect(stream.connect()).rejects.toMatchObject({ code: 'STREAM_UNREACHABLE' })
    })
  })
})

describe.each(brokersOfTransport)('mqtt with $name', ({ start }) => {
  async function pair(options: object) {
    const broker = await start()
    onTestFinished(broker.stop)
    const stream = mqtt({ url: broker.url, topic: 't', ...options })
    onTestFinished(() => stream.close())
    await stream.connect()
    const offline = new Promise((resolve) => stream.addEventListener('offline', resolve, { once: true }))
    return { broker, stream, offline }
  }

  describe('connecting to a broker that starts late', () => {
    it('connects with a later call of connect()', async () => {
      const broker = await start()
      onTestFinished(broker.stop)
      const stream = mqtt({ url: broker.url, topic: 't' })
      onTestFinished(() => stream.close())
      await broker.kill()
      await expect(stream.connect()).rejects.toMatchObject({ code: 'STREAM_UNREACHABLE' })
      await broker.restart()
      await stream.connect()
      await stream.publish(bytes('here now'))
    })
  })

  describe('over a network that fails and recovers', () => {
    it.each(QOS)(
      'delivers with QoS %i all messages in progress and all published during the failure',
      async (qos) => {
        const broker = await start()
        onTestFinished(broker.stop)
        const consumer = await witness(broker.url, 't')
        onTestFinished(consumer.close)
        const network = await startNetwork(broker.url)
        onTestFinished(network.stop)
        const stream = mqtt({ url: network.url, topic: 't', qos, publishTimeoutMs: 3_600_000 })
        onTestFinished(() => stream.close())
        await stream.connect()
        const offline = new Promise((resolve) => stream.addEventListener('offline', resolve))
        const [before, meanwhile] = [texts(2_000), texts(500).map((text) => `meanwhile ${text}`)]
        const published = before.map((text) => stream.publish(bytes(text)))
        await published[500]
        await network.fail()
        await offline
        published.push(...meanwhile.map((text) => stream.publish(bytes(text))))
        await network.recover()
        expect(new Set(await codes(published))).toEqual(new Set(['accepted']))
        expect(await consumer.distinct(2_500)).toEqual(new Set([...before, ...meanwhile]))
      },
    )
  })

  describe('with a broker that dies and restarts', () => {
    it.each(QOS)(
      'delivers with QoS %i messages published before, during and after the failure',
      async (qos) => {
        const { broker, stream, offline } = await pair({ qos })
        const publish = (text: string) => stream.publish(bytes(text))
        const before = texts(2_000).map(publish)
        await before[500]
        await broker.kill()
        await offline
        const meanwhile = texts(100).map(publish)
        await broker.restart()
        const consumer = await witness(broker.url, 't')
        onTestFinished(consumer.close)
        expect(new Set(await codes([...before, ...meanwhile]))).toEqual(new Set(['accepted']))
        await publish('after')
        await consumer.hears('after')
      },
    )

    it('settles the promise of every message in progress, with QoS 0', async () => {
      const { broker, stream, offline } = await pair({ qos: 0, maxQueuedBytes: 200_000_000 })
      const message = new Uint8Array(20_000)
      const all = codes(Array.from({ length: 5_000 }, () => stream.publish(message)))
      await broker.kill()
      await offline
      await broker.restart()
      const settled = new Set(await all)
      settled.delete('accepted')
      settled.delete('STREAM_LOST')
      expect(settled.size).toBe(0)
    })
  })

  describe('with a broker that dies and stays away', () => {
    // claim: delivery-44
    it('rejects waiting messages after publishTimeoutMs', async () => {
      const { broker, stream, offline } = await pair({ publishTimeoutMs: 50 })
      await broker.kill()
      await offline
      expect(stream.online).toBe(false)
      const error = await stream.publish(bytes('to nobody')).catch((thrown) => thrown)
      expect(error).toMatchObject({ code: 'STREAM_TIMEOUT' })
      expect(error.message).toContain('not connected')
    })

    it('closes within closeTimeoutMs and rejects the remaining messages', async () => {
      const { broker, stream, offline } = await pair({ closeTimeoutMs: 50 })
      await broker.kill()
      await offline
      const all = codes([stream.publish(bytes('to nobody'))])
      await stream.close()
      expect(await all).toEqual(['STREAM_CLOSED'])
    })
  })
})
