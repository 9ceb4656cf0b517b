import { type Engine, type HashName, keyOf, source } from 'alvarium-sdk'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { digest } from '../support/digest.js'
import { codeOf, failure, typeError } from '../support/failure.js'
import { opened } from '../support/sdk.js'

const ENGINES: Engine[] = ['wasm', 'host', 'auto']

/** Returns bytes that differ everywhere, so that a missing or repeated piece shows. */
const patterned = (length: number) => Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) % 256)

describe('the payload key', () => {
  const thresholds = [0, 1, 55, 56, 63, 64, 65, 511, 512, 513, 4096, 262143, 262144, 262145, 524288, 524289]

  // claim: format-10
  it.each(thresholds)("is the hash of the payload's %i bytes, with each engine", (length) => {
    const payload = patterned(length)
    for (const engine of ENGINES) {
      expect(keyOf(payload, 'sha256', engine)).toBe(digest('sha256', payload))
      expect(keyOf(payload, 'md5', engine)).toBe(digest('md5', payload))
    }
  })

  it('equals the hash that @noble/hashes computes of a random payload, with each engine', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2048 }), fc.constantFrom(...ENGINES), (payload, engine) => {
        expect(keyOf(payload, 'sha256', engine)).toBe(digest('sha256', payload))
        expect(keyOf(payload, 'md5', engine)).toBe(digest('md5', payload))
      }),
    )
  })

  it('is a SHA-256 hash by default', () => {
    expect(keyOf(utf8('abc'))).toBe('BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD')
  })

  // claim: readme-2
  it.each(['', 'hello', 'Grüße, 数据 🚀', '"\\\u0000\u001f\u007f'])(
    "is the payload's text with hash none: %j",
    (text) => {
      for (const engine of ENGINES) expect(keyOf(utf8(text), 'none', engine)).toBe(text)
    },
  )

  it('cannot be computed with hash none if the payload is not UTF-8', async () => {
    const error = await failure(() => keyOf(new Uint8Array([0x61, 0xff]), 'none'))
    expect(error).toMatchObject({
      code: 'PAYLOAD_INVALID',
      message: expect.stringContaining('payload: expected UTF-8'),
    })
  })

  // claim: format-11
  it('can be computed with hash none only if the payload has at most 65,536 bytes', async () => {
    expect(keyOf(new Uint8Array(65_536).fill(0x61), 'none')).toHaveLength(65_536)
    const error = await failure(() => keyOf(new Uint8Array(65_537).fill(0x61), 'none'))
    expect(error).toMatchObject({
      code: 'PAYLOAD_INVALID',
      message: 'payload: expected at most 65536 bytes with hash none, got 65537',
    })
  })

  it('is not computed with an unknown hash', async () => {
    const error = await failure(() => keyOf(utf8('abc'), 'sha1' as HashName))
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining('sha1') })
  })
})

describe.each<HashName>(['sha256', 'md5', 'none'])('when the hash is %s', (hash) => {
  it.each(ENGINES)(
    'bundles contain the hashes of their payloads, computed with engine %s',
    async (engine) => {
      const { sdk, verified } = await opened([source()], { hash, engine })
      await sdk.mutate(utf8('old'), utf8('new'))
      const bundle = await verified(utf8('new'))
      expect(bundle).toMatchObject({
        hash,
        key: keyOf(utf8('new'), hash),
        previousKey: keyOf(utf8('old'), hash),
      })
    },
  )
})

describe('when the payload is invalid for hash none', () => {
  it.each(ENGINES)('the call rejects and publishes nothing, with engine %s', async (engine) => {
    const { sdk, stream, verified } = await opened([source()], { hash: 'none', engine })
    expect(await codeOf(() => sdk.create(new Uint8Array([0xff])))).toBe('PAYLOAD_INVALID')
    expect(await codeOf(() => sdk.create(new Uint8Array(65_537)))).toBe('PAYLOAD_INVALID')
    expect(await codeOf(() => sdk.mutate(new Uint8Array([0xff]), utf8('new')))).toBe('PAYLOAD_INVALID')
    expect(stream.messages).toEqual([])
    await sdk.create(utf8('fine'))
    expect((await verified(utf8('fine'))).key).toBe('fine')
  })
})

describe('when a payload has 64 MiB', () => {
  const large = new Uint8Array(64 * 1024 * 1024).fill(7)
  const expected = digest('sha256', large)

  it.each<Engine>(['wasm', 'auto'])('the SDK annotates and verifies it with engine %s', async (engine) => {
    const { sdk, verified } = await opened([source()], { engine })
    expect((await sdk.create(large)).bundle.key).toBe(expected)
    expect((await sdk.mutate(large, large)).bundle).toMatchObject({ key: expected, previousKey: expected })
    expect((await verified(large)).payloadChecked).toBe(true)
    expect((await sdk.create(utf8('small'))).bundle.key).toBe(digest('sha256', utf8('small')))
  })
})

describe('when the caller reuses its buffer while annotators run', () => {
  const thoughtful = {
    kind: 'thoughtful',
    isSatisfied: () => new Promise<boolean>((done) => setTimeout(done, 5, true)),
  }
  const cases = ENGINES.flatMap((engine) =>
    (['sha256', 'md5', 'none'] as const).flatMap((hash) =>
      [20, 2000].map((size) => ({ engine, hash, size })),
    ),
  )

  it.each(cases)(
    'the bundle has the payload keys of the bytes at the time of the call: $engine $hash $size',
    async ({ engine, hash, size }) => {
      const { sdk, verified } = await opened([thoughtful], { engine, hash })
      const [before, after] = [new Uint8Array(size).fill(0x61), new Uint8Array(size).fill(0x62)]
      const pending = sdk.mutate(before, after)
      before.fill(0x78)
      after.fill(0x79)
      await pending
      const { key, previousKey } = await verified(utf8('b'.repeat(size)))
      expect({ key, previousKey }).toEqual({
        key: keyOf(utf8('b'.repeat(size)), hash),
        previousKey: keyOf(utf8('a'.repeat(size)), hash),
      })
    },
  )

  it('the bundle has the payload key at the time of the call, even with synchronous annotators', async () => {
    const { sdk, verified } = await opened([source()], { hash: 'none' })
    const payload = utf8('first')
    const pending = sdk.create(payload)
    payload.set(utf8('other'))
    await pending
    expect((await verified()).key).toBe('first')
    expect(textOf(payload)).toBe('other')
  })
})

describe('the error of keyOf', () => {
  it.each<[unknown, string]>([
    [256, 'hash: expected the name of a hash, got a number'],
    [null, 'hash: expected the name of a hash, got null'],
  ])('names an invalid hash: %j', async (hash, text) => {
    expect((await typeError(() => keyOf(utf8('abc'), hash as HashName))).message).toBe(text)
  })

  it('names the kind of a payload that is not a Uint8Array', async () => {
    const text = 'payload: expected a Uint8Array, got a string'
    expect((await typeError(() => keyOf('abc' as never))).message).toBe(text)
  })
})
