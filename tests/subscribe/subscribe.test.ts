// @browser: WebSocket is the browser's own, incoming

import {
  AlvariumError,
  json,
  keyOf,
  type MemoryStream,
  mqtt,
  openSdk,
  type RejectedEvent,
  type Subscription,
  source,
  subscribe,
  verifyMessage,
} from 'alvarium-sdk'
import { type CompletenessWatch, completeness } from 'alvarium-sdk/completeness'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { brokersOfTransport, type TestBroker } from '../brokers/brokers.js'
import { key, keyring } from '../support/sdk.js'

/** More messages than a consumer receives before a timer runs, even in a browser on a busy machine. */
const MANY = 500
const bytes = (text: string) => new TextEncoder().encode(text)

describe.each(brokersOfTransport)('subscribing with $name', ({ start }) => {
  let broker: TestBroker
  beforeAll(async () => {
    broker = await start()
  })
  afterAll(() => broker.stop())

  /** Opens an SDK, a stream for other messages, and a subscription, all on one topic. */
  async function parties(topic: string) {
    const { url } = broker
    const bundles = subscribe({ url, topic, keyring, durable: false })
    await bundles.open()
    const raw = mqtt({ url, topic })
    await raw.connect()
    const stream = mqtt({ url, topic })
    const sdk = await openSdk({ signingKey: key.signingKey, annotators: [source()], stream })
    const close = () => Promise.all([bundles.close(), sdk.close(), raw.close()])
    return { bundles, sdk, raw, [Symbol.asyncDispose]: async () => void (await close()) }
  }

  it('delivers every bundle, verified, with the bytes and the topic of its message', async () => {
    await using party = await parties('bundles')
    const payloads = ['a', 'b', 'c'].map(bytes)
    const receipts = await Promise.all(payloads.map((payload) => party.sdk.create(payload)))
    const received = []
    for await (const bundle of party.bundles) if (received.push(bundle) === 3) break
    expect(received.map(({ key: one }) => one)).toEqual(receipts.map(({ bundle }) => bundle.key))
    for (const [at, { topic, message }] of received.entries()) {
      expect(topic).toBe('bundles')
      await expect(verifyMessage(message, { keyring, payload: payloads[at] })).resolves.toBeDefined()
    }
  })

  it('delivers bundles in groups, each of which is acknowledged when the next is requested', async () => {
    const [clientId, topic] = ['grouped', 'groups']
    const archive = () => subscribe({ url: broker.url, topic, keyring, clientId, prefetch: 100 })
    const first = archive()
    await first.open()
    const stream = mqtt({ url: broker.url, topic })
    const sdk = await openSdk({ signingKey: key.signingKey, annotators: [source()], stream })
    const ids: string[] = []
    for (let at = 0; at < 25; at++) ids.push((await sdk.create(bytes(`${at}`))).id)
    await sdk.close()
    const seen: string[][] = []
    // The third group is not acknowledged, so the broker redelivers it.
    for await (const { bundles } of first.groups({ max: 10, maxMs: 60_000 })) {
      if (seen.push(bundles.map(({ id }) => id)) === 2) void first.close()
    }
    expect(seen).toEqual([ids.slice(0, 10), ids.slice(10, 20)])
    const second = archive()
    for await (const { bundles } of second.groups({ max: 5, maxMs: 60_000 })) {
      expect(bundles.map(({ id }) => id)).toEqual(ids.slice(20))
      break
    }
  })

  it('allows a single loop, either over bundles or over groups', async () => {
    for (const [one, other] of [
      ['groups', Symbol.asyncIterator],
      [Symbol.asyncIterator, 'groups'],
      ['groups', 'groups'],
    ] as const) {
      const bundles = subscribe({ url: broker.url, topic: 't', keyring, durable: false })
      bundles[one]()
      expect(() => bundles[other]()).toThrow(expect.objectContaining({ code: 'STREAM_LOCKED' }))
      await bundles.close()
    }
  })

  it('skips messages that do not verify, and reports them in an event', async () => {
    await using party = await parties('rejected')
    const rejected: RejectedEvent[] = []
    party.bundles.addEventListener('rejected', (event) => rejected.push(event))
    const { message } = await party.sdk.create(bytes('a'))
    await party.raw.publish(bytes(new TextDecoder().decode(message).replace('true', 'false')))
    await party.raw.publish(bytes('hello'))
    const last = await party.sdk.create(bytes('b'))
    const received = []
    for await (const bundle of party.bundles) if (received.push(bundle.key) === 2) break
    expect(received[1]).toBe(last.bundle.key)
    expect(rejected.map(({ topic, error }) => [topic, error.code])).toEqual([
      ['rejected', 'SIGNATURE_INVALID'],
      ['rejected', 'MESSAGE_MALFORMED'],
    ])
    expect(new TextDecoder().decode(rejected[1]?.message)).toBe('hello')
  })

  it('lets the event loop run while a slow consumer receives the messages', async () => {
    await using party = await parties('steady')
    await Promise.all(Array.from({ length: MANY }, (_, at) => party.sdk.create(bytes(`${at}`))))
    let received = 0
    let receivedAtTimer = Number.POSITIVE_INFINITY
    const timer = () => {
      receivedAtTimer = received
    }
    for await (const _ of party.bundles) {
      // A browser on a busy machine may run no timer for a tenth of a second, but does so within ten seconds.
      busy(20)
      if (++received === 1) setTimeout(timer)
      if (received === MANY || receivedAtTimer < MANY) break
    }
    expect(receivedAtTimer).toBeLessThan(MANY)
  })

  it.each(['CORE_FAILED', 'CORE_UNAVAILABLE'] as const)(
    'ends with %s, an error that no message has caused, and emits no "rejected" event',
    async (code) => {
      const broken = new AlvariumError(code, 'core: the WebAssembly core crashed')
      const decode = () => {
        throw broken
      }
      const where = { url: broker.url, topic: code }
      const bundles = subscribe({ ...where, keyring, durable: false, codec: { ...json(), decode } })
      const [rejected, offline] = [vi.fn(), vi.fn()]
      bundles.addEventListener('rejected', rejected)
      bundles.addEventListener('offline', offline)
      await bundles.open()
      const raw = mqtt(where)
      await raw.connect()
      await raw.publish(bytes('a'))
      const iteration = bundles[Symbol.asyncIterator]()
      await expect(iteration.next()).rejects.toBe(broken)
      expect(rejected).not.toHaveBeenCalled()
      expect(offline).toHaveBeenCalledOnce()
      expect(await iteration.next()).toEqual({ done: true, value: undefined })
      await raw.close()
    },
  )

  it('logs each message that it skips', async () => {
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    const where = { url: broker.url, topic: 'logged' }
    const bundles = subscribe({ ...where, keyring, durable: false, logger })
    const rejection = new Promise<RejectedEvent>((resolve) => bundles.addEventListener('rejected', resolve))
    await bundles.open()
    const raw = mqtt(where)
    await raw.connect()
    await raw.publish(bytes('hello'))
    const ended = bundles[Symbol.asyncIterator]().next()
    const { error: err, topic } = await rejection
    expect(logger.warn.mock.calls).toEqual([[{ err, topic }, 'message rejected']])
    await bundles.close()
    expect(await ended).toMatchObject({ done: true })
    await raw.close()
  })

  it('does not look for missing messages while it has no connection, because they may wait at the broker', async () => {
    const own = await start()
    const watch: CompletenessWatch = completeness()
    // The watch has its functions at a symbol, which a test need not import.
    const functions = Object.getOwnPropertySymbols(watch).map((symbol) => Reflect.get(watch, symbol))[0]
    const begin = vi.spyOn(functions, 'begin')
    const where = { url: own.url, topic: 'behind', keyring, durable: false } as const
    const bundles = subscribe({ ...where, completeness: watch })
    const isBehind = () => (begin.mock.calls[0] as [{ isBehind(): boolean }])[0].isBehind()
    const heard = events(bundles)
    expect(isBehind()).toBe(true)
    await bundles.open()
    expect(await heard.next()).toBe('online')
    expect(isBehind()).toBe(false)
    await own.kill()
    expect(await heard.next()).toMatch(/^offline: ./)
    expect(isBehind()).toBe(true)
    await bundles.close()
    await own.stop()
  })

  it('emits "online" when the broker accepts the subscription, "offline" when the connection is lost, and "online" after a reconnect', async () => {
    const own = await start()
    const bundles = subscribe({ url: own.url, topic: 'events', keyring, durable: false })
    const heard = events(bundles)
    await bundles.open()
    expect(await heard.next()).toBe('online')
    await own.kill()
    expect(await heard.next()).toMatch(/^offline: ./)
    await own.restart()
    expect(await heard.next()).toBe('online')
    await bundles.close()
    expect(await heard.next()).toBe('offline: mqtt: the subscription is closed')
    await own.stop()
  })

  it('sends no event to a removed listener', async () => {
    await using party = await parties('removed')
    const told: string[] = []
    const listener = () => told.push('offline')
    party.bundles.addEventListener('offline', listener)
    party.bundles.removeEventListener('offline', listener)
    await party.bundles.close()
    expect(told).toEqual([])
  })

  it('ends its loop with close()', async () => {
    await using party = await parties('ends')
    const ended = (async () => {
      for await (const _ of party.bundles);
      return 'ended'
    })()
    await party.bundles.close()
    expect(await ended).toBe('ended')
  })

  it('resolves close() when the loop has acknowledged its last bundle, which is not redelivered', async () => {
    await using party = await parties('acknowledged late')
    const where = { url: broker.url, topic: 'acknowledged late', keyring, clientId: 'acknowledges late' }
    const first = subscribe({ ...where, ack: 'manual' })
    await first.open()
    const loop = first[Symbol.asyncIterator]()
    await party.sdk.create(bytes('acknowledged'))
    const { value: bundle } = await loop.next()
    const order: string[] = []
    const ended = first.close().then(() => order.push('closed'))
    // Each call is a round trip to the broker; a DISCONNECT needs only one.
    for (let at = 0; at < 10; at++) await party.sdk.create(bytes(`${at}`))
    order.push('acknowledged')
    bundle?.ack()
    await ended
    expect(order).toEqual(['acknowledged', 'closed'])
    await using second = subscribe(where)
    const next = await second[Symbol.asyncIterator]().next()
    expect(next.value?.key).toBe(keyOf(bytes('0')))
  })

  it('ends when the signal aborts, or does not begin if the signal has aborted before', async () => {
    const controller = new AbortController()
    const where = {
      url: broker.url,
      topic: 'aborted',
      keyring,
      durable: false,
      signal: controller.signal,
    } as const
    const bundles = subscribe(where)
    await bundles.open()
    const waiting = bundles[Symbol.asyncIterator]().next()
    controller.abort()
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(await subscribe(where)[Symbol.asyncIterator]().next()).toMatchObject({ done: true })
  })

  it('refuses a second loop, and delivers the next message to the first', async () => {
    await using party = await parties('one loop')
    const first = party.bundles[Symbol.asyncIterator]()
    const second = async () => {
      for await (const _ of party.bundles) break
    }
    await expect(second()).rejects.toMatchObject({ code: 'STREAM_LOCKED' })
    const { bundle } = await party.sdk.create(bytes('a'))
    expect((await first.next()).value?.key).toBe(bundle.key)
    await first.return()
    await expect(second()).rejects.toThrow('expected one loop, got a second')
  })
})

function busy(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

function events(bundles: Subscription) {
  const stream = new ReadableStream<string>({
    start(controller) {
      bundles.addEventListener('online', () => controller.enqueue('online'))
      bundles.addEventListener('offline', ({ detail }) => controller.enqueue(`offline: ${detail.message}`))
    },
  })
  const reader = stream.getReader()
  return { next: async () => (await reader.read()).value }
}

describe('subscribing with options that cannot work', () => {
  it.each([
    [{ url: 'http://broker' }, 'url: expected a URL with'],
    [{ topic: 'a/#/b' }, 'topic.0: expected a topic filter'],
    [{ ack: 'later' as 'next' }, 'ack: expected next or manual'],
    [{ dedup: { max: 0 } }, 'dedup.max: expected an integer from 1'],
    [{ deadLetter: {} as MemoryStream }, 'deadLetter: expected a stream with publish()'],
  ])('refuses %o', (wrong, text) => {
    const options = { url: 'ws://127.0.0.1:1', topic: 'a', keyring, durable: false as const, ...wrong }
    expect(() => subscribe(options)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
    expect(() => subscribe(options)).toThrow(text)
  })

  // claim: verifying-35
  it('requires a clientId unless durable is false, as do the types', () => {
    const where = { url: 'ws://127.0.0.1:1', topic: 'a', keyring }
    const maybe: { readonly clientId?: string } = {}
    const refused = (subscribing: () => unknown) =>
      expect(subscribing).toThrow(
        expect.objectContaining({
          code: 'CONFIG_INVALID',
          message: expect.stringContaining('clientId: needs a name of this subscriber'),
        }),
      )
    // @ts-expect-error: neither of them
    refused(() => subscribe(where))
    // @ts-expect-error: the same, with messages of other SDKs
    refused(() => subscribe({ ...where, classic: true }))
    // @ts-expect-error: kept, but under no name
    refused(() => subscribe({ ...where, durable: true }))
    // @ts-expect-error: a name that may not be there, as of a variable of the environment
    refused(() => subscribe({ ...where, clientId: maybe.clientId }))
  })
})
