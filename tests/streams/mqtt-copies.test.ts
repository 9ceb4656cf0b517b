// @node-only: above the connection, all is the same in every engine

import { mqtt, openSdk, source, subscribe } from 'alvarium-sdk'
import mqttJs from 'mqtt'
import { describe, expect, it, onTestFinished } from 'vitest'
import { brokers } from '../brokers/brokers.js'
import { startMosquitto } from '../brokers/mosquitto.js'
import { textOf, utf8 } from '../support/bytes.js'
import { closing, receiving, sender, take } from '../support/receiving.js'
import { key, keyring } from '../support/sdk.js'

/** Filters of which each shares some topics with each of the others, and no topic matches all. */
const OVERLAPPING = ['a/+/c', '+/b/c', 'a/b/+']

describe.each([
  ...brokers.map(({ name, start }) => ({ name, start, protocolVersion: undefined })),
  { name: 'Mosquitto in MQTT 3.1.1', start: startMosquitto, protocolVersion: 4 as const },
])('a subscription to filters that overlap, with $name', ({ start, protocolVersion }) => {
  async function fresh() {
    const broker = await start()
    onTestFinished(broker.stop)
    return broker
  }

  it.each([0, 1, 2] as const)('delivers each message once, with QoS %i', async (qos) => {
    const { url } = await fresh()
    const messages = receiving({ url, topic: OVERLAPPING, qos, protocolVersion })
    await messages.open()
    const stream = await sender(url, 'a/b/c', qos)
    const expected = Array.from({ length: 200 }, (_, at) => `message ${at}`)
    for (const one of expected) void stream.publish(utf8(one))
    expect(await take(messages, 200)).toEqual(expected)
    await stream.publish(utf8('the last'))
    expect(await take(messages, 1)).toEqual(['the last'])
  })

  it('delivers a retained message once', async () => {
    const { url } = await fresh()
    const names = Array.from({ length: 50 }, (_, at) => `a/${at}/c`)
    const stream = closing(mqtt({ url, topic: [...names, 'a/b/c'], retain: true }))
    await stream.connect()
    await stream.publish(utf8('kept'))
    const messages = receiving({ url, topic: OVERLAPPING, protocolVersion })
    await messages.open()
    const seen: string[] = []
    for (let left = names.length + 1; left > 0; left--) seen.push((await messages.next()).value?.topic ?? '')
    expect(seen.sort()).toEqual([...names, 'a/b/c'].sort())
    await (await sender(url, 'a/b/c')).publish(utf8('the last'))
    expect(await take(messages, 1)).toEqual(['the last'])
  })

  it('delivers each bundle once', async () => {
    const { url } = await fresh()
    const bundles = closing(subscribe({ url, topic: OVERLAPPING, durable: false, keyring, protocolVersion }))
    await bundles.open()
    const stream = mqtt({ url, topic: 'a/b/c' })
    const sdk = closing(await openSdk({ signingKey: key.signingKey, annotators: [source()], stream }))
    for (let at = 0; at < 20; at++) await sdk.create(utf8(`payload ${at}`))
    const ids = new Set<string>()
    let given = 0
    for await (const { id } of bundles) {
      given++
      if (ids.add(id).size === 20) break
    }
    expect(given).toBe(20)
  })
})

describe('a message that matches overlapping filters', () => {
  async function mosquitto() {
    const broker = await startMosquitto()
    onTestFinished(broker.stop)
    return broker
  }

  it('is delivered twice if it was published twice, with a broker of MQTT 5', async () => {
    const { url } = await mosquitto()
    const messages = receiving({ url, topic: OVERLAPPING })
    await messages.open()
    const stream = await sender(url, 'a/b/c')
    for (const text of ['same', 'same', 'other', 'same']) await stream.publish(utf8(text))
    expect(await take(messages, 4)).toEqual(['same', 'same', 'other', 'same'])
  })

  it('is redelivered until it is acknowledged, and needs one acknowledgement for all of its copies', async () => {
    const { url } = await mosquitto()
    const options = { url, topic: OVERLAPPING, durable: true, clientId: 'keeper' }
    const before = receiving(options)
    await before.open()
    await (await sender(url, 'a/b/c')).publish(utf8('x'))
    // Received, but not acknowledged.
    expect(await take(before, 1)).toEqual(['x'])
    await before.close()
    const after = receiving(options)
    expect(await take(after, 1)).toEqual(['x'])
    // The message is acknowledged now, copies included: no message is left.
    const following = after.next()
    await (await sender(url, 'a/b/c')).publish(utf8('y'))
    expect(textOf((await following).value?.message ?? new Uint8Array())).toBe('y')
  })

  it('arrives one time for each matching filter if the broker is Mosquitto with MQTT 5', async () => {
    const { url } = await mosquitto()
    const client = await mqttJs.connectAsync(url, { protocolVersion: 5 })
    onTestFinished(() => client.endAsync(true))
    let came = 0
    client.on('message', () => void came++)
    await client.subscribeAsync(OVERLAPPING, { qos: 1 })
    await client.publishAsync('a/b/c', 'x', { qos: 1 })
    await expect.poll(() => came).toBe(3)
  })
})
