// @node-only: it is about limits, of which V8 has the lower ones: Node's engine, too

import {
  cbor,
  extractBundle,
  extractBundles,
  json,
  type Receipt,
  source,
  verifyBatch,
  verifyMessage,
} from 'alvarium-sdk'
import { describe, expect, it, vi } from 'vitest'
import { keyOfPayload, patient, payloads } from '../support/batches.js'
import { textOf, utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { parsed, replaced } from '../support/messages.js'
import { keyring, opened } from '../support/sdk.js'

describe('the length of a batch', () => {
  const one = (length: number) => utf8('x'.repeat(length))

  // Several limits, because for some, a bundle may happen to leave the room that the rest of the message needs.
  it.each([1_900, 1_950, 2_000, 2_050, 2_100, 2_150, 2_200, 2_250, 2_300])(
    'is at most maxBytes, and only a little less: %i bytes',
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
      // All messages but the last were full, with at most 512 bytes for the text around the bundles.
      for (const { length } of stream.messages.slice(0, -1))
        expect(length).toBeGreaterThan(maxBytes - bundle - 512)
    },
  )

  it('is at most maxBytes even if bundles of very different lengths alternate', async () => {
    const { sdk, stream } = await opened([source()], {
      hash: 'none',
      batch: { ...patient, maxBytes: 4_000 },
    })
    const calls = [one(1_500), one(1), one(1), one(1), one(1_500)].map((payload) => sdk.create(payload))
    await sdk.close()
    await Promise.all(calls)
    for (const { length } of stream.messages) expect(length).toBeLessThanOrEqual(4_000)
  })

  it.each([2_500, 3_000, 4_000, 6_000])(
    'is at most %i bytes, with mutate inputs of any length',
    async (maxBytes) => {
      const { sdk, stream } = await opened([source()], { hash: 'none', batch: { ...patient, maxBytes } })
      const counts = [1, 0, 0, 20, 1, 0, 6, 20, 0, 0, 0, 0, 3, 20, 1, 2, 0, 20, 0]
      const calls = counts.map((count) =>
        count > 0
          ? sdk.mutate(
              Array.from({ length: count }, (_, at) => utf8(`${at}`.padEnd(60, 'x'))),
              one(9),
            )
          : sdk.create(one(9)),
      )
      await sdk.close()
      await Promise.all(calls)
      expect(stream.messages.length).toBeGreaterThan(1)
      for (const message of stream.messages) expect(message.length).toBeLessThanOrEqual(maxBytes)
    },
  )
})

describe('a batch of the largest size', () => {
  const most = { ...patient, maxBundles: 65_536, maxBytes: 8 * 1024 * 1024 }

  it('has 65,536 bundles and verifies, and with one more bundle is malformed', async () => {
    const { sdk, stream } = await opened([], { batch: most, hash: 'none', host: '', layer: 'os' })
    const receipts = await sdk.createMany(Array(65_537).fill(new Uint8Array(0)))
    expect(receipts.slice(-2).map(({ index }) => index)).toEqual([65_535, 0])
    const [full] = stream.messages as [Uint8Array]
    expect(await verifyBatch(full, { keyring })).toHaveLength(65_536)
    const last = extractBundle(full, 65_535)
    expect((await verifyMessage(last, { keyring, payload: new Uint8Array(0) })).payloadChecked).toBe(true)
    // The bundles exceed one call's limit into the core, so extraction takes several calls.
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
  // claim: batches-6
  it('parse the batch once, whichever receipt is read first', async () => {
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

describe('extracting all bundles of a batch', () => {
  it.each([1, 2, 3, 7, 64])(
    'returns for a batch of %i the same bundles as extracting them one by one',
    async (count) => {
      for (const codec of [json(), cbor()]) {
        const { sdk } = await opened([source()], { codec, batch: patient })
        const [receipt] = await sdk.createMany(payloads(count))
        const { message } = receipt as Receipt
        const apiece = Array.from({ length: count }, (_, index) => extractBundle(message, index, { codec }))
        expect([...extractBundles(message, { codec })]).toEqual(apiece)
      }
    },
  )

  it('refuses a message that is not a batch before the first bundle is read', async () => {
    const { sdk } = await opened([source()])
    const { message } = await sdk.create(utf8('a'))
    expect(() => extractBundles(message)).toThrow('expected a batch, got a single bundle')
    expect(() => extractBundles(utf8('{}'))).toThrow(expect.objectContaining({ code: 'MESSAGE_MALFORMED' }))
    expect(() => extractBundles('message' as never)).toThrow(TypeError)
  })
})

describe('verifying batches', () => {
  // claim: troubleshooting-3
  it('accepts a single message as a batch of one bundle, while verifyMessage refuses a batch', async () => {
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
