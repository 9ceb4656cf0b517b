import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { receive } from '../../dist/streams/mqtt/receive.js'
import { startBroker } from '../../examples/broker/broker.mjs'
import { startMosquitto } from '../brokers/mosquitto.js'
import { startNetwork } from '../brokers/network.js'
import { utf8 as bytes } from '../support/bytes.js'
import { closing, sender, take } from '../support/receiving.js'

// What takes TCP, or the embedded broker's own hooks, to bring about.
describe('receive', () => {
  it('reads no more from the broker than the consumer asks for, and loses nothing', async () => {
    const broker = await startMosquitto()
    onTestFinished(broker.stop)
    // Over TCP: the WebSocket listener of Mosquitto 2.0.11 stops for good when such a long message meets a slow
    // reader, whatever the client.
    const network = await startNetwork(broker.tcpUrl)
    onTestFinished(network.stop)
    const messages = closing(receive({ url: network.url, topic: 't', qos: 0 }))
    await messages.open()
    const stream = await sender(broker.tcpUrl, 't')
    const message = new Uint8Array(200_000)
    await Promise.all(Array.from({ length: 300 }, () => stream.publish(message)))
    // What fits into the sockets' buffers on the way, a few megabytes, comes through.
    expect(await network.settledBytes()).toBeLessThan(200 * message.length)
    expect(await take(messages, 300)).toHaveLength(300)
  })

  it('keeps the connection of a consumer that takes longer than the broker waits for a ping', async () => {
    const broker = await startBroker()
    onTestFinished(broker.close)
    const clients: string[] = []
    broker.aedes.on('client', ({ id }) => clients.push(id))
    const messages = closing(receive({ url: broker.url, topic: 't', keepAliveSeconds: 1 }))
    await messages.open()
    const stream = await sender(broker.url, 't')
    await Promise.all(['1', '2', '3'].map((name) => stream.publish(bytes(name))))
    expect(await take(messages, 1)).toEqual(['1'])
    await sleep(3_000)
    expect(await take(messages, 2)).toEqual(['2', '3'])
    expect(clients).toHaveLength(2)
  })

  it('says so when the subscription is refused', async () => {
    const broker = await startBroker()
    onTestFinished(broker.close)
    broker.aedes.authorizeSubscribe = (_client, _subscription, done) => done(null, null)
    const messages = closing(receive({ url: broker.url, topic: 'secret' }))
    await expect(messages.open()).rejects.toMatchObject({ code: 'STREAM_REFUSED' })
    await expect(messages.next()).rejects.toMatchObject({ code: 'STREAM_REFUSED' })
  })
})
