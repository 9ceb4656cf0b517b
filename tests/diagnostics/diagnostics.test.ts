import { subscribe as listen, unsubscribe as unlisten } from 'node:diagnostics_channel'
import { classic, type DiagnosticsChannels, memory, mqtt, openSdk, source, subscribe } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmbedded } from '../brokers/embedded.js'
import { utf8 } from '../support/bytes.js'
import { Connection, queueWith } from '../support/queues.js'
import { closing } from '../support/receiving.js'
import { key, keyring, opened } from '../support/sdk.js'

const { signingKey } = key
const payload = utf8('hello')

type Name = keyof DiagnosticsChannels
type Said<N extends Name> = DiagnosticsChannels[N]

/** Records the messages of a channel until the end of the test. */
function heardOn<N extends Name>(name: N): Said<N>[] {
  const heard: Said<N>[] = []
  const hear = (said: unknown) => void heard.push(said as Said<N>)
  listen(name, hear)
  onTestFinished(() => void unlisten(name, hear))
  return heard
}

async function embedded() {
  const broker = await startEmbedded()
  onTestFinished(broker.stop)
  return broker
}

describe("an SDK, on Node's diagnostics channels", () => {
  it('reports that a message was signed and accepted, with the published bytes', async () => {
    const [sealed, accepted] = [heardOn('alvarium-sdk:sealed'), heardOn('alvarium-sdk:accepted')]
    const { sdk } = await opened([source()])
    const { message } = await sdk.create(payload)
    await sdk.close()
    expect(sealed).toEqual([{ message, tookMs: expect.any(Number) }])
    expect(accepted).toEqual([{ message, tookMs: expect.any(Number) }])
    expect(accepted[0]?.message).toBe(sealed[0]?.message)
  })

  it('reports a batch of three bundles as one signed message', async () => {
    const sealed = heardOn('alvarium-sdk:sealed')
    const { sdk } = await opened([source()])
    await sdk.createMany([payload, payload, payload])
    await sdk.close()
    expect(sealed).toHaveLength(1)
  })

  it('reports which message the stream did not accept, and why', async () => {
    const failed = heardOn('alvarium-sdk:failed')
    const stream = { publish: () => Promise.reject(new Error('no room')) }
    await using sdk = await openSdk({ signingKey, annotators: [source()], stream })
    const error = await sdk.create(payload).catch((error: unknown) => error)
    expect(failed).toEqual([{ message: expect.any(Uint8Array), error }])
    expect(failed[0]?.error).toMatchObject({ code: 'STREAM_FAILED' })
  })

  it('reports nothing to listeners that have unsubscribed', async () => {
    const heard: unknown[] = []
    const hear = (said: unknown) => heard.push(said)
    listen('alvarium-sdk:sealed', hear)
    unlisten('alvarium-sdk:sealed', hear)
    await using sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
    await sdk.create(payload)
    expect(heard).toEqual([])
  })
})

describe("an mqtt stream, on Node's diagnostics channels", () => {
  it('reports each message that it sends, and each acknowledgement, for each topic', async () => {
    const published = heardOn('alvarium-sdk:mqtt:published')
    const acknowledged = heardOn('alvarium-sdk:mqtt:acknowledged')
    const { url } = await embedded()
    const stream = closing(mqtt({ url, topic: ['a', 'b'] }))
    await stream.connect()
    await stream.publish(payload)
    const packets = ['a', 'b'].map((topic) => ({ topic, bytes: payload.length }))
    expect(published).toEqual(packets)
    expect(acknowledged).toEqual(packets.map((packet) => ({ ...packet, tookMs: expect.any(Number) })))
  })

  it('reports lost and restored connections, and messages that are sent again', async () => {
    const connected = heardOn('alvarium-sdk:mqtt:connected')
    const disconnected = heardOn('alvarium-sdk:mqtt:disconnected')
    const [published, resent] = [heardOn('alvarium-sdk:mqtt:published'), heardOn('alvarium-sdk:mqtt:resent')]
    const broker = await embedded()
    const stream = closing(mqtt({ url: broker.url, topic: 't', clientId: 'line-1' }))
    await stream.connect()
    const accepted = stream.publish(payload)
    await broker.kill()
    await broker.restart()
    await accepted
    const where = { url: `${broker.url}/`, clientId: 'line-1' }
    expect(connected).toEqual([0, 1].map((reconnects) => ({ ...where, reconnects })))
    expect(disconnected).toEqual([{ ...where, reason: expect.any(Error) }])
    expect([published, resent]).toEqual([[{ topic: 't', bytes: 5 }], [{ topic: 't', bytes: 5 }]])
  })

  it('reports each message that it rejects, with the error', async () => {
    const rejected = heardOn('alvarium-sdk:mqtt:rejected')
    const broker = await embedded()
    const stream = closing(mqtt({ url: broker.url, topic: 't', publishTimeoutMs: 300, maxQueuedMessages: 1 }))
    await stream.connect()
    await broker.kill()
    const late = stream.publish(payload).catch((error: unknown) => error)
    const full = await stream.publish(payload).catch((error: unknown) => error)
    expect(rejected).toEqual([full, await late].map((error) => ({ bytes: payload.length, error })))
    expect(rejected.map(({ error }) => error)).toMatchObject([
      { code: 'QUEUE_FULL' },
      { code: 'STREAM_TIMEOUT' },
    ])
  })
})

describe("the queue of an mqtt stream, on Node's diagnostics channels", () => {
  it('reports a message as rejected only once, even if the broker rejects it for two topics', async () => {
    const rejected = heardOn('alvarium-sdk:mqtt:rejected')
    const queue = queueWith({ topic: ['one', 'other'] })
    const connection = new Connection(10)
    queue.attach(connection)
    const call = queue.add(payload).catch((error: unknown) => error)
    for (const answer of connection.answers) answer(new Error('refused'))
    expect(rejected).toEqual([{ bytes: payload.length, error: await call }])
  })

  it('does not report a rejected message as acknowledged', () => {
    const acknowledged = heardOn('alvarium-sdk:mqtt:acknowledged')
    const queue = queueWith()
    const connection = new Connection(10)
    queue.attach(connection)
    queue.add(payload).catch(() => {})
    connection.answers[0]?.(new Error('refused'))
    expect(acknowledged).toEqual([])
  })
})

describe("a subscription, on Node's diagnostics channels", () => {
  it('reports verified bundles and rejected messages', async () => {
    const [verified, rejected] = [heardOn('alvarium-sdk:verified'), heardOn('alvarium-sdk:rejected')]
    const { url } = await embedded()
    const bundles = closing(subscribe({ url, topic: 't', durable: false, keyring }))
    await bundles.open()
    const stream = mqtt({ url, topic: 't' })
    await using sdk = await openSdk({ signingKey, annotators: [source()], stream })
    await stream.publish(utf8('{}'))
    const { message } = await sdk.create(payload)
    for await (const bundle of bundles) {
      expect(verified).toMatchObject([{ topic: 't', bundle: { id: bundle.id, action: 'create' } }])
      expect(Uint8Array.from(verified[0]?.message ?? [])).toEqual(message)
      break
    }
    expect(rejected).toMatchObject([{ topic: 't', error: { code: 'MESSAGE_MALFORMED' } }])
  })

  it('reports verified classic messages', async () => {
    const verified = heardOn('alvarium-sdk:classic:verified')
    const { url } = await embedded()
    const given = closing(subscribe({ url, topic: 't', durable: false, keyring, classic: true }))
    await given.open()
    const stream = mqtt({ url, topic: 't' })
    const codec = classic({ signingKey, dialect: 'rust' })
    await using sdk = await openSdk({ signingKey, annotators: [source()], stream, codec })
    await sdk.create(payload)
    for await (const { id } of given) {
      expect(verified).toMatchObject([{ topic: 't', id, action: 'create', dialect: 'rust' }])
      break
    }
  })
})
