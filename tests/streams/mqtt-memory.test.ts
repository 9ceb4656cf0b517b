// @slow
// @node-only: it stops the clock, which the streams of mqtt.js need in browsers

import { type Subscription, subscribe } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type HostileOptions, startHostile } from '../brokers/hostile.js'
import { closing } from '../support/receiving.js'
import { keyring } from '../support/sdk.js'

const MIB = 1024 * 1024

/** Returns the peak of the process's memory above its start, until the connection ends. */
async function peak(
  options: HostileOptions,
  protocolVersion: 4 | 5,
  qos: 1 | 2,
  taken: (bundles: Subscription) => unknown = () => {},
): Promise<number> {
  const broker = await startHostile(options)
  onTestFinished(broker.stop)
  globalThis.gc?.()
  const { rss: before } = process.memoryUsage()
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 2)
  onTestFinished(() => clearInterval(timer))
  const bundles = closing(
    subscribe({ url: broker.url, topic: 't', keyring, durable: false, protocolVersion, qos }),
  )
  const ended = new Promise((resolve) => bundles.addEventListener('offline', resolve, { once: true }))
  await bundles.open()
  await Promise.all([ended, taken(bundles)])
  return Math.max(most, process.memoryUsage().rss) - before
}

// Pages cannot measure their memory, and browsers assemble the frames of a WebSocket message themselves.
describe('the memory of a subscriber stays bounded', () => {
  describe.each([4, 5] as const)('with MQTT %i', (version) => {
    it.each<HostileOptions>([
      { sends: 'a long packet', over: 'tcp' },
      { sends: 'a long packet', over: 'ws' },
      { sends: 'a long packet', over: 'ws', asOneFrame: true },
      { sends: 'unreleased messages', over: 'tcp' },
      { sends: 'unreleased messages', over: 'ws' },
    ])('when the broker is hostile: %o', async (options) => {
      expect(await peak(options, version, 1)).toBeLessThan(64 * MIB)
    })

    it('when 600 MiB of messages with QoS 2 arrive, and none is released', async () => {
      const options = { sends: 'unreleased messages', over: 'tcp' } as const
      const taken = async (bundles: Subscription) => {
        let rejected = 0
        bundles.addEventListener('rejected', () => ++rejected === 600 && void bundles.close())
        for await (const _ of bundles);
      }
      expect(await peak(options, version, 2, taken)).toBeLessThan(192 * MIB)
    })
  })
})
