// @own-process: it stops the clock
// @node-only: it stops the clock, which the streams of mqtt.js need in browsers

import { mqtt, subscribe } from 'alvarium-sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { TestBroker } from '../brokers/brokers.js'
import { startImpostor } from '../brokers/impostor.js'
import { startMosquitto } from '../brokers/mosquitto.js'
import { freePort } from '../brokers/ports.js'
import { countAbortListeners } from '../support/abort-listeners.js'
import { codes } from '../support/codes.js'
import { platform } from '../support/platform.js'
import { keyring } from '../support/sdk.js'
import { allTimersGone } from '../support/stopped-clock.js'

function leftovers() {
  const listeners = countAbortListeners()
  return () => ({ timers: vi.getTimerCount(), listeners: listeners() })
}
const NOTHING = { timers: 0, listeners: 0 }

async function leftAtLast(left: ReturnType<typeof leftovers>) {
  await allTimersGone()
  return left()
}
const realTimeout = globalThis.setTimeout

describe.each(platform.addresses)('the timers and listeners of a client (broker address: %s)', (address) => {
  let broker: TestBroker
  beforeAll(async () => {
    // The broker is a separate process, whose timers are not counted here.
    broker = await startMosquitto()
  })
  afterAll(() => broker.stop())
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  describe('when a stream is closed', () => {
    it('are all removed, even after 2,000 publishes with one signal that never aborts', async () => {
      const left = leftovers()
      const { signal } = new AbortController()
      const stream = mqtt({ url: broker[address], topic: 't' })
      await stream.connect({ signal })
      expect(left().listeners).toBe(0)
      for (let round = 0; round < 20; round++) {
        const all = codes(Array.from({ length: 100 }, () => stream.publish(new Uint8Array(1), { signal })))
        // Node would warn about more than ten.
        expect(left().listeners).toBe(1)
        expect(new Set(await all)).toEqual(new Set(['accepted']))
        expect(left().listeners).toBe(0)
      }
      await stream.close()
      expect(await leftAtLast(left)).toEqual(NOTHING)
    })
  })

  describe('when a stream is closed before the broker has accepted everything', () => {
    it('are all removed', async () => {
      const left = leftovers()
      const { signal } = new AbortController()
      const stream = mqtt({ url: broker[address], topic: 't', closeTimeoutMs: 1 })
      await stream.connect({ signal })
      const all = codes(Array.from({ length: 10 }, () => stream.publish(new Uint8Array(1), { signal })))
      const closing = stream.close()
      vi.advanceTimersByTime(1)
      await closing
      await all
      expect(await leftAtLast(left)).toEqual(NOTHING)
    })
  })

  describe('when the signal of connect() aborts after the connection was made', () => {
    it('are not removed, because the connection stays', async () => {
      const controller = new AbortController()
      const stream = mqtt({ url: broker[address], topic: 't' })
      await stream.connect({ signal: controller.signal })
      const offline = vi.fn()
      stream.addEventListener('offline', offline)
      controller.abort()
      await stream.publish(new Uint8Array(1))
      expect(offline).not.toHaveBeenCalled()
      await stream.close()
    })
  })

  describe('when a subscription is closed before its messages are consumed', () => {
    it('are all removed, and closing does not wait for the messages', async () => {
      const bundles = subscribe({ url: broker[address], topic: 't', keyring, durable: false })
      await bundles.open()
      const stream = mqtt({ url: broker[address], topic: 't', qos: 0 })
      await stream.connect()
      await Promise.all(Array.from({ length: 100 }, () => stream.publish(new Uint8Array(5_000))))
      await stream.close()
      await new Promise((resolve) => realTimeout(resolve, 50))
      const left = leftovers()
      // The timer for a goodbye must not start.
      await bundles.close()
      expect(await leftAtLast(left)).toEqual(NOTHING)
    })
  })

  describe('when a subscription ends', () => {
    it.each([
      ['is closed', (bundles: ReturnType<typeof subscribe>) => bundles.close()],
      ['is aborted', (_: unknown, controller: AbortController) => controller.abort()],
    ])('are all removed when the subscription %s', async (_, end) => {
      const left = leftovers()
      const controller = new AbortController()
      const bundles = subscribe({
        url: broker[address],
        topic: 't',
        keyring,
        durable: false,
        signal: controller.signal,
      })
      await bundles.open()
      const offline = new Promise((resolve) => bundles.addEventListener('offline', resolve))
      await end(bundles, controller)
      await offline
      expect(await leftAtLast(left)).toEqual(NOTHING)
    })
  })
})

describe.each(platform.addresses.map((address) => ({ url: 'ws', tcpUrl: 'mqtt' })[address]))(
  'the timers and listeners of a client over %s',
  (scheme) => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    })
    afterEach(() => {
      vi.useRealTimers()
    })

    describe('without a broker', () => {
      it('are all removed for a stream', async () => {
        const url = `${scheme}://127.0.0.1:${await freePort()}`
        const left = leftovers()
        const { signal } = new AbortController()
        const stream = mqtt({ url, topic: 't' })
        await expect(stream.connect({ signal })).rejects.toMatchObject({ code: 'STREAM_UNREACHABLE' })
        expect(await leftAtLast(left)).toEqual(NOTHING)
      })

      it('are all removed for a subscription', async () => {
        const url = `${scheme}://127.0.0.1:${await freePort()}`
        const left = leftovers()
        const { signal } = new AbortController()
        const bundles = subscribe({ url, topic: 't', keyring, durable: false, signal })
        await expect(bundles.open()).rejects.toMatchObject({ code: 'STREAM_UNREACHABLE' })
        expect(await leftAtLast(left)).toEqual(NOTHING)
      })
    })

    describe('to a server that never answers', () => {
      it('are all removed', async () => {
        const { host, connected, stop } = await startImpostor('says nothing')
        onTestFinished(stop)
        const left = leftovers()
        const { signal } = new AbortController()
        const connecting = mqtt({ url: `${scheme}://${host}`, topic: 't', connectTimeoutMs: 1_000 }).connect({
          signal,
        })
        const rejected = expect(connecting).rejects.toThrow('no answer within 1000 ms')
        await connected()
        await vi.advanceTimersByTimeAsync(999)
        expect(left().timers).toBeGreaterThan(0)
        await vi.advanceTimersByTimeAsync(1)
        await rejected
        expect(await leftAtLast(left)).toEqual(NOTHING)
      })
    })
  },
)
