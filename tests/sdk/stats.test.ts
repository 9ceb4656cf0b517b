import { memory, mqtt, openSdk, source } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startEmbedded } from '../brokers/embedded.js'
import { utf8 } from '../support/bytes.js'
import { key } from '../support/sdk.js'

const { signingKey } = key
const payload = utf8('hello')

describe('sdk.stats()', () => {
  it('counts accepted and rejected messages, and measures their times', async () => {
    let calls = 0
    const stream = { publish: () => (calls++ < 2 ? undefined : Promise.reject(new Error('no more'))) }
    await using sdk = await openSdk({ signingKey, annotators: [source()], stream })
    await sdk.create(payload)
    await sdk.mutate(payload, payload)
    await sdk.create(payload).catch(() => {})
    const stats = sdk.stats()
    expect(stats).toMatchObject({
      asking: 0,
      accepted: 2,
      failed: 1,
      seal: { count: 3 },
      accept: { count: 2 },
    })
    expect(stats.seal.p50Ms).toBeLessThanOrEqual(stats.seal.maxMs)
    expect(stats.stream).toBeUndefined()
    expect(Object.isFrozen(stats)).toBe(true)
  })

  it('reports as `maxMs` the time of the slowest message, even if faster messages follow', async () => {
    let now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => clock.mockRestore())
    const takes = [1, 40, 5]
    const publish = () => {
      now += takes.shift() ?? 0
    }
    const stream = { publish }
    await using sdk = await openSdk({ signingKey, annotators: [source()], stream })
    for (let at = 0; at < 3; at++) await sdk.create(payload)
    const { count, sumMs, maxMs } = sdk.stats().accept
    expect([count, Math.round(sumMs), Math.round(maxMs)]).toEqual([3, 46, 40])
  })

  it('counts a batch as one message', async () => {
    await using sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
    const receipts = await sdk.createMany(Array.from({ length: 300 }, () => payload))
    const count = new Set(receipts.map(({ message }) => message)).size
    expect(count).toBeLessThan(300)
    expect(sdk.stats()).toMatchObject({ accepted: count, seal: { count } })
  })

  it('includes the statistics of an mqtt stream', async () => {
    const broker = await startEmbedded()
    onTestFinished(broker.stop)
    const stream = mqtt({ url: broker.url, topic: 't' })
    await using sdk = await openSdk({ signingKey, annotators: [source()], stream })
    await stream.ready()
    await sdk.create(payload)
    expect(sdk.stats().stream).toMatchObject({
      online: true,
      queued: 0,
      inFlight: 0,
      acknowledged: 1,
      resent: 0,
      timedOut: 0,
      refused: 0,
      reconnects: 0,
      lastError: undefined,
      acknowledge: { count: 1 },
    })
    await sdk.close()
    expect(stream.stats()).toMatchObject({ online: false })
    await expect(stream.ready()).rejects.toMatchObject({ code: 'STREAM_CLOSED' })
  })
})
