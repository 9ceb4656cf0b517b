import {
  cbor,
  extractBundle,
  extractBundles,
  json,
  openSdk,
  type Receipt,
  type Sdk,
  type SdkOptions,
  type Signer,
  type StreamProvider,
  signBytes,
  source,
  verifyBatch,
  verifyMessage,
} from 'alvarium-sdk'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { deferred, quiet } from '../support/deferred.js'
import { digest } from '../support/digest.js'
import { codeOf, failure, typeError } from '../support/failure.js'
import { parsed, replaced } from '../support/messages.js'
import { key, keyring, opened, yes } from '../support/sdk.js'

const payloads = (count: number) => Array.from({ length: count }, (_, at) => utf8(`payload ${at}`))
const keyOfPayload = (payload: Uint8Array) => digest('sha256', payload)
/** An hour: only the other limits, or closing, end a batch. */
const patient = { maxDelayMs: 3_600_000 }

/** A stream that accepts when it is told to. */
function slowStream() {
  const settle: { resolve(): void; reject(error: unknown): void }[] = []
  const stream = {
    publish: () => new Promise<void>((resolve, reject) => settle.push({ resolve, reject })),
  } satisfies StreamProvider
  return { stream, settle }
}

async function openWith(options: Partial<SdkOptions>) {
  return openSdk({ signingKey: key.signingKey, annotators: [source()], stream: { publish() {} }, ...options })
}

describe('an SDK with batches', () => {
  it('sends one message for many calls, with all their bundles in order', async () => {
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

  it('puts all actions into the same batch', async () => {
    const { sdk, stream } = await opened([source()], { batch: { ...patient, maxBundles: 4 } })
    const [a, b] = payloads(2) as [Uint8Array, Uint8Array]
    const receipts = await Promise.all([sdk.create(a), sdk.mutate(a, b), sdk.transit(b), sdk.publish(b)])
    expect(stream.messages).toHaveLength(1)
    const bundles = await verifyBatch(receipts[0].message, { keyring })
    expect(bundles.map(({ action }) => action)).toEqual(['create', 'mutate', 'transit', 'publish'])
    expect(bundles[1]?.previousKey).toBe(keyOfPayload(a))
    for (const [at, { bundle }] of receipts.entries()) expect(bundles[at]).toMatchObject(bundle)
  })

  it('every bundle can be taken out, and verifies alone with its payload', async () => {
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

  it('a half-full batch goes out on time', async () => {
    const { sdk, stream } = await opened([source()], { batch: { maxBundles: 1000, maxDelayMs: 20 } })
    await Promise.all(payloads(3).map((payload) => sdk.create(payload)))
    expect(stream.messages).toHaveLength(1)
  })

  it('closing sends what waits, and then no more', async () => {
    const { sdk, stream } = await opened([source()], { batch: patient })
    const calls = Promise.all(payloads(3).map((payload) => sdk.create(payload)))
    await sdk.close()
    await calls
    expect(stream.messages).toHaveLength(1)
    expect(await codeOf(() => sdk.create(utf8('late')))).toBe('STREAM_CLOSED')
  })

  it('closing waits for annotators that are still thinking, and sends their bundles', async () => {
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

  it('a message never gets longer than maxBytes when several bundles share it', async () => {
    const { sdk, stream } = await opened([source()], { batch: { ...patient, maxBytes: 5000 } })
    const calls = payloads(100).map((payload) => sdk.create(payload))
    await sdk.close()
    await Promise.all(calls)
    expect(stream.messages.length).toBeGreaterThan(5)
    for (const { length } of stream.messages) expect(length).toBeLessThanOrEqual(5000)
  })

  it('a batch goes out when another bundle as long, with what is around it, would not fit into maxBytes', async () => {
    const lengthOf = async (bundles: number) => {
      const { sdk } = await opened([], { batch: patient })
      return (await sdk.createMany(payloads(bundles)))[0]?.message.length ?? 0
    }
    const bundle = (await lengthOf(3)) - (await lengthOf(2))
    // Three bundles, the commas between them, and room for what is around any batch.
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

  it('a bundle that is longer than maxBytes goes alone', async () => {
    const { sdk, stream } = await opened([source()], { hash: 'none', batch: { ...patient, maxBytes: 2000 } })
    await Promise.all([sdk.create(utf8('x'.repeat(5000))), sdk.create(utf8('y'.repeat(5000)))])
    expect(stream.messages).toHaveLength(2)
  })

  it('a call that cannot be annotated rejects alone', async () => {
    const { sdk, stream } = await opened([source()], { hash: 'none', batch: { ...patient, maxBundles: 2 } })
    const calls = [sdk.create(utf8('a')), sdk.create(Uint8Array.of(0xff)), sdk.create(utf8('b'))]
    const [a, wrong, b] = await Promise.allSettled(calls)
    expect([a?.status, wrong?.status, b?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(stream.messages).toHaveLength(1)
  })

  it('each call settles with its own batch', async () => {
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

  it('a batch that the stream refuses rejects every call in it, and no other', async () => {
    const { stream, settle } = slowStream()
    const sdk = await openWith({ stream, batch: { ...patient, maxBundles: 3 } })
    const calls = Promise.allSettled(payloads(6).map((payload) => sdk.create(payload)))
    await expect.poll(() => settle.length).toBe(2)
    settle[0]?.reject(new Error('no'))
    settle[1]?.resolve()
    const outcomes = (await calls).map((one) => (one.status === 'rejected' ? one.reason.code : 'accepted'))
    expect(outcomes).toEqual([...Array(3).fill('STREAM_REFUSED'), ...Array(3).fill('accepted')])
    await sdk.close()
  })

  it('a call can be given up while its batch waits, and the others go on', async () => {
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

  it('a signer of your own signs once per batch', async () => {
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

  it('a signer that fails rejects every call of the batch', async () => {
    const signer: Signer = { verifyingKey: key.verifyingKey, sign: () => new Uint8Array(64) }
    const sdk = await openWith({ signingKey: signer, batch: { ...patient, maxBundles: 2 } })
    const outcomes = await Promise.allSettled(payloads(2).map((payload) => sdk.create(payload)))
    for (const one of outcomes) expect(one).toMatchObject({ reason: { code: 'SIGNER_FAILED' } })
    await sdk.close()
  })

  describe('unless told otherwise', () => {
    it('holds 256 bundles', async () => {
      const { sdk, stream } = await opened([], { batch: patient })
      const calls = payloads(257).map((payload) => sdk.create(payload))
      await sdk.close()
      await Promise.all(calls)
      const sizes = stream.messages.map(async (one) => (await verifyBatch(one, { keyring })).length)
      expect(await Promise.all(sizes)).toEqual([256, 1])
    })

    it('holds 1 MiB', async () => {
      const { sdk } = await opened([], { batch: patient, hash: 'none' })
      const long = Array.from({ length: 18 }, () => new Uint8Array(60_000).fill(65))
      const receipts = await sdk.createMany(long)
      expect(receipts.map(({ index }) => index)).toEqual([...Array(17).keys(), 0])
    })

    it('waits for 10 ms', async () => {
      const { sdk, stream } = await opened([], { batch: {} })
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
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
    [{ maxDelay: 5 }, 'batch.maxDelay: expected an option that exists (maxDelayMs?), got a number'],
  ])('refuses %o', async (batch, text) => {
    expect((await failure(() => openWith({ batch: batch as object }))).message).toContain(text)
  })
})

describe('the time that a batch waits', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const batch = { maxBundles: 2, maxDelayMs: 10 }
  const create = (sdk: Sdk) => void sdk.create(utf8('a'))

  it('begins with its first call', async () => {
    const { sdk, stream } = await opened([source()], { batch: { ...batch, maxBundles: 3 } })
    await vi.advanceTimersByTimeAsync(100)
    create(sdk)
    await vi.advanceTimersByTimeAsync(9)
    create(sdk)
    expect(stream.messages).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(stream.messages).toHaveLength(1)
  })

  it('is its own: one that was full before leaves none of its time to the next', async () => {
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

  it('is over when the SDK is closed', async () => {
    const { sdk, stream } = await opened([source()], { batch })
    create(sdk)
    await sdk.close()
    expect(stream.messages).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('the length of a batch', () => {
  const one = (length: number) => utf8('x'.repeat(length))

  // Whatever the lengths, so that no bundle happens to leave the rest of the message the room it needs.
  it.each([1_900, 1_950, 2_000, 2_050, 2_100, 2_150, 2_200, 2_250, 2_300])(
    'stays within %i bytes, and uses them',
    async (maxBytes) => {
      const { sdk, stream } = await opened([source()], {
        hash: 'none',
        tag: 'a tag of some length',
        batch: { ...patient, maxBytes },
      })
      const calls = Array.from({ length: 30 }, () => sdk.create(one(100)))
      await sdk.close()
      const [{ message }] = (await Promise.all(calls)) as [Receipt]
      const bundle = JSON.stringify(JSON.parse(textOf(message)).content.bundles[0]).length
      for (const { length } of stream.messages) expect(length).toBeLessThanOrEqual(maxBytes)
      // In all but the last there was no room for one bundle more, and for what could be around them.
      for (const { length } of stream.messages.slice(0, -1))
        expect(length).toBeGreaterThan(maxBytes - bundle - 512)
    },
  )

  it('leaves room for another as long as the longest', async () => {
    const { sdk, stream } = await opened([source()], {
      hash: 'none',
      batch: { ...patient, maxBytes: 4_000 },
    })
    const calls = [one(1_500), one(1), one(1), one(1), one(1_500)].map((payload) => sdk.create(payload))
    await sdk.close()
    await Promise.all(calls)
    for (const { length } of stream.messages) expect(length).toBeLessThanOrEqual(4_000)
  })
})

describe('closing an SDK with batches', () => {
  it('waits for the signature of a batch, hands its message over, and only then closes the stream', async () => {
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

describe('createMany', () => {
  it.each(['wasm', 'host', 'auto'] as const)(
    'gives every payload its own key with engine %s',
    async (engine) => {
      const sizes = [0, 1, 55, 56, 63, 64, 65, 100, 255, 256, 1000, 5000, 262_144, 262_145]
      const many = Array.from({ length: 150 }, (_, at) => {
        const payload = new Uint8Array(sizes[at % sizes.length] as number)
        payload.fill(at)
        return payload
      })
      const { sdk } = await opened([source()], { engine })
      const receipts = await sdk.createMany(many)
      expect(receipts.map(({ bundle }) => bundle.key)).toEqual(many.map(keyOfPayload))
    },
  )

  it('hashes in lanes what the host hashes alone, whatever the sizes', async () => {
    const { sdk } = await opened([source()], { engine: 'wasm' })
    const sizes = fc.array(fc.uint8Array({ maxLength: 500 }), { minLength: 2, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(sizes, async (many) => {
        const receipts = await sdk.createMany(many)
        expect(receipts.map(({ bundle }) => bundle.key)).toEqual(many.map(keyOfPayload))
      }),
    )
  })

  it.each(['md5', 'none'] as const)('works with hash %s', async (hash) => {
    const { sdk } = await opened([source()], { hash })
    const receipts = await sdk.createMany(payloads(5))
    for (const [at, { message, index }] of receipts.entries()) {
      const payload = payloads(5)[at] as Uint8Array
      await verifyMessage(extractBundle(message, index), { keyring, payload })
    }
  })

  it('needs no batch option, asks annotators that answer late, and takes any iterable', async () => {
    const late = {
      kind: 'late',
      isSatisfied: async ({ payload }: { payload: Uint8Array }) => payload.length > 0,
    }
    const { sdk, stream } = await opened([late])
    const receipts = await sdk.createMany(new Set([utf8('a'), new Uint8Array(0)]))
    expect(stream.messages).toHaveLength(1)
    expect(receipts.map(({ bundle }) => bundle.annotations[0]?.isSatisfied)).toEqual([true, false])
    expect(await sdk.createMany([])).toEqual([])
  })

  it.each([
    [200, 256, 1],
    [300, 256, 2],
    [5_000, 10_000, 1],
  ])(
    'puts %i payloads into batches of %i without waiting for their time',
    async (count, maxBundles, messages) => {
      const { sdk, stream } = await opened([source()], {
        batch: { maxBundles, maxBytes: 2 ** 23, ...patient },
      })
      expect(await sdk.createMany(payloads(count))).toHaveLength(count)
      expect(stream.messages).toHaveLength(messages)
    },
  )

  it('keeps few batches on their way at a time', async () => {
    let underWay = 0
    let most = 0
    const stream = {
      publish: async () => {
        most = Math.max(most, ++underWay)
        // Longer than it takes to seal so many.
        await new Promise((resolve) => setTimeout(resolve, 200))
        underWay--
      },
    } satisfies StreamProvider
    const sdk = await openWith({ stream })
    expect(await sdk.createMany(payloads(20_000))).toHaveLength(20_000)
    expect(most).toBeGreaterThan(10)
    expect(most).toBeLessThan(30)
    await sdk.close()
  })

  it.each([1, 63, 64, 65, 128, 200])('takes %i payloads by 64, which are hashed together', async (count) => {
    let made = 0
    const madeBy: number[] = []
    const counting = { kind: 'counting', isSatisfied: () => madeBy.push(made) > 0 }
    function* many() {
      for (const payload of payloads(count)) {
        made++
        yield payload
      }
    }
    const { sdk } = await opened([counting])
    await sdk.createMany(many())
    expect(madeBy).toEqual(payloads(count).map((_, at) => Math.min(count, 64 * Math.ceil((at + 1) / 64))))
    await sdk.close()
  })

  it('fills batches that hold more than it keeps on their way, without waiting for their time', async () => {
    const { sdk, stream } = await opened([source()], {
      batch: { ...patient, maxBundles: 6000, maxBytes: 2 ** 23 },
    })
    const receipts = await sdk.createMany(payloads(6001))
    expect(stream.messages).toHaveLength(2)
    expect(receipts.slice(-2).map(({ index }) => index)).toEqual([5999, 0])
  })

  it('rejects with the reason when the stream refuses a batch', async () => {
    const sdk = await openWith({ stream: { publish: () => Promise.reject(new Error('full')) } })
    expect(await codeOf(() => sdk.createMany(payloads(10_000)))).toBe('STREAM_REFUSED')
    await sdk.close()
  })

  it.each([0, 1, 63, 64, 66, 130])('names the payload that is none, wherever it stands: %i', async (at) => {
    const sdk = await openWith({})
    const error = await typeError(() => sdk.createMany([...payloads(at), 'b' as never, utf8('c')]))
    expect(error.message).toBe(`payloads[${at}]: expected a Uint8Array, got a string`)
    await sdk.close()
  })
})

describe('the largest batch', () => {
  const most = { ...patient, maxBundles: 65_536, maxBytes: 8 * 1024 * 1024 }

  it('has 65,536 bundles and verifies, and one more makes it malformed', async () => {
    const { sdk, stream } = await opened([], { batch: most, hash: 'none', host: '', layer: 'os' })
    const receipts = await sdk.createMany(Array(65_537).fill(new Uint8Array(0)))
    expect(receipts.slice(-2).map(({ index }) => index)).toEqual([65_535, 0])
    const [full] = stream.messages as [Uint8Array]
    expect(await verifyBatch(full, { keyring })).toHaveLength(65_536)
    const last = extractBundle(full, 65_535)
    expect((await verifyMessage(last, { keyring, payload: new Uint8Array(0) })).payloadChecked).toBe(true)
    // More than crosses at a time, and so taken out in several goes.
    const [first, ...others] = extractBundles(full)
    expect(others).toHaveLength(65_535)
    expect(first).toEqual(extractBundle(full, 0))
    expect(others.at(-1)).toEqual(last)
    const places = others.map((message) => /"index":(\d+)/.exec(textOf(message))?.[1])
    expect(places).toEqual(Array.from(others, (_, at) => String(at + 1)))
    const [bundle] = parsed(full).content['bundles'] as object[]
    const over = replaced(full, /\]\}\}$/, `,${JSON.stringify(bundle)}]}}`)
    expect(await failure(() => verifyBatch(over, { keyring }))).toMatchObject({
      code: 'MESSAGE_MALFORMED',
      message: expect.stringContaining('bundles: expected at most 65536'),
    })
  })
})

describe('the receipts of a batch', () => {
  it('read it once between them, whoever is asked first', async () => {
    const { sdk } = await opened([source()], { batch: patient })
    const receipts = await sdk.createMany(payloads(50))
    const parse = vi.spyOn(JSON, 'parse')
    const keys = receipts.toReversed().map(({ bundle }) => bundle.key)
    const reads = parse.mock.calls.length
    parse.mockRestore()
    expect(reads).toBe(1)
    expect(keys).toEqual(payloads(50).map(keyOfPayload).toReversed())
  })
})

describe('taking all bundles out of a batch', () => {
  it.each([1, 2, 3, 7, 64])('gives, of %i, what taking them out one by one gives', async (count) => {
    for (const codec of [json(), cbor()]) {
      const { sdk } = await opened([source()], { codec, batch: patient })
      const [receipt] = await sdk.createMany(payloads(count))
      const { message } = receipt as Receipt
      const apiece = Array.from({ length: count }, (_, index) => extractBundle(message, index, { codec }))
      expect([...extractBundles(message, { codec })]).toEqual(apiece)
    }
  })

  it('refuses at once, before the first is asked for, what is no batch', async () => {
    const { sdk } = await opened([source()])
    const { message } = await sdk.create(utf8('a'))
    expect(() => extractBundles(message)).toThrow('expected a batch, got a single bundle')
    expect(() => extractBundles(utf8('{}'))).toThrow(expect.objectContaining({ code: 'MESSAGE_MALFORMED' }))
    expect(() => extractBundles('message' as never)).toThrow(TypeError)
  })
})

describe('verifying batches', () => {
  it('a batch of several bundles is no single message, and a single message is a batch of one', async () => {
    const { sdk } = await opened([source()])
    const [batched] = await sdk.createMany(payloads(2))
    const single = await sdk.create(utf8('a'))
    expect(await codeOf(() => verifyMessage((batched as Receipt).message, { keyring }))).toBe(
      'MESSAGE_MALFORMED',
    )
    expect(await verifyBatch(single.message, { keyring })).toHaveLength(1)
    expect(() => extractBundle(single.message, 0)).toThrow('expected a batch, got a single bundle')
    expect(() => extractBundle((batched as Receipt).message, 2)).toThrow('index: expected below 2')
    for (const index of [65_536, 2 ** 32, 2 ** 53, 1e300]) {
      expect(() => extractBundle((batched as Receipt).message, index)).toThrow(
        expect.objectContaining({ code: 'MESSAGE_MALFORMED' }),
      )
    }
    for (const index of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => extractBundle((batched as Receipt).message, index)).toThrow(RangeError)
    }
  })
})
