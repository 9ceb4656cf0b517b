import { openSdk, source, verifyMessage } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { fromHex, utf8 } from '../support/bytes.js'
import { failure, typeError } from '../support/failure.js'
import { keyring, opened } from '../support/sdk.js'

describe('a payload that is not a Uint8Array', () => {
  const WRONG: [string, unknown, string][] = [
    ['a string', 'hello', 'a string'],
    ['an ArrayBuffer', new ArrayBuffer(8), 'an ArrayBuffer'],
    ['an array of numbers', [1, 2, 3], 'an Array'],
    ['null', null, 'null'],
    ['undefined', undefined, 'undefined'],
    ['a Float64Array', new Float64Array(4), 'a Float64Array'],
    ['a Uint16Array', new Uint16Array(4), 'a Uint16Array'],
    ['a DataView', new DataView(new ArrayBuffer(8)), 'a DataView'],
    ['an object', { length: 3 }, 'an Object'],
  ]
  const good = utf8('good')

  // claim: calls-3
  it.each(WRONG)(
    'makes every action reject with a TypeError that names the argument: %s',
    async (_, wrong, got) => {
      const { sdk, stream } = await opened([source()])
      const payload = wrong as Uint8Array
      const text = (argument: string) => `${argument}: expected a Uint8Array, got ${got}`
      expect((await typeError(() => sdk.create(payload))).message).toBe(text('payload'))
      expect((await typeError(() => sdk.transit(payload))).message).toBe(text('payload'))
      expect((await typeError(() => sdk.publish(payload))).message).toBe(text('payload'))
      const { message } = await typeError(() => sdk.mutate(payload, good))
      // An array counts as a list of inputs.
      const ofMutate = 'inputs[0]: expected a Uint8Array, got a number'
      expect(message).toBe(Array.isArray(wrong) ? ofMutate : text('oldPayload'))
      expect((await typeError(() => sdk.mutate(good, payload))).message).toBe(text('newPayload'))
      expect(stream.messages).toEqual([])
    },
  )

  it.each(WRONG.filter(([name]) => name !== 'undefined'))(
    'makes verifyMessage reject with a TypeError that names the argument: %s',
    async (_, wrong, got) => {
      const { sdk } = await opened([source()])
      const { message } = await sdk.create(good)
      const bytes = wrong as Uint8Array
      expect((await typeError(() => verifyMessage(bytes, { keyring }))).message).toBe(
        `message: expected a Uint8Array, got ${got}`,
      )
      expect((await typeError(() => verifyMessage(message, { keyring, payload: bytes }))).message).toBe(
        `payload: expected a Uint8Array, got ${got}`,
      )
    },
  )
})

// claim: security-6
describe('an invalid key that contains a secret', () => {
  const marker = 'c0ffee'
  const secrets: [string, unknown][] = [
    ['text that is not hexadecimal', `${marker.repeat(10)}zzzz`],
    ['hexadecimal of a wrong length', marker.repeat(9)],
    ['hexadecimal with a wrong public half', marker.repeat(22).slice(0, 128)],
    ['bytes of a wrong length', fromHex(marker.repeat(11))],
    ['text as bytes', utf8(`${marker.repeat(10)}zzzz`)],
    ['PEM with a wrong body', `-----BEGIN PRIVATE KEY-----\n${marker}!${marker}\n-----END PRIVATE KEY-----`],
    ['PEM that does not end', `-----BEGIN PRIVATE KEY-----\n${marker}`],
    ['a JWK that is not JSON', `{"kty":"OKP","d":"${marker}`],
    ['a JWK with a short d', { kty: 'OKP', crv: 'Ed25519', d: marker, x: marker }],
    ['a JWK with a d that is no base64', { kty: 'OKP', crv: 'Ed25519', d: `${marker}!!`, x: marker }],
    ['an array', [marker]],
    ['a number', 0xc0ffee],
    ['an object that prints itself', { toJSON: () => marker, toString: () => marker }],
  ]

  it.each(secrets)('appears in no error: %s', async (_, signingKey) => {
    const error = await failure(() =>
      openSdk({ signingKey, annotators: [], stream: { publish: () => {} } } as never),
    )
    expect(['KEY_INVALID', 'CONFIG_INVALID']).toContain(error.code)
    expect(`${error.message} ${error.stack} ${error.cause}`).not.toMatch(/c0ffee|12648430/i)
    expect(error.message).toMatch(/signingKey/)
  })
})
