import {
  type AnyAnnotator,
  cbor,
  extractBundle,
  keyOf,
  type StreamProvider,
  source,
  verifyMessage,
} from 'alvarium-sdk'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { keyOfPayload, openWith, patient, payloads } from '../support/batches.js'
import { utf8 } from '../support/bytes.js'
import { deferred } from '../support/deferred.js'
import { codeOf, typeError } from '../support/failure.js'
import { keyring, opened } from '../support/sdk.js'

describe('createMany', () => {
  it.each(['wasm', 'host', 'auto'] as const)(
    'computes the payload key of every payload with engine %s',
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

  it('computes the same payload keys as a call for each payload, for payloads of 0 to 500 bytes', async () => {
    const { sdk } = await opened([source()], { engine: 'wasm' })
    const sizes = fc.array(fc.uint8Array({ maxLength: 500 }), { minLength: 2, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(sizes, async (many) => {
        const receipts = await sdk.createMany(many)
        expect(receipts.map(({ bundle }) => bundle.key)).toEqual(many.map(keyOfPayload))
      }),
    )
  })

  it.each(['md5', 'none'] as const)('makes bundles that verify with hash %s', async (hash) => {
    const { sdk } = await opened([source()], { hash })
    const receipts = await sdk.createMany(payloads(5))
    for (const [at, { message, index }] of receipts.entries()) {
      const payload = payloads(5)[at] as Uint8Array
      await verifyMessage(extractBundle(message, index), { keyring, payload })
    }
  })

  it('annotates payloads as they were at the call, even if the caller overwrites them afterwards', async () => {
    for (const hash of ['sha256', 'none'] as const) {
      const late = { kind: 'late', isSatisfied: () => Promise.resolve(true) }
      const { sdk } = await opened([late], { hash })
      const many = payloads(3)
      const expected = many.map((payload) => keyOf(payload, hash))
      const receipts = sdk.createMany(many)
      for (const payload of many) payload.fill(0x62)
      expect((await receipts).map(({ bundle }) => bundle.key)).toEqual(expected)
    }
  })

  it('waits before each batch until the stream has room, even during close()', async () => {
    const waiting: (() => void)[] = []
    const left: (() => void)[] = []
    const stream: StreamProvider = {
      publish: () => {
        if (waiting.length > 0) throw new Error('full')
        return new Promise<void>((resolve) => waiting.push(resolve))
      },
      hasRoom: ({ messages }) =>
        waiting.length + messages <= 1 || new Promise<void>((resolve) => left.push(resolve)),
    }
    const sdk = await openWith({ stream, batch: { maxBundles: 2, ...patient } })
    const receipts = sdk.createMany(payloads(200))
    const accept = () => {
      for (const resolve of [...waiting.splice(0), ...left.splice(0)]) resolve()
    }
    await vi.waitFor(() => expect(waiting).toHaveLength(1))
    const closed = sdk.close()
    const turn = setInterval(accept, 1)
    expect(await receipts).toHaveLength(200)
    await closed
    clearInterval(turn)
  })

  // claim: batches-3
  it.each([
    [1, 70, 10],
    [5, 150, 11],
  ])(
    'signs 256 payloads with %i annotations each in a message of %i kB, or of %i kB in CBOR',
    async (count, kB, inCbor) => {
      const kinds = Array.from({ length: count }, (_, at) => ({ kind: `src-${at}`, isSatisfied: () => true }))
      const bytesWith = async (options: object) => {
        const { sdk } = await opened(kinds, { host: 'edge-7', ...options })
        const [first] = await sdk.createMany(Array.from({ length: 256 }, (_, at) => utf8(`${at}`)))
        return first?.message.length as number
      }
      const bytes = await bytesWith({})
      expect(Math.round(bytes / 10_000) * 10).toBe(kB)
      expect(Math.round((await bytesWith({ codec: cbor() })) / 1000)).toBe(inCbor)
    },
  )

  it("makes a batch of any iterable's payloads even without the option batch, and waits for annotators", async () => {
    const late = {
      kind: 'late',
      needs: 'payload',
      isSatisfied: async ({ payload }) => payload.length > 0,
    } satisfies AnyAnnotator
    const { sdk, stream } = await opened([late])
    const receipts = await sdk.createMany(new Set([utf8('a'), new Uint8Array(0)]))
    expect(stream.messages).toHaveLength(1)
    expect(receipts.map(({ bundle }) => bundle.annotations[0]?.isSatisfied)).toEqual([true, false])
    expect(await sdk.createMany([])).toEqual([])
  })

  // claim: batches-1
  it.each([
    [200, 256, 1],
    [300, 256, 2],
    [5_000, 10_000, 1],
  ])(
    'puts %i payloads into batches of at most %i, without waiting for maxDelayMs',
    async (count, maxBundles, messages) => {
      const { sdk, stream } = await opened([source()], {
        batch: { maxBundles, maxBytes: 2 ** 23, ...patient },
      })
      expect(await sdk.createMany(payloads(count))).toHaveLength(count)
      expect(stream.messages).toHaveLength(messages)
    },
  )

  it('has fewer than 30 batches in flight, for 20,000 payloads and a stream that accepts nothing', async () => {
    const enough = deferred()
    let underWay = 0
    const stream = {
      publish: () => {
        if (++underWay === 11) enough.resolve()
        return accepting.promise
      },
    } satisfies StreamProvider
    const accepting = deferred()
    const sdk = await openWith({ stream })
    const many = sdk.createMany(payloads(20_000))
    await enough.promise
    // Another SDK sends as many, which gives surplus calls the time to appear.
    const other = await openWith({})
    await other.createMany(payloads(20_000))
    await other.close()
    expect(underWay).toBeLessThan(30)
    accepting.resolve()
    expect(await many).toHaveLength(20_000)
    await sdk.close()
  })

  it.each([1, 63, 64, 65, 128, 200])(
    'processes %i payloads in parts of 64, each hashed in one call',
    async (count) => {
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
    },
  )

  it("rejects with the stream's error if the stream refuses a batch", async () => {
    const sdk = await openWith({ stream: { publish: () => Promise.reject(new Error('full')) } })
    expect(await codeOf(() => sdk.createMany(payloads(10_000)))).toBe('STREAM_FAILED')
    await sdk.close()
  })

  it.each([0, 1, 63, 64, 66, 130])('names an invalid payload by its index: %i', async (at) => {
    const sdk = await openWith({})
    const error = await typeError(() => sdk.createMany([...payloads(at), 'b' as never, utf8('c')]))
    expect(error.message).toBe(`payloads[${at}]: expected a Uint8Array, got a string`)
    await sdk.close()
  })
})
