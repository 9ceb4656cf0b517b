// @alone

import { cbor, openSdk, source, verifyBatch, verifyMessage } from 'alvarium-sdk'
import { decode, encode } from 'cborg'
import { beforeAll, describe, expect, it } from 'vitest'
import { concat, latin1, utf8 } from '../support/bytes.js'
import { coreMemory } from '../support/core-memory.js'
import { failure } from '../support/failure.js'
import { key, keyring } from '../support/sdk.js'

const MIB = 1024 * 1024
const payload = utf8('hello')
const codec = cbor()
const stream = { publish: () => {} }
const open = (options = {}) =>
  openSdk({
    signingKey: key.signingKey,
    annotators: [source()],
    stream,
    codec,
    host: 'edge-7',
    tag: 'v1',
    ...options,
  })

// Numbers of members (FORMAT.md, CBOR).
const [CONTENT, SIGNATURE, SIGNER, KEY, HASH, HOST, ANNOTATIONS, BUNDLES, INPUTS] = [
  2, 3, 4, 5, 7, 8, 11, 16, 21,
]

let message: Uint8Array
beforeAll(async () => {
  message = (await (await open()).create(payload)).message
})

function withMember(member: number, value: (old: never) => unknown): Uint8Array {
  const whole: Map<number, Map<number, unknown>> = decode(message, { useMaps: true })
  const content = whole.get(CONTENT)
  content?.set(member, value(content.get(member) as never))
  return encode(whole)
}

/** Returns the message with some of its bytes replaced; they must exist. */
function withBytes(search: Uint8Array, by: Uint8Array): Uint8Array {
  const at = latin1(message).indexOf(latin1(search))
  expect(at).toBeGreaterThanOrEqual(0)
  return concat(message.subarray(0, at), by, message.subarray(at + search.length))
}

/** Returns some bytes, followed by empty maps up to 16 MiB. */
function emptyMaps(start: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(16 * MIB).fill(0xa0)
  bytes.set(start)
  return bytes
}

/** Returns the head of an array of this length (RFC 8949 §3). */
const arrayOf = (length: number) =>
  Uint8Array.of(0x9a, length >>> 24, (length >>> 16) & 255, (length >>> 8) & 255, length & 255)

describe('very long messages', () => {
  const places: [string, (message: Uint8Array) => Uint8Array][] = [
    ['are the whole message', () => new Uint8Array()],
    ['are the content', () => Uint8Array.of(0xa1, CONTENT)],
    ['are annotations', () => concat(start('alvarium.AnnotationBundle/1'), Uint8Array.of(0xa1, ANNOTATIONS))],
    ['are bundles', () => concat(start('alvarium.AnnotationBatch/1'), Uint8Array.of(0xa1, BUNDLES))],
  ]
  const start = (type: string) => concat(Uint8Array.of(0xa2, 1), encode(type), Uint8Array.of(CONTENT))

  it.each(places)(
    'are refused with less than 20 MiB of memory if 16 MiB of empty maps %s',
    async (_, begin) => {
      const bytes = emptyMaps(concat(begin(message), arrayOf(16_777_211)))
      const { code } = await failure(() => verifyBatch(bytes, { keyring, codec }))
      expect(code).toBe('MESSAGE_MALFORMED')
      expect(coreMemory().buffer.byteLength).toBeLessThan(20 * MIB)
    },
  )

  it('are refused before they are copied if they are longer than 16 MiB', async () => {
    const before = coreMemory().buffer.byteLength
    expect((await failure(() => codec.decode(new Uint8Array(64 * MIB)))).code).toBe('MESSAGE_MALFORMED')
    expect((await failure(() => codec.encode(new Uint8Array(64 * MIB)))).code).toBe('MESSAGE_MALFORMED')
    expect(coreMemory().buffer.byteLength).toBe(before)
  })
})

describe('a CBOR item that FORMAT.md does not allow', () => {
  const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

  it.each<[string, () => Uint8Array, string]>([
    ['a signature as text', () => withMember(SIGNATURE, hex), 'signature: expected CBOR bytes, got text'],
    ['a signer as text', () => withMember(SIGNER, hex), 'signer: expected CBOR bytes, got text'],
    [
      'a digest as text',
      () => withMember(KEY, (old) => hex(old).toUpperCase()),
      'key: expected CBOR bytes, or text with hash none, got the wrong type',
    ],
    ['a text as bytes', () => withMember(HOST, utf8), 'host: expected CBOR text, got bytes'],
    ['a float', () => withMember(HOST, () => 1.5), 'host: expected CBOR text, got a float'],
    [
      '-0.0 as a member',
      () => withBytes(Uint8Array.of(0xa3, 0), Uint8Array.of(0xa3, 0xf9, 0x80, 0)),
      "expected a member's number, got a float",
    ],
    [
      'bytes that are not UTF-8',
      () => withBytes(utf8('edge-7'), Uint8Array.of(101, 100, 0xff, 101, 45, 55)),
      'host: expected CBOR text, got text that is not UTF-8',
    ],
  ])('is refused with an error that names the field: %s', async (_, bytes, text) => {
    const { code, message } = await failure(() => verifyMessage(bytes(), { keyring, codec }))
    expect(code).toBe('MESSAGE_MALFORMED')
    expect(message).toContain(text)
  })

  it('does not verify with a byte order mark in a text, or with invalid UTF-8 in place of U+FFFD', async () => {
    const marked = withBytes(
      Uint8Array.of(0x66, ...utf8('edge-7')),
      Uint8Array.of(0x69, ...utf8('\ufeffedge-7')),
    )
    expect((await failure(() => verifyMessage(marked, { keyring, codec }))).code).toBe('SIGNATURE_INVALID')
    const { message: replaced } = await (await open({ host: 'ed\ufffde' })).create(payload)
    const at = latin1(replaced).indexOf(latin1(utf8('\ufffd')))
    const invalid = concat(
      replaced.subarray(0, at),
      Uint8Array.of(0xff, 0xff, 0xff),
      replaced.subarray(at + 3),
    )
    expect((await failure(() => verifyMessage(invalid, { keyring, codec }))).code).toBe('MESSAGE_MALFORMED')
  })
})

describe('a byte order mark', () => {
  it.each(['\ufeff', '\ufeffhello', '\ufeff\ufeff'])(
    'is an ordinary character in a payload, a host and a tag',
    async (text) => {
      const sdk = await open({ hash: 'none', host: `${text}host`, tag: text })
      const { message } = await sdk.create(utf8(text))
      const bundle = await verifyMessage(message, { keyring, codec, payload: utf8(text) })
      expect(bundle).toMatchObject({ key: text, host: `${text}host`, annotations: [{ tag: text }] })
    },
  )
})

describe('a CBOR message whose JSON would be six times as long', () => {
  it("is refused before the JSON is written, so that the core's memory does not grow", async () => {
    const input = new Map([
      [KEY, '\u0001'.repeat(65_536)],
      [HASH, 'none'],
    ])
    const whole: Map<number, unknown> = decode(message, { useMaps: true })
    const content = (whole.get(CONTENT) as Map<number, unknown>).set(INPUTS, Array(254).fill(input))
    const made = new Map(whole).set(0, 'mutate').set(1, 'alvarium.AnnotationBundle/2').set(CONTENT, content)
    expect((await failure(() => codec.decode(encode(made)))).code).toBe('MESSAGE_MALFORMED')
    expect(coreMemory().buffer.byteLength).toBeLessThan(100 * MIB)
  })
})

describe('an argument of cbor().encode() or decode()', () => {
  it('causes a TypeError if it is not bytes, and other calls continue', async () => {
    const sdk = await open()
    expect(() => codec.encode('{}' as never)).toThrow(TypeError)
    expect(() => codec.decode(undefined as never)).toThrow(TypeError)
    await sdk.create(payload)
  })

  it('is refused if it is not a bundle', async () => {
    const { code, message } = await failure(() => codec.encode(utf8('{"action":"create"}')))
    expect([code, message]).toEqual(['MESSAGE_MALFORMED', expect.stringContaining('content: expected')])
  })
})
