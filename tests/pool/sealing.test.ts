import {
  type AnyAnnotator,
  extractBundle,
  keyOf,
  memory,
  openSdk,
  type Receipt,
  signBytes,
  source,
  verifyMessage,
  type WorkerPool,
} from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { patient } from '../support/batches.js'
import { utf8 } from '../support/bytes.js'
import { digest } from '../support/digest.js'
import { codeOf, failure, typeError } from '../support/failure.js'
import { key, keyring, opened, yes } from '../support/sdk.js'

const keyOfPayload = (payload: Uint8Array) => digest('sha256', payload)
const claimsOf = ({ bundle: { timestamp, annotations, ...claims } }: Receipt) => ({
  ...claims,
  annotations: annotations.map(({ id, ...answer }) => answer),
})

describe('an SDK with a pool', () => {
  let workers: WorkerPool
  beforeAll(async () => {
    workers = await pool({ workers: 2 })
  })
  afterAll(() => workers.close())

  it('makes bundles that verify and equal those without a pool, whatever the payload', async () => {
    const annotators = [
      source(),
      { kind: 'long', needs: 'payload', isSatisfied: ({ payload }) => payload.length > 99 },
    ] satisfies AnyAnnotator[]
    const { sdk: pooled } = await opened(annotators, { pool: workers, tag: 'v1' })
    const { sdk: alone } = await opened(annotators, { tag: 'v1' })
    const payload = fc.uint8Array({ maxLength: 400 })
    await fc.assert(
      fc.asyncProperty(payload, payload, async (before, after) => {
        const [a, b] = [await pooled.mutate(before, after), await alone.mutate(before, after)]
        expect(claimsOf(a)).toEqual(claimsOf(b))
        await verifyMessage(a.message, { keyring, payload: after })
      }),
    )
    await Promise.all([pooled.close(), alone.close()])
  })

  it.each(['create', 'transit', 'publish'] as const)(
    'makes bundles with the action %s for calls of that action',
    async (action) => {
      const { sdk, verified } = await opened([source()], { pool: workers })
      await sdk[action](utf8('a'))
      expect((await verified(utf8('a'))).action).toBe(action)
      await sdk.close()
    },
  )

  it.each(['md5', 'none'] as const)('makes bundles that verify with hash %s', async (hash) => {
    const { sdk, verified } = await opened([source()], { pool: workers, hash })
    await sdk.create(utf8('a'))
    expect((await verified(utf8('a'))).hash).toBe(hash)
    await sdk.close()
  })

  it.each([0, 1, 70_000, 3_000_000])('accepts a payload of %i bytes', async (size) => {
    const { sdk } = await opened([source()], { pool: workers })
    const payload = new Uint8Array(size).fill(7)
    expect((await sdk.create(payload)).bundle.key).toBe(keyOfPayload(payload))
    await sdk.close()
  })

  // The length of a payload decides how it is hashed: with others, alone, or without a copy.
  it.each(['sha256', 'md5'] as const)(
    'annotates both payloads of a mutate with hash %s, whatever their lengths',
    async (hash) => {
      const { sdk } = await opened([source()], { pool: workers, hash })
      const sizes = [0, 5, 5000, 70_000]
      const pairs = sizes.flatMap((before) => sizes.map((after) => [before, after + 1]))
      const sides = pairs.map((pair) => pair.map((size) => new Uint8Array(size).fill(size)))
      const receipts = await Promise.all(
        sides.map(([before, after]) => sdk.mutate(before as Uint8Array, after as Uint8Array)),
      )
      expect(receipts.map(({ bundle }) => [bundle.previousKey, bundle.key])).toEqual(
        sides.map((pair) => pair.map((payload) => digest(hash, payload))),
      )
      await sdk.close()
    },
  )

  it('annotates the payload as it was when the call was made, even if the caller overwrites it while an annotator runs', async () => {
    const late = {
      kind: 'late',
      isSatisfied: () => new Promise<boolean>((done) => setTimeout(done, 5, true)),
    }
    for (const annotators of [[source()], [late]]) {
      const { sdk } = await opened(annotators, { pool: workers })
      const payload = utf8('before')
      const call = sdk.create(payload)
      payload.fill(0)
      expect((await call).bundle.key).toBe(keyOfPayload(utf8('before')))
      await sdk.close()
    }
  })

  it('settles 10,000 simultaneous calls, each with its own bundle and unique ids', async () => {
    const { sdk, stream } = await opened([source(), yes('other')], { pool: workers })
    const payloads = Array.from({ length: 10_000 }, (_, at) => utf8(`payload ${at}`))
    const receipts = await Promise.all(payloads.map((payload) => sdk.create(payload)))
    expect(stream.messages).toHaveLength(10_000)
    expect(receipts.map(({ bundle }) => bundle.key)).toEqual(payloads.map(keyOfPayload))
    const ids = receipts.flatMap(({ bundle }) => bundle.annotations.map(({ id }) => id))
    expect(new Set(ids).size).toBe(20_000)
    await sdk.close()
  })

  it('accepts many payloads of all sizes at the same time', async () => {
    const { sdk } = await opened([source()], { pool: workers })
    const payloads = Array.from({ length: 600 }, (_, at) => new Uint8Array((at * 7919) % 90_000).fill(at))
    const receipts = await Promise.all(payloads.map((payload) => sdk.create(payload)))
    expect(receipts.map(({ bundle }) => bundle.key)).toEqual(payloads.map(keyOfPayload))
    await sdk.close()
  })

  // In browsers, WebCrypto signs with engine host, and its keys cannot leave the page: no pool accepts them.
  const engines = ['auto', 'wasm', ...(typeof window === 'undefined' ? (['host'] as const) : [])] as const
  it.each(engines)('hashes short payloads with engine %s', async (engine) => {
    const { sdk } = await opened([source()], { pool: workers, engine })
    const payloads = Array.from({ length: 60 }, (_, at) => new Uint8Array(at).fill(at))
    const receipts = await Promise.all(payloads.map((payload) => sdk.create(payload)))
    expect(receipts.map(({ bundle }) => bundle.key)).toEqual(payloads.map(keyOfPayload))
    await sdk.close()
  })

  it('rejects only the call whose payload cannot be annotated', async () => {
    const { sdk } = await opened([source()], { pool: workers, hash: 'none' })
    const calls = [utf8('a'), Uint8Array.of(0xff), utf8('b'), new Uint8Array(70_000)].map((one) =>
      sdk.create(one),
    )
    const outcomes = (await Promise.allSettled(calls)).map((one) =>
      one.status === 'rejected' ? one.reason.code : one.status,
    )
    expect(outcomes).toEqual(['fulfilled', 'PAYLOAD_INVALID', 'fulfilled', 'PAYLOAD_INVALID'])
    await sdk.close()
  })

  it('signs bundles in batches', async () => {
    const { sdk } = await opened([source()], { pool: workers, batch: { ...patient, maxBundles: 2 } })
    const [a, b] = [new Uint8Array(500), new Uint8Array(400_000)]
    const [first, second] = await Promise.all([sdk.create(a), sdk.mutate(a, b)])
    expect(second.index).toBe(1)
    await verifyMessage(extractBundle(first.message, 0), { keyring, payload: a })
    await verifyMessage(extractBundle(second.message, 1), { keyring, payload: b })
    expect(await sdk.createMany([a, b])).toHaveLength(2)
    await sdk.close()
  })

  it.each(['sha256', 'md5', 'none'] as const)(
    'annotates the payloads of a batch as they were at the call, with hash %s and a fast or slow annotator',
    async (hash) => {
      const late = { kind: 'late', isSatisfied: async () => true }
      for (const annotator of [source(), late]) {
        const { sdk } = await opened([annotator], { pool: workers, hash, batch: { maxBundles: 2 } })
        const texts = ['a', 'b'.repeat(5000)] as const
        const [one, other] = [utf8(texts[0]), utf8(texts[1])]
        const calls = [sdk.mutate(one, other), sdk.mutate(other, one)]
        for (const payload of [one, other]) payload.fill(0)
        const keys = texts.map((text) => keyOf(utf8(text), hash))
        expect((await Promise.all(calls)).map(({ bundle }) => [bundle.previousKey, bundle.key])).toEqual([
          keys,
          keys.toReversed(),
        ])
        const many = await sdk.createMany(texts.map(utf8))
        expect(many.map(({ bundle }) => bundle.key)).toEqual(keys)
        await sdk.close()
      }
    },
  )

  it('can share the pool with another SDK, and each signs with its own annotators and tag', async () => {
    const { sdk: one } = await opened([source()], { pool: workers, tag: 'one' })
    const { sdk: two } = await opened([yes('other')], { pool: workers, tag: 'two' })
    const receipts = await Promise.all([one.create(utf8('a')), two.create(utf8('a'))])
    expect(receipts.map(({ bundle }) => bundle.annotations.map(({ kind, tag }) => [kind, tag]))).toEqual([
      [['src', 'one']],
      [['other', 'two']],
    ])
    await one.close()
    expect((await two.create(utf8('b'))).bundle.key).toBe(keyOfPayload(utf8('b')))
    await two.close()
  })

  it('completes the call of one SDK although another SDK makes many calls', async () => {
    await using worker = await pool({ workers: 1 })
    const { sdk: busy } = await opened([source()], { pool: worker })
    const { sdk: quiet } = await opened([source()], { pool: worker })
    let isServed = false
    let others = 0
    const keepBusy = async () => {
      while (!isServed && others++ < 20_000) await busy.create(utf8('again'))
    }
    const running = Array.from({ length: 500 }, keepBusy)
    await busy.create(utf8('begun'))
    await quiet.create(utf8('once'))
    isServed = true
    await Promise.all(running)
    expect(others).toBeLessThan(20_000)
    await Promise.all([busy.close(), quiet.close()])
  })

  it('ends an aborted call, and completes the other calls', async () => {
    const { sdk } = await opened([source()], { pool: workers })
    const giveUp = new AbortController()
    const call = sdk.create(utf8('a'), { signal: giveUp.signal })
    const other = sdk.create(utf8('b'))
    giveUp.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    await other
    await sdk.close()
  })

  // claim: pool-4, react-vue-6
  it.each([
    [
      'a Signer',
      { verifyingKey: key.verifyingKey, sign: (bytes: Uint8Array) => signBytes(key.signingKey, bytes) },
    ],
    ['a CryptoKeyPair', crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])],
  ])('refuses %s, which cannot be sent to workers', async (_, signingKey) => {
    const error = await failure(async () =>
      openSdk({
        signingKey: (await signingKey) as never,
        annotators: [],
        stream: memory(),
        pool: workers,
      }),
    )
    expect(error).toMatchObject({
      code: 'CONFIG_INVALID',
      message: 'pool: cannot be combined with a Signer or CryptoKeyPair as signingKey: pass a private key',
    })
  })

  it('refuses an invalid key, a tag that is too long, an invalid pool and an invalid annotator kind', async () => {
    expect(await codeOf(() => opened([], { pool: workers, signingKey: new Uint8Array(3) }))).toBe(
      'KEY_INVALID',
    )
    expect(await codeOf(() => opened([], { pool: workers, tag: 'x'.repeat(2000) }))).toBe('CONFIG_INVALID')
    expect(await codeOf(() => opened([], { pool: {} as never }))).toBe('CONFIG_INVALID')
    expect(await codeOf(() => opened([yes('transfer')], { pool: workers }))).toBe('CONFIG_INVALID')
  })
})

describe('a payload that is transferred to a pool', () => {
  it('is detached when the call has been made, and its bundle is correct', async () => {
    await using workers = await pool({ workers: 1 })
    const { sdk } = await opened([source()], { pool: workers })
    const payload = new Uint8Array(100_000).fill(1)
    const wanted = keyOfPayload(payload)
    const call = sdk.create(payload, { transfer: true })
    expect(payload.length).toBe(0)
    expect((await call).bundle.key).toBe(wanted)
    expect((await typeError(() => sdk.create(payload))).message).toContain('transferred')
    await sdk.close()
  })

  it('is detached from the caller only when the annotators have read it', async () => {
    await using workers = await pool({ workers: 1 })
    const seen: number[] = []
    const late = {
      kind: 'late',
      needs: 'payload',
      isSatisfied: async ({ payload }) => {
        await new Promise((done) => setTimeout(done, 5))
        return seen.push(payload.length) > 0
      },
    } satisfies AnyAnnotator
    const { sdk } = await opened([late], { pool: workers })
    const payload = utf8('hello')
    const { bundle } = await sdk.create(payload, { transfer: true })
    expect([seen, payload.length, bundle.key]).toEqual([[5], 0, keyOfPayload(utf8('hello'))])
    await sdk.close()
  })

  it('has a correct payload key even if it is a single byte that follows other payloads in the core’s memory', async () => {
    await using workers = await pool({ workers: 1 })
    const { sdk } = await opened([source()], { pool: workers })
    const payloads = [65_536, 65_530, 1, 10].map((size) => new Uint8Array(size).fill(size))
    const wanted = payloads.map(keyOfPayload)
    const calls = payloads.map((payload) => sdk.create(payload, { transfer: payload.length === 1 }))
    expect((await Promise.all(calls)).map(({ bundle }) => bundle.key)).toEqual(wanted)
    await sdk.close()
  })

  // claim: pool-3
  it('is not detached if its buffer contains more bytes, or if it is both payloads of a mutate', async () => {
    await using workers = await pool({ workers: 1 })
    const { sdk } = await opened([source()], { pool: workers })
    const part = new Uint8Array(10).subarray(1)
    const both = utf8('same')
    const receipts = [
      await sdk.create(part, { transfer: true }),
      await sdk.mutate(both, both, { transfer: true }),
    ]
    expect([part.length, both.length]).toEqual([9, 4])
    expect(receipts.map(({ bundle }) => bundle.key)).toEqual([keyOfPayload(part), keyOfPayload(both)])
    await sdk.close()
  })

  it.each([
    ['old', 'new', (whole: Uint8Array, part: Uint8Array) => [whole, part] as const],
    ['new', 'old', (whole: Uint8Array, part: Uint8Array) => [part, whole] as const],
  ])(
    'has a correct payload key if the %s payload of a mutate shares the buffer of the %s payload',
    async (_, __, order) => {
      await using workers = await pool({ workers: 1 })
      const { sdk } = await opened([source()], { pool: workers })
      const whole = utf8('0123456789')
      const [before, after] = order(whole, whole.subarray(2))
      const { bundle } = await sdk.mutate(before, after, { transfer: true })
      expect([bundle.previousKey, bundle.key]).toEqual([before, after].map(keyOfPayload))
      await sdk.close()
    },
  )

  // Pages have shared memory only when they are isolated from other sites.
  const hasSharedMemory = typeof SharedArrayBuffer === 'function'
  it.runIf(hasSharedMemory)(
    'is not detached if it is in shared memory, which the worker reads in place',
    async () => {
      await using workers = await pool({ workers: 1 })
      const { sdk } = await opened([source()], { pool: workers })
      const payload = new Uint8Array(new SharedArrayBuffer(5000)).fill(3)
      const receipts = [await sdk.create(payload), await sdk.create(payload, { transfer: true })]
      expect(receipts.map(({ bundle }) => bundle.key)).toEqual(Array(2).fill(keyOfPayload(payload)))
      expect(payload.length).toBe(5000)
      await sdk.close()
    },
  )
})
