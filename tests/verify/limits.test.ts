import { type Codec, extractBundle, verifyBatch, verifyMessage } from 'alvarium-sdk'
import { describe, expect, it, vi } from 'vitest'
import { type Alteration, annotation, content, first } from '../support/alterations.js'
import { concat, utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { altered, genuineMessages, parsed, payload, resigned, written } from '../support/messages.js'
import { keyring, opened } from '../support/sdk.js'

const { create, mutate } = await genuineMessages()

const padded = (message: Uint8Array, length: number) =>
  concat(message, new Uint8Array(length - message.length).fill(0x20))

const annotations =
  (count: number): Alteration =>
  (message) => {
    message.content.annotations = Array(count).fill(annotation(message))
  }
/** Makes the payload of a bundle its key. */
const unhashed = (members: { key: string; previousKey?: string }): Alteration => {
  return ({ content }) => Object.assign(content, { hash: 'none' }, members)
}

describe('a bundle at its limit and beyond it', () => {
  it.each<[string, Uint8Array, Alteration, Alteration, string]>([
    ['256 annotations', create, annotations(256), annotations(257), 'annotations: expected at most 256'],
    [
      'a host of 255 bytes',
      create,
      content('host', 'h'.repeat(255)),
      content('host', 'h'.repeat(256)),
      'host: expected 0 to 255 bytes, got 256',
    ],
    [
      'a host of 85 characters of three bytes',
      create,
      content('host', '数'.repeat(85)),
      content('host', `${'数'.repeat(85)}h`),
      'host: expected 0 to 255 bytes, got 256',
    ],
    [
      'a kind of 255 bytes',
      create,
      first('kind', 'k'.repeat(255)),
      first('kind', 'k'.repeat(256)),
      'annotations[0].kind: expected 1 to 255 bytes, got 256',
    ],
    [
      'a kind of 127 characters of two bytes and one of one byte',
      create,
      first('kind', `${'ü'.repeat(127)}k`),
      first('kind', 'ü'.repeat(128)),
      'annotations[0].kind: expected 1 to 255 bytes, got 256',
    ],
    [
      'a kind of one byte',
      create,
      first('kind', 'k'),
      first('kind', ''),
      'annotations[0].kind: expected 1 to 255 bytes, got 0',
    ],
    [
      'a tag of 1,024 bytes',
      create,
      first('tag', 't'.repeat(1024)),
      first('tag', 't'.repeat(1025)),
      'annotations[0].tag: expected 0 to 1024 bytes, got 1025',
    ],
    [
      'a tag of 512 characters of two bytes',
      create,
      first('tag', 'ü'.repeat(512)),
      first('tag', `${'ü'.repeat(512)}t`),
      'annotations[0].tag: expected 0 to 1024 bytes, got 1025',
    ],
    [
      'a payload of 65,536 bytes as its key',
      create,
      unhashed({ key: 'a'.repeat(65_536) }),
      unhashed({ key: 'a'.repeat(65_537) }),
      'key: expected a none key',
    ],
    [
      'a previous payload of 32,768 characters of two bytes as its key',
      mutate,
      unhashed({ key: '', previousKey: 'ü'.repeat(32_768) }),
      unhashed({ key: '', previousKey: `${'ü'.repeat(32_768)}a` }),
      'previousKey: expected a none key',
    ],
  ])(
    'verifies at the limit, and is malformed beyond it: %s',
    async (_name, message, atLimit, beyond, text) => {
      const genuine = resigned(message, atLimit)
      const { action, content } = parsed(genuine)
      const { signature, ...claims } = content
      const { id: _, ...said } = await verifyMessage(genuine, { keyring })
      expect(said).toEqual({ action, ...claims, payloadChecked: false })
      expect(await failure(() => verifyMessage(altered(message, beyond), { keyring }))).toMatchObject({
        code: 'MESSAGE_MALFORMED',
        message: expect.stringContaining(text),
      })
    },
  )
})

// claim: threats-26
describe('a message of the maximum length', async () => {
  const { sdk } = await opened([])
  const [receipt] = await sdk.createMany([payload, utf8('b')])
  const batch = receipt?.message as Uint8Array
  const { action, messageType, content } = parsed(create)

  it('verifies as a bundle whose member messageType comes last, and is malformed with one byte more', async () => {
    const message = written({ content, action, messageType })
    expect(await verifyBatch(padded(message, 2_097_152), { keyring })).toHaveLength(1)
    // A longer message that does not begin with its type is read as a batch, and refused because it has annotations.
    const error = await failure(() => verifyBatch(padded(message, 2_097_153), { keyring }))
    expect(error.code).toBe('MESSAGE_MALFORMED')
  })

  it.each<[string, Uint8Array, number]>([
    ['a bundle of 2 MiB', create, 2_097_152],
    ['a bundle out of a batch of 2 MiB', extractBundle(batch, 0), 2_097_152],
    ['a batch of 16 MiB', batch, 16_777_216],
  ])('verifies, and is malformed with one byte more: %s', async (_, message, longest) => {
    expect(await verifyBatch(padded(message, longest), { keyring })).not.toHaveLength(0)
    const error = await failure(() => verifyBatch(padded(message, longest + 1), { keyring }))
    expect(error).toMatchObject({
      code: 'MESSAGE_MALFORMED',
      message: expect.stringContaining(`expected at most ${longest} bytes, got ${longest + 1}`),
    })
  })

  it('verifies, and is malformed if it is longer than 16 MiB before or after a codec decodes it', async () => {
    const decode = vi.fn((bytes: Uint8Array) => padded(batch, 16 * bytes.length))
    const codec: Codec = { contentType: 'text/plain', encode: (message) => message, decode }
    expect(await verifyBatch(new Uint8Array(1_048_576), { keyring, codec })).toHaveLength(2)
    const { message } = await failure(() => verifyBatch(new Uint8Array(1_048_577), { keyring, codec }))
    expect(message).toContain('message: expected at most 16777216 bytes, got 16777232')
    const { message: before } = await failure(() =>
      verifyBatch(new Uint8Array(16_777_217), { keyring, codec }),
    )
    expect(before).toContain('message: expected at most 16777216 bytes, got 16777217')
    expect(decode).toHaveBeenCalledTimes(2)
  })
})

describe('a payload with the hash "none"', () => {
  it.each([
    ['65,536 letters', 'a'.repeat(65_536)],
    ['32,768 characters of two bytes', 'ü'.repeat(32_768)],
  ])('is compared in full up to 65,536 bytes: %s', async (_, text) => {
    const { sdk } = await opened([], { hash: 'none' })
    const [first, second] = await Promise.all([sdk.create(utf8(text)), sdk.create(utf8(text))])
    for (const { message } of [first, second]) {
      expect(await verifyMessage(message, { keyring, payload: utf8(text) })).toMatchObject({ key: text })
      const error = await failure(() => verifyMessage(message, { keyring, payload: utf8(`${text}a`) }))
      expect(error).toMatchObject({
        code: 'PAYLOAD_MISMATCH',
        message: 'payload: does not match the payload key (hash none), got 65537 bytes',
      })
    }
    expect((await failure(() => sdk.create(utf8(`${text}a`)))).code).toBe('PAYLOAD_INVALID')
  })
})
