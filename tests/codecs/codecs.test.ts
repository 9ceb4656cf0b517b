// @firefox: a decoder of texts of its own
import {
  AlvariumError,
  type Codec,
  cbor,
  extractBundle,
  json,
  memory,
  openSdk,
  source,
  toHex,
  verifyBatch,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { decode, encode, rfc8949EncodeOptions } from 'cborg'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromHex, textOf, utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { runs } from '../support/runs.js'
import { key, keyring } from '../support/sdk.js'
import { golden } from '../support/vectors.js'

const payload = utf8('hello')

async function opened(codec: Codec, options: object = {}) {
  const stream = memory()
  const sdk = await openSdk({ signingKey: key.signingKey, annotators: [source()], stream, codec, ...options })
  return { sdk, stream }
}

const hexadecimal: Codec = {
  contentType: 'text/plain',
  encode: (message) => utf8(toHex(message)),
  decode: (bytes) => fromHex(textOf(bytes)),
}

const later: Codec = { ...hexadecimal, encode: async (message) => hexadecimal.encode(message) }

describe.each([
  ['json', json()],
  ['cbor', cbor()],
  ['an application codec', hexadecimal],
])('messages in %s', (_, codec) => {
  it('verify with their payload, and the receipt has the published bytes', async () => {
    const { sdk, stream } = await opened(codec)
    const receipt = await sdk.create(payload)
    expect(receipt.message).toBe(stream.messages[0])
    const bundle = await verifyMessage(receipt.message, { keyring, payload, codec })
    expect(bundle).toMatchObject({ ...receipt.bundle, payloadChecked: true })
  })

  it('verify as a batch, as a bundle extracted from the batch, and together in one call', async () => {
    const { sdk } = await opened(codec)
    const [first] = await sdk.createMany([payload, utf8('b'), utf8('c')])
    const message = first?.message as Uint8Array
    expect(await verifyBatch(message, { keyring, codec })).toHaveLength(3)
    const single = extractBundle(message, 0, { codec })
    await verifyMessage(single, { keyring, payload, codec })
    const outcomes = await verifyMessages([message, single, utf8('x')], { keyring, codec })
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  })

  it('verify with any text as payload, host and tag', async () => {
    const { sdk } = await opened(codec, { hash: 'none', host: 'Ümläut \u0000', tag: '🚀' })
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
        const { message } = await sdk.create(utf8(text))
        expect((await verifyMessage(message, { keyring, payload: utf8(text), codec })).key).toBe(text)
      }),
      runs(200),
    )
  })
})

describe('an asynchronous application codec', () => {
  it('writes single messages, and batches in the order of their calls', async () => {
    const { sdk, stream } = await opened(later)
    const receipt = await sdk.create(payload)
    expect(receipt.message).toBe(stream.messages[0])
    await verifyMessage(receipt.message, { keyring, payload, codec: later })
    const receipts = await sdk.createMany(Array.from({ length: 600 }, (_, at) => utf8(String(at))))
    const messages = stream.messages.slice(1)
    expect([...new Set(receipts.map(({ message }) => message))]).toEqual(messages)
    expect(await verifyBatch(messages[0] as Uint8Array, { keyring, codec: later })).toHaveLength(256)
  })

  it('is refused by extractBundle(), but encodes a bundle that was extracted without the codec', async () => {
    const { sdk } = await opened(later)
    const [first] = await sdk.createMany([payload, utf8('b')])
    const message = first?.message as Uint8Array
    expect(await codeOf(() => extractBundle(message, 0, { codec: later }))).toBe('CODEC_FAILED')
    const evidence = extractBundle(later.decode(message), 0)
    await verifyMessage(await later.encode(evidence), { keyring, payload, codec: later })
  })
})

describe('cbor', () => {
  it.each(golden().cases)('encodes and decodes the golden message without a change: $name', ({ message }) => {
    const text = new TextDecoder().decode(cbor().decode(cbor().encode(utf8(message))))
    expect(text).toBe(message)
  })

  // claim: format-31
  it.each(golden().cases)('writes the core deterministic encoding of RFC 8949: $name', ({ message }) => {
    const bytes = cbor().encode(utf8(message))
    const again = encode(decode(bytes, { useMaps: true }), rfc8949EncodeOptions)
    expect(new Uint8Array(again)).toEqual(bytes)
  })

  it('writes messages that are a third shorter than JSON', async () => {
    const { sdk } = await opened(cbor())
    const { message } = await sdk.create(payload)
    const { message: inJson } = await (await opened(json())).sdk.create(payload)
    expect(message.length / inJson.length).toBeLessThan(0.67)
  })

  it.each<[string, Uint8Array, string]>([
    ['no bytes', new Uint8Array(0), 'expected CBOR'],
    ['JSON', utf8('{"action":"create"}'), 'expected'],
    ['an unknown member number', encode(new Map([[23, 'x']])), "expected a member's number below 23, got 23"],
    ['a name instead of a number', encode({ action: 'create' }), "expected a member's number"],
    ['the same member twice', Uint8Array.of(0xa2, 0x00, 0x01, 0x00, 0x02), 'expected CBOR'],
    ['an indefinite length', Uint8Array.of(0xbf, 0xff), 'expected CBOR'],
    ['a length longer than needed', Uint8Array.of(0xb8, 0x00), 'expected CBOR'],
    ['bytes after the end', Uint8Array.of(0xa0, 0x00), 'expected CBOR'],
    ['an empty map', Uint8Array.of(0xa0), 'content: expected an object'],
    ['a million nested arrays', new Uint8Array(1_000_000).fill(0x81), 'message'],
  ])('refuses %s in place of a message', async (_, bytes, text) => {
    const { code, message } = await failure(() => verifyMessage(bytes, { keyring, codec: cbor() }))
    expect(code).toBe('MESSAGE_MALFORMED')
    expect(message).toContain(text)
  })

  it('never verifies an altered message, and throws only AlvariumError', async () => {
    const { sdk } = await opened(cbor())
    const { message, bundle } = await sdk.create(payload)
    // Any other code would report a fault of the SDK, not of the message.
    const verdicts = ['MESSAGE_MALFORMED', 'SIGNER_UNKNOWN', 'SIGNATURE_INVALID']
    const mutation = fc.tuple(fc.nat(message.length - 1), fc.integer({ min: 0, max: 255 }))
    await fc.assert(
      fc.asyncProperty(mutation, async ([at, byte]) => {
        const altered = message.slice()
        altered[at] = byte
        const outcome = await verifyMessage(altered, { keyring, codec: cbor() }).catch((error) => error)
        if (outcome instanceof AlvariumError) expect(verdicts).toContain(outcome.code)
        else expect(outcome).toMatchObject({ ...bundle })
      }),
      runs(3000),
    )
  })
})

describe('a codec that fails', () => {
  const broken = (what: Partial<Codec>) => ({ ...json(), ...what }) as Codec

  it.each([
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
    ['returns a text', () => 'text'],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['resolves with a text', async () => 'text'],
    ['never answers', () => new Promise(() => {})],
  ])('makes the call reject, and nothing is published, if encode() %s', async (_, encode) => {
    const { sdk, stream } = await opened(broken({ encode: encode as never }), { codecTimeoutMs: 50 })
    expect(await codeOf(() => sdk.create(payload))).toBe('CODEC_FAILED')
    expect(stream.messages).toEqual([])
  })

  it('makes a message malformed if decode() returns no bytes', async () => {
    const codec = broken({ decode: () => 7 as never })
    expect(await codeOf(() => verifyMessage(payload, { keyring, codec }))).toBe('MESSAGE_MALFORMED')
  })
})
