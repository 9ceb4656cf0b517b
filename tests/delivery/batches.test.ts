// @alone

import {
  extractBundle,
  type Receipt,
  type Sdk,
  type Signer,
  type StreamProvider,
  signBytes,
  source,
  verifyBatch,
  verifyMessage,
} from 'alvarium-sdk'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { keyOfPayload, openWith, patient, payloads } from '../support/batches.js'
import { utf8 } from '../support/bytes.js'
import { deferred, quiet } from '../support/deferred.js'
import { codeOf, failure } from '../support/failure.js'
import { key, keyring, opened, yes } from '../support/sdk.js'
import { stopTimers } from '../support/turns.js'
import { until } from '../support/until.js'

function slowStream() {
  const settle: { resolve(): void; reject(error: unknown): void }[] = []
  const stream = {
    publish: () => new Promise<void>((resolve, reject) => settle.push({ resolve, reject })),
  } satisfies StreamProvider
  return { stream, settle }
}

describe('an SDK with batches', () => {
  it('publishes one message for many calls, which contains all their bundles in order', async () => {
    const { sdk, stream } = await opened([source(), yes('other')], { batch: { ...patient, maxBundles: 10 } })
    const receipts = await Promise.all(payloads(30).map((payload) => sdk.create(payload)))
    expect(stream.messages).toHaveLength(3)
    const bundles = (await Promise.all(stream.messages.map((one) => verifyBatch(one, { keyring })))).flat()
    expect(bundles.map((bundle) => bundle.key)).toEqual(payloads(30).map(keyOfPayload))
    expect(bundles.map((bundle) => bundle.annotations.map(({ kind }) => kind))).toEqual(
      Array(30).fill(['src', 'other']),
    )
    const ids = bundles.flatMap((bundle) => bundle.annotations.map(({ id }) => id))
    expect(ids).toEqual([...ids].sort())
    expect(receipts.map(({ index }) => index)).toEqual([0, 1, 2].flatMap(() => [...Array(10).keys()]))
    expect(receipts.map(({ bundle }) => bundle.key)).toEqual(payloads(30).map(keyOfPayload))
  })

  it('puts all four actions into the same batch', async () => {
    const { sdk, stream } = await opened([source()], { batch: { ...patient, maxBundles: 4 } })
    const [a, b] = payloads(2) as [Uint8Array, Uint8Array]
    const receipts = await Promise.all([sdk.create(a), sdk.mutate(a, b), sdk.transit(b), sdk.publish(b)])
    expect(stream.messages).toHaveLength(1)
    const bundles = await verifyBatch(receipts[0].message, { keyring })
    expect(bundles.map(({ action }) => action)).toEqual(['create', 'mutate', 'transit', 'publish'])
    expect(bundles[1]?.previousKey).toBe(keyOfPayload(a))
    for (const [at, { bundle }] of receipts.entries()) expect(bundles[at]).toMatchObject(bundle)
  })

  it('publishes bundles that can each be extracted, and that verify with their payload', async () => {
    const { sdk } = await opened([source()], { batch: { ...patient, maxBundles: 7 } })
    const receipts = await Promise.all(payloads(7).map((payload) => sdk.create(payload)))
    for (const [at, { message, index }] of receipts.entries()) {
      const evidence = extractBundle(message, index)
      const payload = payloads(7)[at] as Uint8Array
      const bundle = await verifyMessage(evidence, { keyring, payload })
      expect(bundle).toMatchObject({ action: 'create', key: keyOfPayload(payload), payloadChecked: true })
      expect(await codeOf(() => verifyMessage(evidence, { keyring, payload: utf8('x') }))).toBe(
        'PAYLOAD_MISMATCH',
      )
    }
  })

  it('publishes a batch that is not full after maxDelayMs', async () => {
    const { sdk, stream } = await opened([source()], { batch: { maxBundles: 1000, maxDelayMs: 20 } })
    await stopTimers()
    onTestFinished(() => void vi.useRealTimers())
    const calls = Promise.all(payloads(3).map((payload) => sdk.create(payload)))
    await until(() => sdk.stats().asking === 0)
    vi.advanceTimersByTime(19)
    expect(stream.messages).toHaveLength(0)
    vi.advanceTimersByTime(1)
    await calls
    expect(stream.messages).toHaveLength(1)
  })

  it('publishes waiting bundles at close(), and then refuses calls', async () => {
    const { sdk, stream } = await opened([source()], { batch: patient })
    const calls = Promise.all(payloads(3).map((payload) => sdk.create(payload)))
    await sdk.close()
    await calls
    expect(stream.messages).toHaveLength(1)
    expect(await codeOf(() => sdk.create(utf8('late')))).toBe('STREAM_CLOSED')
  })

  it('waits at close() for slow annotators, and publishes their bundles', async () => {
    const late = {
      kind: 'late',
      isSatisfied: () => new Promise<boolean>((resolve) => setTimeout(resolve, 20, true)),
    }
    const { sdk, stream } = await opened([late], { batch: patient })
    const call = sdk.create(utf8('a'))
    await sdk.close()
    expect((await call).bundle.annotations[0]?.isSatisfied).toBe(true)
    expect(stream.messages).toHaveLength(1)
  })

  it('publishes a batch when another bundle of the same length would exceed maxBytes', async () => {
    const lengthOf = async (bundles: number) => {
      const { sdk } = await opened([], { batch: patient })
      return (await sdk.createMany(payloads(bundles)))[0]?.message.length ?? 0
    }
    const bundle = (await lengthOf(3)) - (await lengthOf(2))
    // Three bundles, the commas between them, and room for the text around any batch.
    const least = 3 * bundle + 512 - 1
    for (const [maxBytes, size] of [
      [least, 3],
      [least - 1, 2],
    ] as const) {
      const { sdk } = await opened([], { batch: { ...patient, maxBytes } })
      const receipts = await sdk.createMany(payloads(6))
      expect(receipts.map(({ index }) => index)).toEqual(Array.from({ length: 6 }, (_, at) => at % size))
    }
  })

  it('publishes a bundle that is longer than maxBytes in a message of its own', async () => {
    const { sdk, stream } = await opened([source()], { hash: 'none', batch: { ...patient, maxBytes: 2000 } })
    await Promise.all([sdk.create(utf8('x'.repeat(5000))), sdk.create(utf8('y'.repeat(5000)))])
    expect(stream.messages).toHaveLength(2)
  })

  it('rejects only the call that cannot be annotated', async () => {
    const { sdk, stream } = await opened([source()], { hash: 'none', batch: { ...patient, maxBundles: 2 } })
    const calls = [sdk.create(utf8('a')), sdk.create(Uint8Array.of(0xff)), sdk.create(utf8('b'))]
    const [a, wrong, b] = await Promise.allSettled(calls)
    expect([a?.status, wrong?.status, b?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(stream.messages).toHaveLength(1)
  })

  it('settles each call when the stream has accepted the batch of the call', async () => {
    const { stream, settle } = slowStream()
    const sdk = await openWith({ stream, batch: { ...patient, maxBundles: 2 } })
    const outcomes: string[] = []
    const calls = payloads(4).map((payload, at) => sdk.create(payload).then(() => outcomes.push(`${at}`)))
    await expect.poll(() => settle.length).toBe(2)
    settle[1]?.resolve()
    await Promise.all(calls.slice(2))
    expect(outcomes).toEqual(['2', '3'])
    settle[0]?.resolve()
    await Promise.all(calls)
    await sdk.close()
  })

  it('rejects each call in a batch that the stream refuses, and no other', async () => {
    const { stream, settle } = slowStream()
    const sdk = await openWith({ stream, batch: { ...patient, maxBundles: 3 } })
    const calls = Promise.allSettled(payloads(6).map((payload) => sdk.create(payload)))
    await expect.poll(() => settle.length).toBe(2)
    settle[0]?.reject(new Error('no'))
    settle[1]?.resolve()
    const outcomes = (await calls).map((one) => (one.status === 'rejected' ? one.reason.code : 'accepted'))
    expect(outcomes).toEqual([...Array(3).fill('STREAM_FAILED'), ...Array(3).fill('accepted')])
    await sdk.close()
  })

  it('cancels a call whose batch waits, and completes the other calls of the batch', async () => {
    const { sdk, stream } = await opened([source()], { batch: patient })
    const giveUp = new AbortController()
    const call = sdk.create(utf8('a'), { signal: giveUp.signal })
    const other = sdk.create(utf8('b'))
    const gone = expect(call).rejects.toThrow('enough')
    giveUp.abort(new Error('enough'))
    await gone
    await sdk.close()
    await other
    expect(stream.messages).toHaveLength(1)
  })

  // claim: security-1
  it('calls an external signer once per batch', async () => {
    let signed = 0
    const signer: Signer = {
      verifyingKey: key.verifyingKey,
      sign: async (identity) => {
        signed++
        return signBytes(key.signingKey, identity)
      },
    }
    const sdk = await openWith({ signingKey: signer, batch: { ...patient, maxBundles: 5 } })
    const receipts = await Promise.all(payloads(10).map((payload) => sdk.create(payload)))
    await sdk.close()
    expect(signed).toBe(2)
    expect(await verifyBatch((receipts[9] as Receipt).message, { keyring })).toHaveLength(5)
  })

  it('rejects each call of a batch whose signer fails', async () => {
    const signer: Signer = { verifyingKey: key.verifyingKey, sign: () => new Uint8Array(64) }
    const sdk = await openWith({ signingKey: signer, batch: { ...patient, maxBundles: 2 } })
    const outcomes = await Promise.allSettled(payloads(2).map((payload) => sdk.create(payload)))
    for (const one of outcomes) expect(one).toMatchObject({ reason: { code: 'SIGNER_FAILED' } })
    await sdk.close()
  })

  // claim: batches-2
  describe('with the default options', () => {
    it('publishes a batch at 256 bundles', async () => {
      const { sdk, stream } = await opened([], { batch: patient })
      const calls = payloads(257).map((payload) => sdk.create(payload))
      await sdk.close()
      await Promise.all(calls)
      const sizes = stream.messages.map(async (one) => (await verifyBatch(one, { keyring })).length)
      expect(await Promise.all(sizes)).toEqual([256, 1])
    })

    it('publishes a batch at 1 MiB', async () => {
      const { sdk } = await opened([], { batch: patient, hash: 'none' })
      const long = Array.from({ length: 18 }, () => new Uint8Array(60_000).fill(65))
      const receipts = await sdk.createMany(long)
      expect(receipts.map(({ index }) => index)).toEqual([...Array(17).keys(), 0])
    })

    it('publishes a batch after 10 ms', async () => {
      const { sdk, stream } = await opened([], { batch: {} })
      await stopTimers()
      try {
        const call = sdk.create(utf8('a'))
        await vi.advanceTimersByTimeAsync(9)
        expect(stream.messages).toHaveLength(0)
        await vi.advanceTimersByTimeAsync(1)
        expect(stream.messages).toHaveLength(1)
        await call
      } finally {
        vi.useRealTimers()
      }
    })
  })

  it.each([
    [{ maxBundles: 0 }, 'batch.maxBundles: expected an integer from 1 to 65536, got 0'],
    [{ maxBundles: 65_537 }, 'batch.maxBundles: expected an integer from 1 to 65536, got 65537'],
    [{ maxBytes: 0 }, 'batch.maxBytes: expected an integer from 1 to 8388608, got 0'],
    [{ maxBytes: 8_388_609 }, 'batch.maxBytes: expected an integer from 1 to 8388608, got 8388609'],
    [{ maxDelayMs: -1 }, 'batch.maxDelayMs: expected an integer from 0 to 2147483647, got -1'],
    [{ maxDelayMs: 2 ** 31 }, 'batch.maxDelayMs: expected an integer from 0 to 2147483647, got 2147483648'],
    [{ maxDelay: 5 }, 'batch.maxDelay: is not a known option (maxDelayMs?)'],
  ])('refuses the options %o', async (batch, text) => {
    expect((await failure(() => openWith({ batch: batch as object }))).message).toContain(text)
  })
})

describe('the waiting time of a batch', () => {
  beforeEach(async () => {
    await stopTimers('performance')
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const batch = { maxBundles: 2, maxDelayMs: 10 }
  const create = (sdk: Sdk) => void sdk.create(utf8('a'))

  it('begins with the first call of the batch', async () => {
    const { sdk, stream } = await opened([source()], { batch: { ...batch, maxBundles: 3 } })
    await vi.advanceTimersByTimeAsync(100)
    create(sdk)
    await vi.advanceTimersByTimeAsync(9)
    create(sdk)
    expect(stream.messages).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(stream.messages).toHaveLength(1)
  })

  it('is not shortened if the previous batch was full early', async () => {
    const { sdk, stream } = await opened([source()], { batch })
    create(sdk)
    await vi.advanceTimersByTimeAsync(5)
    create(sdk)
    expect(vi.getTimerCount()).toBe(0)
    create(sdk)
    await vi.advanceTimersByTimeAsync(9)
    expect(stream.messages).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(stream.messages).toHaveLength(2)
  })

  it('ends when the SDK is closed', async () => {
    const { sdk, stream } = await opened([source()], { batch })
    create(sdk)
    await sdk.close()
    expect(stream.messages).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('closing an SDK with batches', () => {
  it('waits for the signature of a batch, publishes the message, and then closes the stream', async () => {
    const signature = deferred<Uint8Array>()
    const order: string[] = []
    const sign = async (identity: Uint8Array) => {
      await signature.promise
      return signBytes(key.signingKey, identity)
    }
    const stream = { publish: () => order.push('publish'), close: () => order.push('close') }
    const sdk = await openWith({
      signingKey: { verifyingKey: key.verifyingKey, sign },
      stream,
      batch: patient,
    })
    const call = sdk.create(utf8('a'))
    const closing = sdk.close()
    await quiet()
    expect(order).toEqual([])
    signature.resolve(new Uint8Array())
    await Promise.all([call, closing])
    expect(order).toEqual(['publish', 'close'])
  })
})
