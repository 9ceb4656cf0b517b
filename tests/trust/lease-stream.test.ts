// @own-process: it stops the clock
// @node-only: it uses files, Buffers, processes or a stopped clock

import { memory, openSdk, source } from 'alvarium-sdk'
import { type LeasedOptions, leased, readLease } from 'alvarium-sdk/trust'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { key } from '../support/sdk.js'
import { until } from '../support/until.js'

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

const payload = utf8('21.4')

/** Opens an SDK. Returns its bundles, its leases, and the order of both. */
async function openPublishing(options: Partial<LeasedOptions> = {}) {
  const order: string[] = []
  const signers = {
    isAway: false,
    connect: () => void order.push('connect'),
    publish: async (lease: Uint8Array) => {
      order.push(`lease ${readLease(lease).name}`)
      if (signers.isAway) throw new Error('no broker')
    },
    close: () => void order.push('close'),
  }
  const stream = { publish: () => void order.push('message') }
  const signingKey = leased(key.signingKey, { stream: signers, name: 'a', ...options })
  const sdk = await openSdk({ signingKey, annotators: [source()], stream })
  return { sdk, order, signers }
}

describe('an SDK that publishes its leases', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  // claim: trust-26
  it('publishes a lease before its first message, and again after a number of messages', async () => {
    const { sdk, order } = await openPublishing({ every: 2 })
    for (let at = 0; at < 5; at++) await sdk.create(payload)
    await sdk.close()
    const [pair, again] = [['message', 'message'], 'lease a']
    expect(order).toEqual(['connect', again, ...pair, again, ...pair, again, 'message', 'close'])
  })

  // claim: trust-27
  it('publishes its lease again with the first message after some time, and never without a message', async () => {
    const { sdk, order } = await openPublishing({ everyMs: 1000 })
    await sdk.create(payload)
    vi.advanceTimersByTime(999)
    await sdk.create(payload)
    vi.advanceTimersByTime(5001)
    expect(order).toEqual(['connect', 'lease a', 'message', 'message'])
    await sdk.create(payload)
    await sdk.create(payload)
    await sdk.close()
    expect(order.slice(4)).toEqual(['lease a', 'message', 'message', 'close'])
  })

  it('counts a batch as one message when it publishes its lease again after a number of messages', async () => {
    const { sdk, order } = await openPublishing({ every: 1 })
    await sdk.createMany([payload, payload, payload])
    await sdk.createMany([payload, payload])
    await sdk.close()
    expect(order).toEqual(['connect', 'lease a', 'message', 'lease a', 'message', 'close'])
  })

  it('keeps signing when a lease cannot be published again, but does not open when the first cannot be published', async () => {
    const { sdk, order, signers } = await openPublishing({ every: 1 })
    signers.isAway = true
    for (let at = 0; at < 2; at++) await sdk.create(payload)
    await sdk.close()
    expect(order.filter((one) => one === 'message')).toHaveLength(2)
    const stream = { publish: () => Promise.reject(new Error('no broker')), close: vi.fn() }
    const signingKey = leased(key.signingKey, { stream })
    const { code, message } = await failure(() =>
      openSdk({ signingKey, annotators: [source()], stream: memory() }),
    )
    expect(code).toBe('SIGNER_FAILED')
    expect(message).toBe('leased.stream: expected the lease to be accepted, got: no broker')
    expect(stream.close).toHaveBeenCalledOnce()
  })

  /** Accepts the first lease at once, and each later one on the test's request. */
  function answering() {
    const sent: string[] = []
    const accept: (() => void)[] = []
    const publish = (lease: Uint8Array) => {
      sent.push(readLease(lease).serial)
      const accepted = new Promise<void>((resolve) => accept.push(resolve))
      return sent.length === 1 ? undefined : accepted
    }
    return { stream: { publish }, sent, accept }
  }

  it('publishes only the new lease after a renewal, even if the stream accepts the previous lease later', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] })
    const { stream, sent, accept } = answering()
    const { sdk } = await openPublishing({ stream, every: 1, ttlMs: 3_600_000, renewBeforeMs: 1_800_000 })
    const twice = async () => [await sdk.create(payload), await sdk.create(payload)]
    await twice()
    await vi.advanceTimersByTimeAsync(1_800_000)
    await until(() => sent.length === 3)
    accept[2]?.()
    accept[1]?.()
    await until(async () => {
      await twice()
      return sent.length > 3
    })
    const [first, renewed] = [sent[0], sent[2]]
    expect(first).not.toBe(renewed)
    expect(sent).toEqual([first, first, renewed, renewed])
    accept[3]?.()
    await sdk.close()
  })

  it('publishes its lease again, and logs the reason, if the stream has not accepted it in time', async () => {
    const { stream, sent, accept } = answering()
    const logger = { ...quiet, warn: vi.fn() }
    const { sdk } = await openPublishing({ stream, every: 1, signerTimeoutMs: 10_000, logger })
    const messages = async () => {
      for (let at = 0; at < 3; at++) await sdk.create(payload)
    }
    await messages()
    vi.advanceTimersByTime(9_999)
    await messages()
    expect([sent.length, logger.warn.mock.calls]).toEqual([2, []])
    vi.advanceTimersByTime(1)
    await messages()
    expect(sent).toHaveLength(3)
    const err = { message: 'leased.stream: expected an answer, got no answer within 10000 ms' }
    expect(logger.warn.mock.calls).toMatchObject([[{ err }, expect.stringContaining('goes out once more')]])
    // The answer to the earlier lease does not count for this one.
    accept[1]?.()
    await new Promise((resolve) => setTimeout(resolve))
    await messages()
    expect(sent).toHaveLength(3)
    await sdk.close()
  })

  it('does not open if the stream of its leases cannot connect, and the error names that stream', async () => {
    const stream = { connect: () => Promise.reject(new Error('no broker')), publish: () => undefined }
    const signingKey = leased(key.signingKey, { stream })
    const open = () => openSdk({ signingKey, annotators: [source()], stream: memory() })
    expect(await failure(open)).toMatchObject({
      code: 'STREAM_UNREACHABLE',
      message: 'leased.stream.connect: failed: no broker',
    })
  })

  it('does not open if leases and messages share a stream with close()', async () => {
    const stream = memory()
    const open = () =>
      openSdk({
        signingKey: leased(key.signingKey, { stream: { publish: () => undefined, close: () => undefined } }),
        annotators: [source()],
        stream,
      })
    await (await open()).close()
    const shared = { publish: () => undefined, close: () => undefined }
    const signingKey = leased(key.signingKey, { stream: shared })
    const both = () => openSdk({ signingKey, annotators: [source()], stream: shared })
    expect(await codeOf(both)).toBe('CONFIG_INVALID')
    expect(await codeOf(async () => leased(key.signingKey, {}))).toBe('CONFIG_INVALID')
  })
})
