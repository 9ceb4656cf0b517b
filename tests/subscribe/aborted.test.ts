// @own-process: it stops the clock
// @node-only: its broker listens on a plain socket

import { type Subscription, subscribe } from 'alvarium-sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { TestBroker } from '../brokers/brokers.js'
import { type HeldPacket, startGate } from '../brokers/gate.js'
import { startMosquitto } from '../brokers/mosquitto.js'
import { closing } from '../support/receiving.js'
import { keyring } from '../support/sdk.js'
import { allTimersGone } from '../support/stopped-clock.js'
import { until } from '../support/until.js'

let broker: TestBroker
beforeAll(async () => {
  broker = await startMosquitto()
})
afterAll(() => broker.stop())
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const enough = new Error('enough')
const DAY = 24 * 3600 * 1000

/** Opens a durable subscription through a gate. Returns a function that aborts it. */
async function setUp(held?: HeldPacket, protocolVersion: 4 | 5 = 5) {
  const gate = await startGate(broker.tcpUrl, held)
  onTestFinished(gate.stop)
  const controller = new AbortController()
  const where = { url: gate.url, topic: 't', clientId: 'archive', protocolVersion, keyring }
  const bundles = closing(subscribe({ ...where, signal: controller.signal }))
  return { gate, bundles, abort: () => controller.abort(enough) }
}
type SetUp = Awaited<ReturnType<typeof setUp>>

/** Checks that no connection and no timer is left, and that none appears within a day. */
async function nothingLeft({ gate }: SetUp): Promise<void> {
  gate.open()
  await until(() => gate.connections().there === 0)
  await allTimersGone()
  const { made } = gate.connections()
  await vi.advanceTimersByTimeAsync(DAY)
  expect(gate.connections()).toEqual({ made, there: 0 })
}

describe.each([4, 5] as const)(
  'a subscription whose signal aborts while it opens, in MQTT version %i',
  (version) => {
    it.each(['connect', 'connack', 'suback'] as const)(
      'during %s, rejects with the reason, and leaves no timer or listener',
      async (held) => {
        const set = await setUp(held, version)
        const opening = expect(set.bundles.open()).rejects.toBe(enough)
        await set.gate.waits()
        set.abort()
        await opening
        await nothingLeft(set)
      },
    )
  },
)

describe('a subscription whose signal aborts', () => {
  it('in the same turn of the event loop as open(), rejects with the reason and makes no connection', async () => {
    const set = await setUp()
    const opening = expect(set.bundles.open()).rejects.toBe(enough)
    set.abort()
    await opening
    await nothingLeft(set)
    expect(set.gate.connections().made).toBe(0)
  })

  it('before it opens, rejects with the reason, and connects neither to the broker nor to its stream for dead letters', async () => {
    const deadLetter = { connect: vi.fn(), publish: vi.fn() }
    const { gate } = await setUp()
    const where = { url: gate.url, topic: 't', clientId: 'archive', keyring, deadLetter }
    const bundles = subscribe({ ...where, signal: AbortSignal.abort(enough) })
    await bundles.close()
    await expect(bundles.open()).rejects.toBe(enough)
    expect(gate.connections().made).toBe(0)
    expect(deadLetter.connect).not.toHaveBeenCalled()
  })

  it('as soon as it is open, leaves no timer or listener', async () => {
    const set = await setUp()
    const offline = lost(set.bundles)
    await set.bundles.open()
    set.abort()
    await offline
    await nothingLeft(set)
  })

  it('while it reconnects, leaves no timer or listener', async () => {
    const set = await setUp()
    const offline = lost(set.bundles)
    await set.bundles.open()
    set.gate.hold('connack')
    set.gate.cut()
    await offline
    await until(() => {
      vi.advanceTimersByTime(10)
      return set.gate.connections().made > 1
    })
    await set.gate.waits()
    set.abort()
    await set.bundles.close()
    await nothingLeft(set)
  })
})

it('a subscription that is closed does not open again', async () => {
  const { bundles, gate } = await setUp()
  await bundles.close()
  await expect(bundles.open()).rejects.toMatchObject({
    code: 'STREAM_CLOSED',
    message: 'subscription: is closed',
  })
  expect(gate.connections().made).toBe(0)
})

function lost(bundles: Subscription): Promise<unknown> {
  return new Promise((resolve) => bundles.addEventListener('offline', resolve, { once: true }))
}
