// @browser: WebSocket is the browser's own, outgoing

import { mqtt } from 'alvarium-sdk'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { brokers, brokersOfTransport, type TestBroker } from '../brokers/brokers.js'
import { witness } from '../brokers/witness.js'
import { platform } from '../support/platform.js'

const bytes = (text: string) => new TextEncoder().encode(text)
const texts = (count: number) => Array.from({ length: count }, (_, i) => `message ${i}`)
/** More messages than the window, so that their order must hold over several windows. */
const MANY = 1_500

describe.each(brokersOfTransport)('mqtt with $name', ({ name, start }) => {
  let broker: TestBroker
  const open: { close(): Promise<void> }[] = []
  const opened = <T extends { close(): Promise<void> }>(closable: T): T => {
    open.push(closable)
    return closable
  }

  beforeAll(async () => {
    broker = await start()
  })
  afterEach(async () => {
    await Promise.all(open.splice(0).map((closable) => closable.close()))
  })
  afterAll(() => broker.stop())

  describe.each(platform.addresses)('with the broker address %s', (address) => {
    it.each([0, 1, 2] as const)(
      'delivers with QoS %i exactly the published messages, in order',
      async (qos) => {
        const topic = `exactly/${address}/${qos}`
        const consumer = opened(await witness(broker[address], topic))
        const stream = opened(mqtt({ url: broker[address], topic, qos }))
        await stream.connect()
        await Promise.all(texts(MANY).map((text) => stream.publish(bytes(text))))
        // With QoS 0, "accepted" means handed to the socket: closing sends the rest before the end.
        await stream.close()
        await consumer.distinct(MANY)
        expect(await consumer.untilEnd()).toEqual(texts(MANY))
      },
    )
  })

  it('sends every message to every topic', async () => {
    const [first, second] = [await witness(broker.url, 'several/a'), await witness(broker.url, 'several/b')]
    opened(first)
    opened(second)
    const stream = opened(mqtt({ url: broker.url, topic: ['several/a', 'several/b'] }))
    await stream.connect()
    await stream.publish(bytes('to both'))
    await Promise.all([first.hears('to both'), second.hears('to both')])
    expect(await first.untilEnd()).toEqual(['to both'])
    expect(await second.untilEnd()).toEqual(['to both'])
  })

  it('leaves no message for later subscribers by default', async () => {
    const stream = opened(mqtt({ url: broker.url, topic: 'kept/not' }))
    await stream.connect()
    await stream.publish(bytes('passing'))
    const consumer = opened(await witness(broker.url, 'kept/not'))
    expect(await consumer.untilEnd()).toEqual([])
  })

  it('leaves the last message for later subscribers if retain is true', async () => {
    const stream = opened(mqtt({ url: broker.url, topic: 'kept/last', retain: true }))
    await stream.connect()
    await stream.publish(bytes('staying'))
    const consumer = opened(await witness(broker.url, 'kept/last'))
    expect(await consumer.distinct(1)).toEqual(new Set(['staying']))
  })

  it('sends only the bytes of a view on a larger buffer', async () => {
    const consumer = opened(await witness(broker.url, 'view'))
    const stream = opened(mqtt({ url: broker.url, topic: 'view' }))
    await stream.connect()
    const memory = new Uint8Array(16 * 1024 * 1024).fill(65)
    await stream.publish(memory.subarray(1_000, 1_005))
    await consumer.distinct(1)
    expect(await consumer.untilEnd()).toEqual(['AAAAA'])
  })

  // The code that prevents packet id clashes is the same on all platforms. So many messages take ten seconds, in
  // browsers half a minute.
  const once = it.runIf(platform.name === 'node' && name === 'Mosquitto')
  once('settles 70,000 simultaneous publishes, more than there are packet ids', async () => {
    const options = { maxQueuedMessages: 70_000, publishTimeoutMs: 3_600_000 }
    const stream = opened(mqtt({ url: broker.url, topic: 'many', ...options }))
    await stream.connect()
    const message = bytes('one of many')
    const all = await Promise.all(Array.from({ length: 70_000 }, () => stream.publish(message)))
    expect(all).toHaveLength(70_000)
  })

  it('emits "online" when it is connected, and "offline" when it is closed', async () => {
    const stream = opened(mqtt({ url: broker.url, topic: 'state' }))
    const events: string[] = []
    stream.addEventListener('online', () => events.push('online'))
    stream.addEventListener('offline', () => events.push('offline'))
    expect(stream.online).toBe(false)
    await stream.connect()
    expect(stream.online).toBe(true)
    await stream.close()
    expect(stream.online).toBe(false)
    expect(events).toEqual(['online', 'offline'])
  })
})

describe.each(brokersOfTransport)('mqtt with a password, and $name', ({ start }) => {
  let broker: TestBroker
  beforeAll(async () => {
    broker = await start({ username: 'ada', password: 'correct horse' })
  })
  afterAll(() => broker.stop())

  it('connects with the right password', async () => {
    const stream = mqtt({ url: broker.url, topic: 't', username: 'ada', password: 'correct horse' })
    await stream.connect()
    await stream.publish(bytes('hello'))
    await stream.close()
  })

  it('names the broker and the reason, never the password, when the password is refused', async () => {
    const stream = mqtt({ url: broker.url, topic: 't', username: 'ada', password: 'battery staple' })
    const error = await stream.connect().catch((thrown) => thrown)
    expect(error).toMatchObject({ name: 'AlvariumError', code: 'STREAM_UNREACHABLE' })
    expect(error.message).toContain(new URL(broker.url).host)
    expect(error.message).toMatch(/not authorized/i)
    expect(`${error.stack}${JSON.stringify(error.cause)}`).not.toContain('battery staple')
    await stream.close()
  })
})

it('an mqtt stream leaves an idle connection open', async () => {
  const lost: string[] = []
  const quiet = async ({ name, start }: (typeof brokers)[number]) => {
    const broker = await start()
    onTestFinished(broker.stop)
    const stream = mqtt({ url: broker.url, topic: 'quiet', keepAliveSeconds: 10 })
    onTestFinished(() => stream.close())
    await stream.connect()
    stream.addEventListener('offline', () => lost.push(name))
    // Longer than a broker waits, which is one and a half periods: a busy machine may ping five seconds late.
    await new Promise((resolve) => setTimeout(resolve, 16_000))
  }
  await Promise.all(brokers.map(quiet))
  expect(lost).toEqual([])
})
