import {
  AlvariumError,
  type Codec,
  json,
  memory,
  openSdk,
  type Sdk,
  type SdkOptions,
  type StreamContext,
  type StreamProvider,
  signBytes,
  source,
} from 'alvarium-sdk'
import { describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { deferred, quiet } from '../support/deferred.js'
import { codeOf, failure } from '../support/failure.js'
import { key, opened } from '../support/sdk.js'

const payload = utf8('hello')
const openWith = (stream: StreamProvider, options: Partial<SdkOptions> = {}) =>
  openSdk({ signingKey: key.signingKey, annotators: [source()], stream, ...options })
const everyCall = (sdk: Sdk) => [
  () => sdk.create(payload),
  () => sdk.mutate(payload, payload),
  () => sdk.transit(payload),
  () => sdk.publish(payload),
]

describe('closing an SDK', () => {
  it('rejects every later call with STREAM_CLOSED', async () => {
    const { sdk, stream } = await opened([source()])
    await sdk.close()
    for (const call of everyCall(sdk)) expect(await codeOf(call)).toBe('STREAM_CLOSED')
    expect(stream.messages).toEqual([])
  })

  it('rejects calls from the moment when close() is called', async () => {
    const { sdk } = await opened([source()])
    const closing = sdk.close()
    expect(await codeOf(() => sdk.create(payload))).toBe('STREAM_CLOSED')
    await closing
  })

  it('closes the stream once, however often the SDK is closed', async () => {
    const stream = { publish: vi.fn(), close: vi.fn() } satisfies StreamProvider
    const sdk = await openWith(stream)
    await Promise.all([sdk.close(), sdk.close()])
    await sdk.close()
    expect(stream.close).toHaveBeenCalledTimes(1)
  })

  it('happens at the end of an await using block', async () => {
    const stream = { publish: vi.fn(), close: vi.fn() } satisfies StreamProvider
    {
      await using sdk = await openWith(stream)
      await sdk.create(payload)
      expect(stream.close).not.toHaveBeenCalled()
    }
    expect(stream.close).toHaveBeenCalledTimes(1)
  })
})

describe('closing an SDK with calls in progress', () => {
  it('waits for an annotator, publishes the bundle, and only then closes the stream', async () => {
    const order: string[] = []
    const answer = deferred<boolean>()
    const stream = {
      publish: () => order.push('publish'),
      close: () => order.push('close'),
    } satisfies StreamProvider
    const annotators = [{ kind: 'slow', isSatisfied: () => answer.promise }]
    const sdk = await openSdk({ signingKey: key.signingKey, annotators, stream })
    const call = sdk.create(payload)
    const closing = sdk.close().then(() => order.push('closed'))
    await quiet()
    expect(order).toEqual([])
    answer.resolve(true)
    await closing
    expect(order).toEqual(['publish', 'close', 'closed'])
    expect((await call).bundle.annotations).toMatchObject([{ isSatisfied: true }])
  })

  it('waits for a signer, publishes the bundle, and only then closes the stream', async () => {
    const order: string[] = []
    const asked = deferred()
    const signed = deferred()
    const sign = async (identity: Uint8Array) => {
      asked.resolve()
      await signed.promise
      return signBytes(key.signingKey, identity)
    }
    const stream = { publish: () => order.push('publish'), close: () => order.push('close') }
    const signingKey = { verifyingKey: key.verifyingKey, sign }
    const sdk = await openSdk({ signingKey, annotators: [], stream })
    const call = sdk.create(payload)
    await asked.promise
    const closing = sdk.close()
    await quiet()
    expect(order).toEqual([])
    signed.resolve()
    await Promise.all([call, closing])
    expect(order).toEqual(['publish', 'close'])
  })

  it('waits for a signer, and rejects the call if the signature is invalid', async () => {
    const signature = deferred<Uint8Array>()
    const stream = memory()
    const signingKey = { verifyingKey: key.verifyingKey, sign: () => signature.promise }
    const sdk = await openSdk({ signingKey, annotators: [], stream })
    const call = codeOf(() => sdk.create(payload))
    const closing = sdk.close()
    signature.resolve(new Uint8Array(64))
    expect(await call).toBe('SIGNER_FAILED')
    await closing
  })

  // claim: delivery-8, streams-9
  it('closes the stream only when every message is settled', async () => {
    const answers = [deferred(), deferred()]
    const closed = vi.fn()
    let calls = 0
    const sdk = await openWith({ publish: () => answers[calls++]?.promise, close: closed })
    const [one, other] = [sdk.create(payload), codeOf(() => sdk.create(payload))]
    const closing = sdk.close()
    answers[0]?.resolve()
    await one
    await quiet()
    expect(closed).not.toHaveBeenCalled()
    answers[1]?.reject(new Error('no'))
    expect(await other).toBe('STREAM_FAILED')
    await closing
    expect(closed).toHaveBeenCalledOnce()
  })

  it('lets a stream with drainsOnClose settle its messages while it closes', async () => {
    const accepted = deferred()
    const stream = {
      drainsOnClose: true,
      publish: () => accepted.promise,
      close: () => accepted.resolve(),
    } satisfies StreamProvider
    const sdk = await openWith(stream)
    const call = sdk.create(payload)
    await sdk.close()
    expect((await call).bundle.action).toBe('create')
  })
})

describe('a stream that does not answer in time', () => {
  it.each([
    ['a single call', {}],
    ['a call in a batch', { batch: { maxDelayMs: 1 } }],
  ])('makes %s reject after streamTimeoutMs', async (_, options) => {
    const stream = { publish: () => new Promise(() => {}), close: vi.fn() }
    const sdk = await openWith(stream, { streamTimeoutMs: 30, ...options })
    const error = failure(() => sdk.create(payload))
    await sdk.close()
    expect(await error).toMatchObject({
      code: 'STREAM_TIMEOUT',
      message: 'stream.publish: expected the message to be accepted, got no answer within 30 ms',
    })
    expect(stream.close).toHaveBeenCalledOnce()
  })

  it('makes openSdk reject after connectTimeoutMs, and aborts the signal that connect() received', async () => {
    let wanted: AbortSignal | undefined
    const connect = ({ signal }: StreamContext) => {
      wanted = signal
      return new Promise(() => {})
    }
    const stream = { connect, publish: () => {} }
    expect(await failure(() => openWith(stream, { connectTimeoutMs: 30 }))).toMatchObject({
      code: 'STREAM_TIMEOUT',
      message: 'stream.connect: expected to connect, got no answer within 30 ms',
    })
    expect(wanted?.aborted).toBe(true)
    // The stream of the failed opening is free: another SDK can open it.
    await (await openWith({ ...stream, connect: () => {} })).close()
  })

  it('is closed if it connects after openSdk was aborted, unless another openSdk still connects the stream', async () => {
    const attempts = [deferred(), deferred()]
    const begun = [...attempts]
    const close = vi.fn()
    const stream = { connect: () => begun.shift()?.promise, publish: () => {}, close }
    const giveUp = async () => {
      const controller = new AbortController()
      const opening = openWith(stream, { signal: controller.signal }).catch((reason) => reason)
      await quiet()
      controller.abort(new Error('enough'))
      expect(await opening).toEqual(new Error('enough'))
    }
    await giveUp()
    await giveUp()
    attempts[0]?.resolve()
    await quiet()
    expect(close).not.toHaveBeenCalled()
    attempts[1]?.resolve()
    await quiet()
    expect(close).toHaveBeenCalledOnce()
  })

  it("makes openSdk reject as soon as the caller's signal aborts, even before connectTimeoutMs", async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    const later = new AbortController()
    const stream = { connect: () => new Promise(() => {}), publish: () => {} }
    const openings = [signal, later.signal].map((signal) =>
      openWith({ ...stream }, { connectTimeoutMs: 3_600_000, signal }).catch((reason) => reason),
    )
    later.abort(new Error('enough'))
    for (const opening of openings) expect(await opening).toEqual(new Error('enough'))
  })

  it('is not assumed if publish() resolves within streamTimeoutMs or returns nothing', async () => {
    const late = { publish: async () => quiet() }
    for (const stream of [late, { publish: () => undefined }]) {
      const sdk = await openWith(stream, { streamTimeoutMs: 20_000 })
      expect((await sdk.create(payload)).bundle.action).toBe('create')
      await sdk.close()
    }
  })
})

describe('an application’s own stream', () => {
  const cause = new Error('disk full')
  const refusals: [string, StreamProvider['publish']][] = [
    [
      'throws',
      () => {
        throw cause
      },
    ],
    ['rejects', () => Promise.reject(cause)],
    [
      'rejects later',
      async () => {
        await quiet()
        throw cause
      },
    ],
  ]

  it.each(refusals)(
    'makes a call reject with STREAM_FAILED and the cause if publish() %s',
    async (_, publish) => {
      for (const options of [{}, { streamTimeoutMs: 5000 }, { batch: { maxBundles: 1 } }]) {
        const sdk = await openWith({ publish }, options)
        for (const call of everyCall(sdk)) {
          expect(await failure(call)).toMatchObject({
            code: 'STREAM_FAILED',
            message: 'stream.publish: expected the message to be accepted, got: disk full',
            cause,
          })
        }
        await sdk.close()
      }
    },
  )

  // claim: streams-8
  it('may throw an AlvariumError, which reaches the caller unchanged', async () => {
    const full = new AlvariumError('QUEUE_FULL', 'queue: expected room, got none')
    const sdk = await openWith({ publish: () => Promise.reject(full) })
    expect(await failure(() => sdk.create(payload))).toBe(full)
  })

  it('can reject one message and still accept the next message', async () => {
    const publish = vi.fn().mockRejectedValueOnce(cause).mockResolvedValue(undefined)
    const sdk = await openWith({ publish })
    expect(await codeOf(() => sdk.create(payload))).toBe('STREAM_FAILED')
    expect((await sdk.create(payload)).bundle.action).toBe('create')
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw cause
      },
    ],
    ['rejects', () => Promise.reject(cause)],
  ])('makes openSdk reject with STREAM_UNREACHABLE and the cause if connect() %s', async (_, connect) => {
    const error = await failure(() => openWith({ connect, publish: () => {} }))
    expect(error).toMatchObject({
      code: 'STREAM_UNREACHABLE',
      cause,
      message: expect.stringContaining('disk full'),
    })
  })

  it('delays the result of openSdk until connect() has resolved', async () => {
    const connected = deferred()
    const opening = openWith({ connect: () => connected.promise, publish: () => {} })
    const done = vi.fn()
    opening.then(done)
    await quiet()
    expect(done).not.toHaveBeenCalled()
    connected.resolve()
    await opening
  })

  // claim: readme-5, delivery-1
  it('delays the result of each call until publish() has resolved', async () => {
    const accepted = deferred()
    const sdk = await openWith({ publish: () => accepted.promise })
    const done = vi.fn()
    const call = sdk.create(payload).then(done)
    await quiet()
    expect(done).not.toHaveBeenCalled()
    accepted.resolve()
    await call
    expect(done).toHaveBeenCalledTimes(1)
  })
})

describe('a codec with close()', () => {
  const openWithCodec = (codec: Partial<Codec>, stream: StreamProvider = { publish: () => {} }) =>
    openSdk({ signingKey: key.signingKey, annotators: [source()], stream, codec: { ...json(), ...codec } })

  it('is closed once, after the last message was encoded and before the stream is closed', async () => {
    const order: string[] = []
    const encode = (message: Uint8Array) => {
      order.push('encode')
      return message
    }
    const stream = { publish: () => {}, close: () => order.push('stream') } satisfies StreamProvider
    const sdk = await openWithCodec({ encode, close: () => order.push('codec') }, stream)
    void sdk.create(payload)
    await Promise.all([sdk.close(), sdk.close()])
    expect(order).toEqual(['encode', 'codec', 'stream'])
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])(
    'makes sdk.close() reject if its close() %s, and the stream is closed nevertheless',
    async (_, close) => {
      const stream = { publish: () => {}, close: vi.fn() } satisfies StreamProvider
      const sdk = await openWithCodec({ close }, stream)
      expect(await failure(() => sdk.close())).toMatchObject({
        code: 'CODEC_FAILED',
        message: 'codec.close: failed: no',
      })
      expect(stream.close).toHaveBeenCalledTimes(1)
    },
  )

  it('stays open if openSdk fails, so that openSdk can be tried again', async () => {
    const close = vi.fn()
    const stream = { publish: () => {}, connect: () => Promise.reject(new Error('no')) }
    expect(await codeOf(() => openWithCodec({ close }, stream))).toBe('STREAM_UNREACHABLE')
    expect(close).not.toHaveBeenCalled()
  })
})
