// @own-process: it stops the clock
// @node-only: it uses files, Buffers, processes or a stopped clock

import { memory, openSdk, source } from 'alvarium-sdk'
import { type LeasedOptions, leased, readLease } from 'alvarium-sdk/trust'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { LeaseStream } from '../../dist/trust/lease-stream.js'
import { utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { key } from '../support/sdk.js'
import { until } from '../support/until.js'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

const payload = utf8('21.4')

/** Bundles, and the leases that go out beside them, with the order of both. */
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
  it('publishes one before its first message, and again after every so many', async () => {
    const { sdk, order } = await openPublishing({ every: 2 })
    for (let at = 0; at < 5; at++) await sdk.create(payload)
    await sdk.close()
    const [pair, again] = [['message', 'message'], 'lease a']
    expect(order).toEqual(['connect', again, ...pair, again, ...pair, again, 'message', 'close'])
  })

  // claim: trust-27
  it('publishes it again with the first message after some time, and never without a message', async () => {
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

  it('counts a batch as one message', async () => {
    const { sdk, order } = await openPublishing({ every: 1 })
    await sdk.createMany([payload, payload, payload])
    await sdk.createMany([payload, payload])
    await sdk.close()
    expect(order).toEqual(['connect', 'lease a', 'message', 'lease a', 'message', 'close'])
  })

  it('signs on when one could not be published again, and is not opened without the first', async () => {
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
    expect(message).toBe('leased.stream: expected it to take the lease, got: no broker')
    expect(stream.close).toHaveBeenCalledOnce()
  })

  it('publishes the renewed lease from then on, also when the one before it is accepted later', async () => {
    const [sent, accept]: [string[], (() => void)[]] = [[], []]
    const publish = (lease: Uint8Array) =>
      new Promise<void>((resolve) => {
        sent.push(text(lease))
        accept.push(resolve)
      })
    const leases = new LeaseStream(
      { stream: { publish }, every: 1, everyMs: 60_000, signerTimeoutMs: 60_000 },
      quiet,
    )
    const twice = () => [leases.signing(), leases.signing()]
    const first = leases.publish(utf8('first'))
    accept[0]?.()
    await first
    twice()
    const renewed = leases.publish(utf8('renewed'))
    accept[2]?.()
    await renewed
    accept[1]?.()
    await until(() => {
      twice()
      return sent.length > 3
    })
    expect(sent).toEqual(['first', 'first', 'renewed', 'renewed'])
  })

  it('publishes it once more, and says why, when the stream does not answer in time', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
    onTestFinished(() => clock.mockRestore())
    const answers: (() => void)[] = []
    const publish = () => new Promise<void>((resolve) => answers.push(resolve))
    const warn = vi.fn()
    const settings = { stream: { publish }, every: 1, everyMs: 60_000, signerTimeoutMs: 10_000 }
    const leases = new LeaseStream(settings, { ...quiet, warn })
    const messages = () => [1, 2, 3].map(() => leases.signing())
    const first = leases.publish(utf8('lease'))
    answers[0]?.()
    await first
    messages()
    clock.mockReturnValue(9_999)
    messages()
    expect([answers.length, warn.mock.calls]).toEqual([2, []])
    clock.mockReturnValue(10_000)
    messages()
    expect(answers).toHaveLength(3)
    const err = { message: 'leased.stream: expected an answer within 10000 ms, got none' }
    expect(warn.mock.calls).toMatchObject([[{ err }, expect.stringContaining('goes out once more')]])
    // The answer to the one before says nothing about this one.
    answers[1]?.()
    await new Promise((resolve) => setTimeout(resolve))
    messages()
    expect(answers).toHaveLength(3)
  })

  it('names its stream when that cannot be connected', async () => {
    const stream = { connect: () => Promise.reject(new Error('no broker')), publish: () => undefined }
    const signingKey = leased(key.signingKey, { stream })
    const open = () => openSdk({ signingKey, annotators: [source()], stream: memory() })
    expect(await failure(open)).toMatchObject({
      code: 'STREAM_UNREACHABLE',
      message: 'leased.stream.connect: expected to connect, got: no broker',
    })
  })

  it('shares its stream with nobody, and needs a stream or onLease', async () => {
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
