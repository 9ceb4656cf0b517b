// @browser: the main path, from a call to the verified message

import { mqtt, openSdk, source, subscribe } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { brokers, type TestBroker } from '../brokers/brokers.js'
import { freePort } from '../brokers/ports.js'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { platform } from '../support/platform.js'
import { key, keyring } from '../support/sdk.js'

const topic = 'alvarium'
const open = (stream: ReturnType<typeof mqtt>) =>
  openSdk({ signingKey: key.signingKey, annotators: [source()], stream })

it('without a broker, opening an SDK rejects with the address and the reason', async () => {
  const url = `ws://127.0.0.1:${await freePort()}`
  const { code, message } = await failure(() => open(mqtt({ url, topic })))
  expect(code).toBe('STREAM_UNREACHABLE')
  expect(message).toContain(url)
  expect(message).toContain(platform.refusal)
})

describe.each(brokers)('an SDK with $name', ({ start }) => {
  async function withBroker(options: object, use: (broker: TestBroker) => Promise<void>) {
    const broker = await start(options)
    try {
      await use(broker)
    } finally {
      await broker.stop()
    }
  }

  it('keeps its calls while the broker is away, and delivers them when the broker is back', () =>
    withBroker({}, async (broker) => {
      const stream = mqtt({ url: broker.url, topic })
      const sdk = await open(stream)
      await sdk.create(utf8('before'))
      const offline = new Promise((resolve) => stream.addEventListener('offline', resolve, { once: true }))
      await broker.kill()
      await offline
      const calls = ['a', 'b', 'c'].map((text) => sdk.create(utf8(text)))
      await broker.restart()
      const receipts = await Promise.all(calls)
      expect(receipts.map(({ bundle }) => bundle.action)).toEqual(['create', 'create', 'create'])
      await sdk.close()
    }))

  it('rejects its calls after publishTimeoutMs if the broker stays away, and can then be closed', () =>
    withBroker({}, async (broker) => {
      const stream = mqtt({ url: broker.url, topic, publishTimeoutMs: 300, closeTimeoutMs: 100 })
      const sdk = await open(stream)
      await broker.kill()
      const { code, message } = await failure(() => sdk.create(utf8('a')))
      expect(code).toBe('STREAM_TIMEOUT')
      expect(message).toContain('within 300 ms')
      await sdk.close()
    }))

  it('publishes batches, which a subscription splits into bundles', () =>
    withBroker({}, async ({ url }) => {
      const bundles = subscribe({ url, topic, keyring, durable: false })
      await bundles.open()
      const sdk = await open(mqtt({ url, topic }))
      const receipts = await sdk.createMany(['a', 'b', 'c'].map((text) => utf8(text)))
      const received = []
      for await (const bundle of bundles) if (received.push(bundle) === 3) break
      expect(received.map(({ key: one }) => one)).toEqual(receipts.map(({ bundle }) => bundle.key))
      expect(received.map(({ index }) => index)).toEqual([0, 1, 2])
      await sdk.close()
    }))
})
