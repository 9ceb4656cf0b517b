import { keyOf, mqtt, openSdk, source } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { brokersOfTransport } from '../brokers/brokers.js'
import { freePort } from '../brokers/ports.js'
import { witness } from '../brokers/witness.js'
import { utf8 } from '../support/bytes.js'
import { newPlace } from '../support/places.js'
import { closing } from '../support/receiving.js'
import { key } from '../support/sdk.js'
import { verifiedAll } from '../support/verified.js'

const topic = 't'
const quiet = { debug: () => {}, info: () => {}, error: () => {} }
const open = (stream: ReturnType<typeof outbox>) =>
  openSdk({ signingKey: key.signingKey, annotators: [source()], stream })

describe.each(brokersOfTransport)('an outbox in front of $name', ({ start }) => {
  async function startOne() {
    const broker = await start()
    onTestFinished(broker.stop)
    return broker
  }

  it('keeps messages over an outage that is longer than publishTimeoutMs', async () => {
    const broker = await startOne()
    const warn = vi.fn()
    const stream = mqtt({ url: broker.url, topic, publishTimeoutMs: 2_000 })
    const box = closing(outbox({ stream, store: newPlace() }))
    await box.connect({ logger: { ...quiet, warn } })
    await vi.waitFor(() => expect(stream.online).toBe(true))
    await broker.kill()
    const stored = await Promise.all(['a', 'b', 'c'].map((text) => box.publish(utf8(text))))
    const gaveUp = () => warn.mock.calls.filter(([{ err }]) => err?.code === 'STREAM_TIMEOUT')
    await vi.waitFor(() => expect(gaveUp().length).toBeGreaterThan(0))
    await broker.restart()
    const consumer = await witness(broker.url, topic)
    onTestFinished(consumer.close)
    await Promise.all(stored.map(({ delivered }) => delivered))
    expect(box.stored.messages).toBe(0)
  })

  it('stores messages while there is no broker, and delivers each once and in order after a restart', async () => {
    const store = newPlace()
    const nowhere = `ws://127.0.0.1:${await freePort()}`
    const offline = await open(outbox({ stream: mqtt({ url: nowhere, topic }), store }))
    for (let at = 0; at < 200; at++) await offline.create(utf8(`${at}`))
    await offline.close()
    const broker = await startOne()
    const consumer = await witness(broker.url, topic)
    onTestFinished(consumer.close)
    const online = await open(outbox({ stream: mqtt({ url: broker.url, topic }), store }))
    await (await online.create(utf8('last'))).delivered
    await online.close()
    const bundles = await verifiedAll(await consumer.untilEnd())
    const payloads = [...Array.from({ length: 200 }, (_, at) => `${at}`), 'last']
    expect(bundles.map((bundle) => bundle.key)).toEqual(payloads.map((text) => keyOf(utf8(text))))
  })
})
