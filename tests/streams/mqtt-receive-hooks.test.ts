// @node-only: it stops the clock, which the streams of mqtt.js need in browsers

import { setTimeout as sleep } from 'node:timers/promises'
import { subscribe } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { startMosquitto } from '../brokers/mosquitto.js'
import { startNetwork } from '../brokers/network.js'
import { utf8 as bytes } from '../support/bytes.js'
import { closing, receiving, sender, take } from '../support/receiving.js'

// Cases that need TCP, or the embedded broker's own hooks.
describe('receive() for MQTT', () => {
  // claim: threats-53
  it('reads no more from the broker than the consumer requests, and loses no message', async () => {
    const broker = await startMosquitto()
    onTestFinished(broker.stop)
    // Over TCP: the WebSocket listener of Mosquitto 2.0.11 stops for good when such a long message meets a slow
    // reader, whatever the client.
    const network = await startNetwork(broker.tcpUrl)
    onTestFinished(network.stop)
    const messages = receiving({ url: network.url, topic: 't', qos: 0 })
    await messages.open()
    const stream = await sender(broker.tcpUrl, 't')
    const message = new Uint8Array(200_000)
    await Promise.all(Array.from({ length: 300 }, () => stream.publish(message)))
    // The sockets' buffers hold a few megabytes, which the consumer has not asked for.
    expect(await network.settledBytes()).toBeLessThan(200 * message.length)
    expect(await take(messages, 300)).toHaveLength(300)
  })

  it('stays connected if a consumer needs longer than the broker waits for a ping', async () => {
    const broker = await startBroker()
    onTestFinished(broker.close)
    const clients: string[] = []
    broker.aedes.on('client', ({ id }) => clients.push(id))
    const messages = receiving({ url: broker.url, topic: 't', keepAliveSeconds: 2 })
    await messages.open()
    const stream = await sender(broker.url, 't')
    await Promise.all(['1', '2', '3'].map((name) => stream.publish(bytes(name))))
    expect(await take(messages, 1)).toEqual(['1'])
    await sleep(4_000)
    expect(await take(messages, 2)).toEqual(['2', '3'])
    expect(clients).toHaveLength(2)
  })

  it('gives up a connection on which no packet arrives any more, not even the answer to a ping', async () => {
    const broker = await startBroker()
    onTestFinished(broker.close)
    const network = await startNetwork(broker.tcpUrl)
    onTestFinished(network.stop)
    const messages = receiving({ url: network.url, topic: 't', keepAliveSeconds: 1 })
    await messages.open()
    const offline = new Promise<Event>((resolve) => messages.addEventListener('offline', resolve))
    await network.freeze()
    expect(await offline).toMatchObject({ detail: { message: 'Keepalive timeout' } })
  })

  it('gives up a connection after the first unanswered ping, whatever arrived earlier', async () => {
    const broker = await startBroker()
    onTestFinished(broker.close)
    const network = await startNetwork(broker.tcpUrl)
    onTestFinished(network.stop)
    const messages = receiving({ url: network.url, topic: 't', clientId: 'one', keepAliveSeconds: 1 })
    await messages.open()
    const offline = new Promise<Event>((resolve) => messages.addEventListener('offline', resolve))
    await (await sender(broker.url, 't')).publish(bytes('hello'))
    expect(await take(messages, 1)).toEqual(['hello'])
    let pings = 0
    broker.aedes.on('ping', (_, { id }) => {
      if (id === 'one') pings++
    })
    await network.silence()
    await offline
    // There is no further ping if the lost answer was that of a ping already in flight.
    expect(pings).toBeLessThanOrEqual(1)
  })

  // claim: troubleshooting-6
  it('retries if the broker refuses the subscription after a reconnect', async () => {
    const { broker, refuse, allow } = await refusing()
    const network = await startNetwork(broker.tcpUrl)
    onTestFinished(network.stop)
    const messages = receiving({ url: network.url, topic: 'secret' })
    const offline = vi.fn((_event: Event) => {})
    messages.addEventListener('offline', offline)
    await messages.open()
    refuse()
    const next = take(messages, 1)
    await network.fail()
    await network.recover()
    await vi.waitFor(() => expect(offline).toHaveBeenCalledTimes(2))
    expect(offline.mock.calls[1]?.[0]).toMatchObject({ detail: { code: 'STREAM_UNAVAILABLE' } })
    const online = new Promise((resolve) => messages.addEventListener('online', resolve))
    allow()
    await online
    await (await sender(broker.url, 'secret')).publish(bytes('at last'))
    expect(await next).toEqual(['at last'])
  })

  it('rejects when the broker disconnects instead of answering the subscription', async () => {
    const broker = await startBroker()
    onTestFinished(broker.close)
    broker.aedes.authorizeSubscribe = (client) => client?.close()
    const messages = receiving({ url: broker.tcpUrl, topic: 't', connectTimeoutMs: 60_000 })
    const error = await messages.open().catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'STREAM_UNREACHABLE' })
    expect(error.message).toMatch(/to answer SUBSCRIBE, got: the connection was closed$/)
  })

  it('warns that another client may have the same clientId if the broker disconnects without a reason', async () => {
    const broker = await startBroker()
    onTestFinished(broker.close)
    broker.aedes.authorizeSubscribe = (client) => client?.close()
    const messages = receiving({ url: broker.tcpUrl, topic: 't', clientId: 'archive-1' })
    const { message } = await messages.open().catch((thrown) => thrown)
    expect(message).toMatch(
      /closed; another client may use the clientId "archive-1": each client needs its own$/,
    )
  })

  it('ends, and throws nothing, when it is closed before the broker has answered the subscription', async () => {
    const broker = await startBroker()
    onTestFinished(broker.close)
    const asked = new Promise<void>((resolve) => {
      broker.aedes.authorizeSubscribe = () => resolve()
    })
    const messages = closing(subscribe({ url: broker.url, topic: 't', keyring: [], durable: false }))
    const told: string[] = []
    messages.addEventListener('online', () => told.push('online'))
    messages.addEventListener('offline', () => told.push('offline'))
    const next = messages[Symbol.asyncIterator]().next()
    await asked
    await messages.close()
    expect(await next).toEqual({ done: true, value: undefined })
    await expect(messages.open()).rejects.toMatchObject({ code: 'STREAM_CLOSED' })
    expect(told).toEqual([])
  })
})

/** Starts a broker that accepts subscriptions until the test makes it refuse. */
async function refusing() {
  const broker = await startBroker()
  onTestFinished(broker.close)
  let refused = false
  broker.aedes.authorizeSubscribe = (_client, subscription, done) => done(null, refused ? null : subscription)
  const refuse = () => {
    refused = true
  }
  const allow = () => {
    refused = false
  }
  return { broker, refuse, allow }
}
