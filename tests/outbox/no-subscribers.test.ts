// @node-only: it scripts brokers, and restarts one

import { generateKey, mqtt, openSdk, source, subscribe, tee } from 'alvarium-sdk'
import { type OutboxStore, outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startMosquitto } from '../brokers/mosquitto.js'
import { packet } from '../brokers/scripted.js'
import { utf8 } from '../support/bytes.js'
import { memoryStore } from '../support/outbox-store.js'
import { closing } from '../support/receiving.js'
import { ACCEPTED, type Answers, scripted } from '../support/scripts.js'

const idOf = (body: readonly number[]) => body.slice(3, 5)
const quiet = { debug: () => {}, info: () => {}, error: () => {} }

/** Starts an MQTT 5 broker that says for each message whether its topic has a subscriber. */
async function telling() {
  const state = { isHeard: true, published: 0 }
  const publish: Answers['publish'] = ({ body }) => {
    state.published++
    return packet('puback', [...idOf(body), ...(state.isHeard ? [] : [0x10, 0])])
  }
  return Object.assign(state, { broker: await scripted({ publish }) })
}

/** Opens an outbox in front of a stream to this broker. */
async function boxAt(
  url: string,
  options: Partial<Parameters<typeof mqtt>[0]> = {},
  store: OutboxStore = memoryStore(),
) {
  const warn = vi.fn()
  const stream = mqtt({ url, topic: 't', closeTimeoutMs: 1, ...options })
  const box = closing(outbox({ stream, store, closeTimeoutMs: 1 }))
  await box.connect({ logger: { ...quiet, warn } })
  const send = async (text: string) => (await box.publish(utf8(text))).delivered
  return { box, stream, send, warned: () => warn.mock.calls.map(([, text]) => text), store }
}

describe('an outbox to a topic that had a subscriber earlier', () => {
  // claim: delivery-53
  it('keeps messages while the topic has no subscriber, and sends them when there is one', async () => {
    const broker = await telling()
    const { box, send, warned } = await boxAt(broker.broker.url)
    await send('a')
    broker.isHeard = false
    const before = broker.published
    const delivered = Promise.all([send('b'), send('c')])
    await vi.waitFor(() => expect(broker.published).toBeGreaterThan(before + 2))
    expect(box.stored.messages).toBe(2)
    expect(warned()).toEqual([expect.stringContaining("wait until someone does (noSubscribers: 'accept'")])
    broker.isHeard = true
    await delivered
    expect(box.stats()).toMatchObject({ acknowledged: 3, refused: 0, stored: { messages: 0 } })
  })

  // claim: delivery-54
  it('keeps a message while there is no subscriber, even after a restart of the outbox', async () => {
    const broker = await telling()
    const first = await boxAt(broker.broker.url)
    await first.send('a')
    await first.box.close()
    broker.isHeard = false
    const { box, send } = await boxAt(broker.broker.url, {}, first.store)
    const before = broker.published
    send('b').catch(() => {})
    await vi.waitFor(() => expect(broker.published).toBeGreaterThan(before + 2))
    expect(box.stored.messages).toBe(1)
  })

  it('keeps a message while there is no subscriber, even if the stream is behind a tee', async () => {
    const broker = await telling()
    const where = { url: broker.broker.url, closeTimeoutMs: 1 }
    const stream = tee(mqtt({ ...where, topic: 't' }), mqtt({ ...where, topic: 'u' }))
    const box = closing(outbox({ stream, store: memoryStore(), closeTimeoutMs: 1 }))
    await box.connect()
    await (await box.publish(utf8('a'))).delivered
    broker.isHeard = false
    const before = broker.published
    await box.publish(utf8('b'))
    await vi.waitFor(() => expect(broker.published).toBeGreaterThan(before + 4))
    expect(box.stored.messages).toBe(1)
  })

  it('accepts that the broker drops messages without a subscriber if noSubscribers is "accept"', async () => {
    const broker = await telling()
    const { send } = await boxAt(broker.broker.url, { noSubscribers: 'accept' })
    await send('a')
    broker.isHeard = false
    await send('b')
    expect(broker.published).toBe(2)
  })

  it('loses no message when Mosquitto forgets its subscriber in a restart without persistence', async () => {
    const broker = await startMosquitto()
    onTestFinished(broker.stop)
    const { signingKey, verifyingKey } = generateKey()
    const where = { url: broker.tcpUrl, topic: 't' }
    const bundles = closing(subscribe({ ...where, clientId: 'archive', keyring: [verifyingKey] }))
    await bundles.open()
    const ids: string[] = []
    const loop = (async () => {
      for await (const { id } of bundles) if (ids.push(id) === 51) break
    })()
    const stream = outbox({ stream: mqtt(where), store: memoryStore() })
    const sdk = closing(await openSdk({ signingKey, annotators: [source()], stream }))
    const first = await sdk.create(utf8('0'))
    await first.delivered
    await broker.kill()
    const receipts = await Promise.all(Array.from({ length: 50 }, (_, at) => sdk.create(utf8(`${at + 1}`))))
    await broker.restart()
    await Promise.all(receipts.map(({ delivered }) => delivered))
    await loop
    // The subscriber may come back between two messages. The first of them then arrives after the second.
    expect(ids.sort()).toEqual([first, ...receipts].map(({ id }) => id).sort())
  })
})

describe('an outbox to a topic that never had a subscriber', () => {
  // claim: delivery-55
  it('sends messages without waiting, and logs a warning that names the option noSubscribers', async () => {
    const broker = await telling()
    broker.isHeard = false
    const { send, warned } = await boxAt(broker.broker.url)
    await send('a')
    await send('b')
    expect(broker.published).toBe(2)
    expect(warned()).toEqual([expect.stringContaining("noSubscribers: 'wait'")])
  })

  it('does not wait for a subscriber over MQTT 5 if its earlier messages went over MQTT 3.1.1', async () => {
    const old = await scripted({
      connect: ({ body }) => (body[6] === 5 ? packet('connack', [0, 0x84, 0]) : ACCEPTED),
      publish: ({ body }) => packet('puback', idOf(body)),
    })
    const first = await boxAt(old.url)
    await first.send('a')
    await first.box.close()
    const broker = await telling()
    broker.isHeard = false
    const { send } = await boxAt(broker.broker.url, {}, first.store)
    await send('b')
    expect(broker.published).toBe(1)
  })
})

it('a stream without an outbox does not wait for subscribers, and logs a warning that names noSubscribers', async () => {
  const broker = await telling()
  const warn = vi.fn()
  const stream = closing(mqtt({ url: broker.broker.url, topic: 't' }))
  await stream.connect({ logger: { ...quiet, warn } })
  await stream.publish(utf8('a'))
  broker.isHeard = false
  await stream.publish(utf8('b'))
  await stream.publish(utf8('c'))
  expect(broker.published).toBe(3)
  expect(warn.mock.calls).toEqual([[{ topic: 't' }, expect.stringContaining("noSubscribers: 'wait'")]])
})
