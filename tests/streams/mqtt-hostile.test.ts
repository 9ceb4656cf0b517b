import { mqtt, type Subscription, subscribe } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type HostileOptions, startHostile } from '../brokers/hostile.js'
import { closing } from '../support/receiving.js'
import { keyring } from '../support/sdk.js'

/** The longest message is a dead letter. */
const MAX_PACKET_BYTES = 24 * 1024 * 1024 + 128 * 1024

async function hostile(options: Omit<HostileOptions, 'over'>) {
  const broker = await startHostile({ over: 'ws', ...options })
  onTestFinished(broker.stop)
  return broker
}

const offline = (bundles: Subscription) =>
  new Promise<string>((resolve) =>
    bundles.addEventListener('offline', ({ detail }) => resolve(detail.message), { once: true }),
  )

describe('a broker that exceeds a limit', () => {
  it.each([
    [4, 'a long packet'],
    [5, 'a long packet'],
    [4, 'a packet of no length'],
  ] as const)(
    'is disconnected at the beginning of a packet that is too long (MQTT %i, %s)',
    async (protocolVersion, sends) => {
      const broker = await hostile({ sends })
      const bundles = closing(
        subscribe({ url: broker.url, topic: 't', keyring, durable: false, protocolVersion }),
      )
      const ended = offline(bundles)
      await bundles.open()
      expect(await ended).toBe(
        `expected packets of at most ${MAX_PACKET_BYTES} bytes from the broker, got a longer packet`,
      )
      expect(await broker.announced()).toBe(protocolVersion === 5 ? MAX_PACKET_BYTES : undefined)
    },
  )

  it.each([0, 1] as const)(
    'is disconnected if it sends a message with QoS 2 to a subscription with QoS %i',
    async (qos) => {
      const broker = await hostile({ sends: 'unreleased messages' })
      const bundles = closing(subscribe({ url: broker.url, topic: 't', keyring, durable: false, qos }))
      const ended = offline(bundles)
      await bundles.open()
      expect(await ended).toBe(
        `expected messages with QoS ${qos} at most from the broker, got a message with QoS 2`,
      )
    },
  )

  // claim: threats-55
  it('knows the maximum packet size from the CONNECT packet of each publisher and subscriber', async () => {
    const broker = await hostile({ sends: 'a long packet' })
    const stream = closing(mqtt({ url: broker.url, topic: 't', protocolVersion: 5 }))
    await stream.connect()
    expect(await broker.announced()).toBe(MAX_PACKET_BYTES)
  })
})
