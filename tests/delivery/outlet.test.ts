// @alone

import { type Codec, json, openSdk, type SdkOptions, type StreamProvider, source } from 'alvarium-sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { key } from '../support/sdk.js'
import { stopTimers } from '../support/turns.js'

const payload = utf8('hello')
const openWith = (stream: StreamProvider, options: Partial<SdkOptions> = {}) =>
  openSdk({ signingKey: key.signingKey, annotators: [source()], stream, ...options })

describe('the context that a stream receives with a message', () => {
  const told = async (context: object, options: Partial<SdkOptions> = {}) => {
    const publish = vi.fn()
    await using sdk = await openWith({ publish }, options)
    await sdk.create(payload, context)
    return publish.mock.calls[0]?.[1]
  }

  it('contains only the content type if the call has no signal', async () => {
    const context = await told({})
    expect(context).toEqual({ contentType: json().contentType })
  })

  it("contains the call's AbortSignal if the call has one", async () => {
    const { signal } = new AbortController()
    const context = await told({ signal })
    expect(context).toEqual({ signal, contentType: json().contentType })
    expect(context.signal).toBe(signal)
  })

  it("contains no call's AbortSignal if the message is a batch, because a batch belongs to many calls", async () => {
    const { signal } = new AbortController()
    expect(await told({ signal }, { batch: { maxBundles: 1 } })).toEqual({ contentType: json().contentType })
  })

  it('contains the content type of a custom codec', async () => {
    const codec: Codec = { ...json(), contentType: 'application/x-mine' }
    expect(await told({}, { codec })).toEqual({ contentType: 'application/x-mine' })
  })
})

describe('the error STREAM_FAILED', () => {
  const cause = new Error('disk full')

  it.each<[string, () => unknown]>([
    ['rejects', () => Promise.reject(cause)],
    [
      'throws',
      () => {
        throw cause
      },
    ],
  ])("is reported by the SDK's close() when the stream's close() %s", async (_, close) => {
    const sdk = await openWith({ publish: () => {}, close })
    expect(await failure(() => sdk.close())).toMatchObject({
      code: 'STREAM_FAILED',
      message: 'stream.close: failed: disk full',
      cause,
    })
    expect(await codeOf(() => sdk.create(payload))).toBe('STREAM_CLOSED')
  })

  it('is not reported for a message that the codec failed to encode', async () => {
    const publish = vi.fn()
    const encode = () => {
      throw new Error('no room')
    }
    await using sdk = await openWith({ publish }, { codec: { ...json(), encode } })
    expect(await failure(() => sdk.create(payload))).toMatchObject({
      code: 'CODEC_FAILED',
      message: 'codec.encode: expected bytes, got: no room',
    })
    expect(publish).not.toHaveBeenCalled()
    expect(sdk.stats()).toMatchObject({ accepted: 0, failed: 0, seal: { count: 1 }, accept: { count: 0 } })
  })
})

describe('the time until a stream accepts a message', () => {
  beforeEach(async () => {
    await stopTimers('performance')
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const acceptsIn = (milliseconds: number) => () =>
    new Promise((resolve) => setTimeout(resolve, milliseconds))

  it.each([
    ['for a single message', {}],
    ['for a batch', { batch: { maxBundles: 1 } }],
    ['with the option streamTimeoutMs', { streamTimeoutMs: 5000 }],
  ])('is in stats().accept and not in stats().seal, %s', async (_, options) => {
    const sdk = await openWith({ publish: acceptsIn(70) }, options)
    // The start of the clock must not appear in any duration.
    await vi.advanceTimersByTimeAsync(1000)
    const call = sdk.create(payload)
    await vi.advanceTimersByTimeAsync(70)
    await call
    const { seal, accept } = sdk.stats()
    expect([seal.maxMs, accept.maxMs, accept.sumMs]).toEqual([0, 70, 70])
    expect(vi.getTimerCount()).toBe(0)
    await sdk.close()
  })

  it('is limited by streamTimeoutMs, to the millisecond', async () => {
    const settled = vi.fn()
    const sdk = await openWith({ publish: () => new Promise(() => {}) }, { streamTimeoutMs: 250 })
    const error = failure(() => sdk.create(payload)).finally(settled)
    await vi.advanceTimersByTimeAsync(249)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect((await error).code).toBe('STREAM_TIMEOUT')
    expect(sdk.stats()).toMatchObject({ accepted: 0, failed: 1, accept: { count: 0 } })
    expect(vi.getTimerCount()).toBe(0)
    await sdk.close()
  })

  it('has no limit by default', async () => {
    const sdk = await openWith({ publish: acceptsIn(3_600_000) })
    const call = sdk.create(payload)
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect((await call).bundle.action).toBe('create')
    await sdk.close()
  })
})
