// @own-process: it stops the clock
// @node-only: it has an annotator that looks at a file

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checksum } from 'alvarium-artifacts'
import {
  AlvariumError,
  mqtt,
  openSdk,
  type SdkOptions,
  type StreamProvider,
  signBytes,
  source,
  tee,
} from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { pool } from 'alvarium-sdk/pool'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startEmbedded } from '../brokers/embedded.js'
import { utf8 } from '../support/bytes.js'
import { deferred, quiet } from '../support/deferred.js'
import { outgoing } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'
import { closing } from '../support/receiving.js'
import { key } from '../support/sdk.js'
import { stopTimers } from '../support/turns.js'

type Broker = Awaited<ReturnType<typeof startEmbedded>>
let broker: Broker
let folder: string
beforeAll(async () => {
  broker = await startEmbedded()
  folder = await mkdtemp(join(tmpdir(), 'alvarium-ready-'))
  await writeFile(join(folder, 'artifact'), 'hello')
})
afterAll(async () => {
  await broker.stop()
  await rm(folder, { recursive: true })
})

const open = async (options: Partial<SdkOptions>) =>
  closing(await openSdk({ signingKey: key.signingKey, annotators: [source()], ...options } as SdkOptions))
const toBroker = (limits = {}) => mqtt({ url: broker.url, topic: 't', maxQueuedMessages: 100, ...limits })

/** Makes so many calls, each after `ready()`. Returns how many were accepted, and the codes of the others. */
async function called(options: Partial<SdkOptions>, count = 300, payload = utf8('21.4')) {
  const sdk = await open(options)
  const calls: Promise<string>[] = []
  for (let at = 0; at < count; at++) {
    await sdk.ready({ bytes: payload.length })
    calls.push(
      sdk.create(payload).then(
        () => 'accepted',
        ({ code }) => code,
      ),
    )
  }
  const outcomes: Record<string, number> = {}
  for (const outcome of await Promise.all(calls)) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  return outcomes
}

const later = { kind: 'later', isSatisfied: () => new Promise<boolean>((done) => setTimeout(done, 2, true)) }

// claim: delivery-5
describe('a caller that waits for ready() before each call never gets QUEUE_FULL', () => {
  it.each([
    ['with annotators that answer at once', () => ({})],
    ['with an annotator that answers later', () => ({ annotators: [later] })],
    [
      'with checksum()',
      () => ({
        annotators: [
          checksum({ artifactPath: join(folder, 'artifact'), checksumPath: join(folder, 'artifact') }),
        ],
      }),
    ],
    [
      'with a signer that answers later',
      () => ({
        signingKey: {
          verifyingKey: key.verifyingKey,
          sign: async (identity: Uint8Array) => {
            await new Promise((done) => setTimeout(done, 1))
            return signBytes(key.signingKey, identity)
          },
        },
      }),
    ],
    [
      'with a key of WebCrypto',
      async () => ({
        signingKey: (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair,
      }),
    ],
    ['with a pool', async () => ({ pool: closing(await pool({ workers: 1 })) })],
    [
      'with a pool of small capacity',
      async () => ({ pool: closing(await pool({ workers: 1, maxQueuedCalls: 5 })), annotators: [later] }),
    ],
    ['in batches', () => ({ batch: { maxBundles: 7, maxDelayMs: 1 }, annotators: [later] })],
  ] as const)('%s', async (_, options) => {
    expect(await called({ stream: toBroker({ maxQueuedMessages: 20 }), ...(await options()) })).toEqual({
      accepted: 300,
    })
  })

  it.each([
    ['messages', async () => ({ stream: toBroker({ maxQueuedBytes: 100_000 }), hash: 'none' as const })],
    [
      'messages of a batch',
      async () => ({
        stream: toBroker({ maxQueuedBytes: 100_000 }),
        hash: 'none' as const,
        batch: { maxBytes: 100_000, maxDelayMs: 1 },
      }),
    ],
    [
      'payloads in a pool',
      async () => ({
        stream: toBroker(),
        pool: closing(await pool({ workers: 1, maxQueuedBytes: 99_999 })),
      }),
    ],
  ] as const)('with a limit on bytes: %s', async (_, options) => {
    expect(
      await called({ ...(await options()), annotators: [later] }, 12, new Uint8Array(50_000).fill(97)),
    ).toEqual({ accepted: 12 })
  })

  it.each([
    ['an outbox', (stream: StreamProvider) => stream],
    ['an outbox under tee', (stream: StreamProvider) => tee(toBroker({ maxQueuedMessages: 20 }), stream)],
  ] as const)('with %s', async (_, around) => {
    const stream = outbox({ stream: toBroker(), store: newPlace(), maxBytes: 20_000 })
    expect(await called({ stream: around(stream), annotators: [later] })).toEqual({ accepted: 300 })
  })
})

/** Returns a stream with so many places, which answers on the test's request. */
function bounded(places: number) {
  const waiting: (() => void)[] = []
  let changed = deferred()
  const stream = {
    publish: () => {
      if (waiting.length >= places) throw new AlvariumError('QUEUE_FULL', 'full')
      return new Promise<void>((resolve) => waiting.push(resolve))
    },
    hasRoom: ({ messages }: { messages: number }) => waiting.length + messages <= places || changed.promise,
  } satisfies StreamProvider
  const accept = async () => {
    waiting.shift()?.()
    changed.resolve()
    changed = deferred()
    await quiet()
  }
  onTestFinished(() => {
    for (const resolve of waiting) resolve()
  })
  return { stream, accept, waiting }
}

describe('many callers that wait for ready() at the same time', () => {
  // claim: delivery-6
  it('each get capacity reserved for one call, in the order in which they called ready()', async () => {
    const { stream, accept } = bounded(3)
    const sdk = await open({ stream })
    const order: number[] = []
    const outcomes: string[] = []
    for (let at = 0; at < 100; at++) {
      void (async () => {
        await sdk.ready()
        order.push(at)
        await sdk.create(utf8('a')).then(
          () => outcomes.push('accepted'),
          ({ code }) => outcomes.push(code),
        )
      })()
    }
    await quiet()
    expect(order).toEqual([0, 1, 2])
    for (let left = 100; left > 0; left--) await accept()
    expect(order).toEqual(Array.from({ length: 100 }, (_, at) => at))
    expect(outcomes).toEqual(Array.from({ length: 100 }, () => 'accepted'))
  })

  // claim: delivery-7
  it('lose their reserved capacity if they make no call within a second', async () => {
    await stopTimers('performance')
    onTestFinished(() => void vi.useRealTimers())
    const { stream } = bounded(1)
    const sdk = await openSdk({ signingKey: key.signingKey, annotators: [], stream })
    await sdk.ready()
    let isReady = false
    const second = sdk.ready().then(() => {
      isReady = true
    })
    await vi.advanceTimersByTimeAsync(999)
    expect(isReady).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await second
    await sdk.close()
  })

  it('keep reserved capacity for its full second even if a call meanwhile uses an older reservation', async () => {
    await stopTimers('performance')
    onTestFinished(() => void vi.useRealTimers())
    const { stream, accept } = bounded(2)
    const sdk = await openSdk({ signingKey: key.signingKey, annotators: [], stream })
    await sdk.ready()
    await vi.advanceTimersByTimeAsync(900)
    await sdk.ready()
    const call = sdk.create(utf8('a'))
    const ready = vi.fn()
    void sdk.ready().then(ready)
    await vi.advanceTimersByTimeAsync(999)
    expect(ready).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(ready).toHaveBeenCalledTimes(1)
    vi.useRealTimers()
    await accept()
    await call
    await sdk.close()
  })

  it('reserve no capacity after they have stopped waiting', async () => {
    await stopTimers('performance')
    onTestFinished(() => void vi.useRealTimers())
    let [isFull, left] = [true, deferred<void>()]
    const hasRoom = ({ messages }: { messages: number }) => {
      if (!isFull && messages <= 1) return true
      left = deferred()
      return left.promise
    }
    const sdk = await openSdk({
      signingKey: key.signingKey,
      annotators: [],
      stream: { publish() {}, hasRoom },
    })
    const gone = new AbortController()
    const stopped = [1, 2, 3].map(() => sdk.ready({ signal: gone.signal }))
    const waits = vi.fn()
    const waiting = sdk.ready().then(waits)
    gone.abort()
    for (const one of stopped) await expect(one).rejects.toBe(gone.signal.reason)
    isFull = false
    left.resolve()
    await vi.advanceTimersByTimeAsync(500)
    expect(waits).toHaveBeenCalledOnce()
    await waiting
    await sdk.close()
  })

  it('ask hasRoom() for their bytes plus the bytes of a mutate in progress', async () => {
    const hasRoom = vi.fn((_: { messages: number; bytes: number }) => true as const)
    const held = deferred<boolean>()
    const sdk = await openSdk({
      signingKey: key.signingKey,
      annotators: [{ kind: 'slow', isSatisfied: () => held.promise }],
      stream: { publish() {}, hasRoom },
      hash: 'none',
    })
    await sdk.ready({ bytes: 5_000 })
    expect(hasRoom.mock.lastCall?.[0]).toMatchObject({ messages: 1 })
    expect(hasRoom.mock.lastCall?.[0].bytes).toBeGreaterThan(5_000)
    const mutating = sdk.mutate(utf8('x'.repeat(40_000)), utf8('y'))
    await sdk.ready({ bytes: 1 })
    expect(hasRoom.mock.lastCall?.[0]).toMatchObject({ messages: 2 })
    expect(hasRoom.mock.lastCall?.[0].bytes).toBeGreaterThan(40_000)
    held.resolve(true)
    await mutating
    await sdk.close()
  })

  it('wait until calls that were made without ready() have freed the capacity', async () => {
    const { stream, accept } = bounded(2)
    const sdk = await open({ stream })
    const calls = [sdk.create(utf8('a')), sdk.create(utf8('b'))]
    const ready = vi.fn()
    void sdk.ready().then(ready)
    await quiet()
    expect(ready).not.toHaveBeenCalled()
    await accept()
    expect(ready).toHaveBeenCalledTimes(1)
    await accept()
    await Promise.all(calls)
  })
})

describe('a call that fails before it reaches the stream', () => {
  it.each([
    [
      'its annotators fail',
      {
        annotators: [
          {
            kind: 'a',
            needs: 'payload',
            isSatisfied: (context: { payload: Uint8Array }) =>
              new Promise<boolean>(
                () =>
                  void structuredClone(context.payload.buffer, {
                    transfer: [context.payload.buffer as ArrayBuffer],
                  }),
              ),
          },
        ],
        annotatorTimeoutMs: 10,
      },
    ],
    [
      'its signer fails',
      { signingKey: { verifyingKey: key.verifyingKey, sign: () => Promise.reject(new Error('no')) } },
    ],
  ] as const)('frees the capacity that ready() reserved for it if %s', async (_, options) => {
    const { stream } = bounded(1)
    const sdk = await open({ stream, ...options } as Partial<SdkOptions>)
    for (let at = 0; at < 3; at++) {
      await sdk.ready()
      await expect(sdk.create(new Uint8Array(1000), { transfer: true } as never)).rejects.toBeInstanceOf(
        AlvariumError,
      )
    }
  })

  it('frees the capacity that ready() reserved for it if its signal aborts', async () => {
    const { stream } = bounded(1)
    const sdk = await open({
      stream,
      annotators: [{ kind: 'a', isSatisfied: () => new Promise<boolean>(() => {}) }],
      annotatorTimeoutMs: 50,
    })
    const gone = new AbortController()
    await sdk.ready()
    const call = sdk.create(utf8('a'), { signal: gone.signal } as never)
    const ready = sdk.ready()
    gone.abort()
    await expect(call).rejects.toBe(gone.signal.reason)
    await ready
  })
})

describe('waiting for ready() ends', () => {
  it('with STREAM_CLOSED when the SDK is closed', async () => {
    const { stream } = bounded(0)
    const sdk = await openSdk({ signingKey: key.signingKey, annotators: [], stream })
    const waiting = [sdk.ready(), sdk.ready()]
    const closed = sdk.close()
    for (const one of [...waiting, sdk.ready()])
      await expect(one).rejects.toMatchObject({ code: 'STREAM_CLOSED' })
    await closed
  })

  it("with the reason of the caller's signal", async () => {
    const { stream } = bounded(0)
    const sdk = await open({ stream })
    const gone = new AbortController()
    const waiting = sdk.ready({ signal: gone.signal })
    gone.abort()
    await expect(waiting).rejects.toBe(gone.signal.reason)
    await expect(sdk.ready({ signal: gone.signal })).rejects.toBe(gone.signal.reason)
  })

  it('for a small call when the larger call ahead of it is aborted', async () => {
    const never = new Promise<void>(() => {})
    const hasRoom = ({ bytes }: { bytes: number }) => (bytes < 20_000 ? (true as const) : never)
    const sdk = await open({ stream: { publish() {}, hasRoom }, hash: 'none' })
    const gone = new AbortController()
    const large = sdk.ready({ bytes: 60_000, signal: gone.signal })
    const small = sdk.ready({ bytes: 10 })
    gone.abort()
    await expect(large).rejects.toBe(gone.signal.reason)
    await small
  })

  it('with STREAM_FAILED when an application’s own stream throws or rejects in hasRoom()', async () => {
    const no = new Error('no')
    const throws = () => {
      throw no
    }
    for (const hasRoom of [throws, () => Promise.reject(no)]) {
      const sdk = await open({ stream: { ...outgoing(), hasRoom } })
      await expect(sdk.ready()).rejects.toMatchObject({ code: 'STREAM_FAILED', cause: no })
      await expect(sdk.ready()).rejects.toMatchObject({ code: 'STREAM_FAILED', cause: no })
    }
  })

  it('with STREAM_FAILED when hasRoom() returns neither true nor a promise', async () => {
    const thrower = {
      // biome-ignore lint/suspicious/noThenProperty: a promise of somebody's own
      then() {
        throw new Error('no')
      },
    }
    for (const answer of [false, 'full', thrower]) {
      const sdk = await open({ stream: { ...outgoing(), hasRoom: () => answer as never } })
      const word = answer === thrower ? 'no' : String(answer)
      const text = `stream.hasRoom: expected true, or a promise, got: ${word}`
      for (const wait of [() => sdk.ready(), () => sdk.ready(), () => sdk.createMany([utf8('21.4')])])
        await expect(wait()).rejects.toMatchObject({ code: 'STREAM_FAILED', message: text })
      await sdk.create(utf8('21.4'))
    }
  })

  it('when the SDK is closed, even if each promise of hasRoom() resolves at once without room', async () => {
    const stream = { ...outgoing(), hasRoom: () => Promise.resolve() }
    const sdk = await openSdk({ signingKey: key.signingKey, annotators: [], stream })
    const waiting = expect(sdk.ready()).rejects.toMatchObject({ code: 'STREAM_CLOSED' })
    await quiet()
    await sdk.close()
    await waiting
  })

  it.each([-1, 1.5, Number.NaN, '7'])('with a RangeError for %j bytes', async (bytes) => {
    const sdk = await open({ stream: outgoing() })
    await expect(sdk.ready({ bytes: bytes as number })).rejects.toThrow(RangeError)
  })
})

it("ready() does not wait for a message that is longer than the stream's whole capacity", async () => {
  const stream = toBroker({ maxQueuedBytes: 100 })
  const sdk = await open({ stream })
  await sdk.ready()
  await expect(sdk.create(utf8('a'))).rejects.toMatchObject({ code: 'QUEUE_FULL' })
  await sdk.ready()
})

it('ready() resolves at once for a stream that does not state its capacity', async () => {
  const sdk = await open({ stream: outgoing() })
  for (let at = 0; at < 10; at++) await sdk.ready()
})
