// @own-process: it counts unhandled rejections of the process
import { mqtt, openSdk, type Subscription, type SubscriptionOptions, source, subscribe } from 'alvarium-sdk'
import { instrumentSubscription } from 'alvarium-sdk/opentelemetry'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startEmbedded } from '../brokers/embedded.js'
import { utf8 } from '../support/bytes.js'
import { quiet } from '../support/deferred.js'
import { closing, sender } from '../support/receiving.js'
import { key, keyring } from '../support/sdk.js'
import { always, each, type Fault, faulty, loggerWith, outcomeOf, unhandledRejections } from './faults.js'

const SHORT_MS = 100
const LONG_MS = 60_000
const has = () => false
const add = () => {}
const publish = () => {}

const PLUG_INS: Readonly<Record<string, (fault: Fault) => Partial<SubscriptionOptions>>> = {
  logger: (fault) => ({ logger: loggerWith(fault) }),
  'store.has': (fault) => ({ dedup: { store: { has: faulty(fault), add }, timeoutMs: SHORT_MS } }),
  'store.add': (fault) => ({ dedup: { store: { has, add: faulty(fault) }, timeoutMs: SHORT_MS } }),
  'store.hasAll': (fault) => ({ dedup: { store: { has, add, hasAll: faulty(fault) }, timeoutMs: SHORT_MS } }),
  'store.addAll': (fault) => ({ dedup: { store: { has, add, addAll: faulty(fault) }, timeoutMs: SHORT_MS } }),
  'deadLetter.connect': (fault) => ({ deadLetter: { publish, connect: faulty(fault) } }),
  'deadLetter.publish': (fault) => ({ deadLetter: { publish: faulty(fault) } }),
  'deadLetter.close': (fault) => ({ deadLetter: { publish, close: faulty(fault) } }),
}

async function listening(options: Partial<SubscriptionOptions>) {
  const broker = await startEmbedded()
  onTestFinished(broker.stop)
  const where = { url: broker.url, topic: 't' }
  const bundles = subscribe({
    ...where,
    keyring,
    closeTimeoutMs: SHORT_MS,
    deadLetterTimeoutMs: SHORT_MS,
    ...options,
    clientId: 'one',
  })
  onTestFinished(() => bundles.close().catch(() => {}))
  return { broker, where, bundles }
}

/** Sends a message that does not verify, then `count` that do. */
async function send(url: string, count: number): Promise<void> {
  const stream = await sender(url, 't')
  await stream.publish(utf8('hello'))
  const sdk = closing(await openSdk({ signingKey: key.signingKey, annotators: [source()], stream }))
  for (let at = 0; at < count; at++) await sdk.create(utf8(`${at}`))
}

/** Outcomes of a loop over two bundles, and of `close()` after it. */
const EXPECTED = [
  ...each('logger', always(['ok', 'ok'])),
  ...each('store.has', always(['STORE_FAILED', 'ok'])),
  ...each('store.add', { ...always(['STORE_FAILED', 'ok']), 'returns a symbol': ['ok', 'ok'] }),
  ...each('store.hasAll', always(['STORE_FAILED', 'ok'])),
  ...each('store.addAll', { ...always(['STORE_FAILED', 'ok']), 'returns a symbol': ['ok', 'ok'] }),
  ...each('deadLetter.connect', {
    throws: ['STREAM_UNREACHABLE', 'ok'],
    rejects: ['STREAM_UNREACHABLE', 'ok'],
    hangs: ['STREAM_TIMEOUT', 'ok'],
    'returns a symbol': ['ok', 'ok'],
  }),
  ...each('deadLetter.publish', {
    throws: ['STREAM_FAILED', 'ok'],
    rejects: ['STREAM_FAILED', 'ok'],
    hangs: ['STREAM_TIMEOUT', 'ok'],
    'returns a symbol': ['ok', 'ok'],
  }),
  ...each('deadLetter.close', {
    throws: ['ok', 'STREAM_FAILED'],
    rejects: ['ok', 'STREAM_FAILED'],
    hangs: ['ok', 'STREAM_TIMEOUT'],
    'returns a symbol': ['ok', 'ok'],
  }),
]

const LOOPS: [string, (bundles: Subscription) => Pick<AsyncGenerator, 'next'>][] = [
  ['a loop over bundles', (bundles) => bundles[Symbol.asyncIterator]()],
  ['a loop over groups', (bundles) => bundles.groups({ max: 1 })[Symbol.asyncIterator]()],
]

describe.each(LOOPS)('the outcomes of %s of a subscription and of a later close()', (_, loopOver) => {
  it.each(EXPECTED)('with a plug-in %s that %s, are %j', async (plugIn, fault, expected) => {
    const unhandled = unhandledRejections()
    const { where, bundles } = await listening(PLUG_INS[plugIn]?.(fault) ?? {})
    for (const type of ['online', 'offline', 'rejected'] as const)
      bundles.addEventListener(type, faulty(fault))
    const loop = loopOver(bundles)
    const given = outcomeOf(async () => {
      for (let count = 0; count < 2; count++) await loop.next()
    })
    await outcomeOf(() => bundles.open())
    await send(where.url, 2)
    expect([await given, await outcomeOf(() => bundles.close())]).toEqual(expected)
    await quiet()
    expect(unhandled).toEqual([])
  })
})

// claim: own-code-11
describe('close() of a subscription ends a loop that waits', () => {
  const store = { has: faulty('hangs'), add }
  it.each<[string, Partial<SubscriptionOptions>]>([
    ['a store', { dedup: { store, timeoutMs: LONG_MS } }],
    ['the publication of a dead letter', { deadLetter: { publish: faulty('hangs') } }],
    ['the connection of the dead-letter stream', { deadLetter: { publish, connect: faulty('hangs') } }],
  ])('for %s', async (_, options) => {
    const unhandled = unhandledRejections()
    const { where, bundles } = await listening({ deadLetterTimeoutMs: LONG_MS, ...options })
    const next = bundles[Symbol.asyncIterator]().next()
    const opening = outcomeOf(() => bundles.open())
    if (!options.deadLetter?.connect) await opening
    await send(where.url, 1)
    await bundles.close()
    expect(await next).toEqual({ done: true, value: undefined })
    await quiet()
    expect(unhandled).toEqual([])
  })
})

it('a dead-letter stream can be used again, even if its close() failed', async () => {
  const close = vi.fn(async () => {})
  close.mockRejectedValueOnce(new Error('EIO'))
  const deadLetter = { publish, close }
  for (const expected of ['STREAM_FAILED', 'ok', 'ok']) {
    const { bundles } = await listening({ deadLetter })
    await bundles.open()
    expect(await outcomeOf(() => bundles.close())).toBe(expected)
  }
  expect(close).toHaveBeenCalledTimes(3)
})

describe('ack() without await', () => {
  it.each([
    ['a subscription', <T>(bundles: T) => bundles],
    ['an instrumented subscription', instrumentSubscription],
  ])('of %s is logged if it fails, and causes no unhandled rejection', async (_, instrumented) => {
    const unhandled = unhandledRejections()
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    const dedup = { store: { has, add: faulty('rejects') } }
    const { where, bundles } = await listening({ ack: 'manual', dedup, logger })
    await bundles.open()
    await send(where.url, 2)
    let count = 0
    for await (const bundle of instrumented(bundles)) {
      void bundle.ack()
      if (++count === 2) break
    }
    await quiet()
    expect(unhandled).toEqual([])
    const text = 'a bundle was not acknowledged, and will be redelivered'
    expect(logger.error).toHaveBeenCalledWith(
      { err: expect.objectContaining({ code: 'STORE_FAILED' }) },
      text,
    )
  })
})

describe('a logger that throws', () => {
  it('prevents neither a stream nor a subscription from reconnecting', async () => {
    const logger = loggerWith('throws')
    const { broker, where, bundles } = await listening({ logger })
    await bundles.open()
    const stream = closing(mqtt(where))
    await stream.connect({ logger })
    const back = [
      new Promise((resolve) => stream.addEventListener('online', resolve)),
      new Promise((resolve) => bundles.addEventListener('online', resolve)),
    ]
    await broker.kill()
    await broker.restart()
    await Promise.all(back)
    await stream.publish(utf8('hello'))
  })
})
