import { generateKey, Keyring, openSdk, source, toHex, verifyMessage } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'

const payload = utf8('hello')
const [a, b, c] = [generateKey(), generateKey(), generateKey()]
const messageBy = async ({ signingKey }: { signingKey: Uint8Array }) => {
  await using sdk = await openSdk({ signingKey, annotators: [source()], stream: { publish: () => {} } })
  return (await sdk.create(payload)).message
}

describe('a keyring', () => {
  it('names its keys', () => {
    const keyring = new Keyring([a.verifyingKey, toHex(b.verifyingKey)])
    expect(keyring.keyIds).toEqual([a.keyId, b.keyId])
    expect(keyring.add(c.verifyingKey)).toBe(c.keyId)
    expect(keyring.keyIds).toEqual([a.keyId, b.keyId, c.keyId])
  })

  it('holds each key once, in whatever form it comes', async () => {
    const keyring = new Keyring([a.verifyingKey, toHex(a.verifyingKey), `${toHex(a.verifyingKey)}\n`])
    expect(keyring.keyIds).toEqual([a.keyId])
    expect(keyring.delete(a.keyId)).toBe(true)
    expect(await codeOf(async () => verifyMessage(await messageBy(a), { keyring }))).toBe('SIGNER_UNKNOWN')
  })

  it('keeps its own copy of what it was given', async () => {
    const bytes = Uint8Array.from(a.verifyingKey)
    const keyring = new Keyring([bytes])
    bytes.fill(0)
    expect((await verifyMessage(await messageBy(a), { keyring })).signer).toBe(a.keyId)
  })

  it('can be made of any iterable, and of nothing', async () => {
    expect(new Keyring(new Set([a.verifyingKey, b.verifyingKey])).keyIds).toHaveLength(2)
    const error = await failure(async () => verifyMessage(await messageBy(a), { keyring: new Keyring() }))
    expect(error).toMatchObject({ code: 'SIGNER_UNKNOWN', message: expect.stringContaining(a.keyId) })
  })

  it.each([a.verifyingKey, toHex(a.verifyingKey)])('refuses a single key in place of several', (key) => {
    expect(() => new Keyring(key as never)).toThrow(
      new TypeError(
        `keys: expected an array of keys, got a ${typeof key === 'string' ? 'string' : 'Uint8Array'}`,
      ),
    )
  })

  it('refuses a key that is none, and keeps the others', async () => {
    const keyring = new Keyring([a.verifyingKey])
    expect(await codeOf(() => keyring.add('abc'))).toBe('KEY_INVALID')
    expect(await codeOf(() => new Keyring([a.verifyingKey, 'abc']))).toBe('KEY_INVALID')
    expect(keyring.keyIds).toEqual([a.keyId])
  })

  it('works again after it was closed', async () => {
    const keyring = new Keyring([a.verifyingKey])
    keyring.close()
    const message = await messageBy(a)
    expect((await verifyMessage(message, { keyring })).signer).toBe(a.keyId)
    keyring.close()
    keyring.close()
    expect((await verifyMessage(message, { keyring })).signer).toBe(a.keyId)
  })
})

describe('when a signer changes its key', () => {
  it('both keys verify for a while, then only the new one', async () => {
    const [before, after] = [await messageBy(a), await messageBy(b)]
    const keyring = new Keyring([a.verifyingKey])
    expect(await codeOf(() => verifyMessage(after, { keyring }))).toBe('SIGNER_UNKNOWN')
    keyring.add(b.verifyingKey)
    expect((await verifyMessage(before, { keyring })).signer).toBe(a.keyId)
    expect((await verifyMessage(after, { keyring })).signer).toBe(b.keyId)
    expect(keyring.delete(a.keyId)).toBe(true)
    expect(keyring.delete(a.keyId)).toBe(false)
    expect(await codeOf(() => verifyMessage(before, { keyring }))).toBe('SIGNER_UNKNOWN')
    expect((await verifyMessage(after, { keyring })).signer).toBe(b.keyId)
  })
})

describe('when a keyring holds many keys', () => {
  it('finds the right one for each message', async () => {
    const keys = Array.from({ length: 200 }, () => generateKey())
    const keyring = new Keyring(keys.map(({ verifyingKey }) => verifyingKey))
    for (const key of keys.filter((_, at) => at % 10 === 0)) {
      expect((await verifyMessage(await messageBy(key), { keyring })).signer).toBe(key.keyId)
    }
    expect(await codeOf(async () => verifyMessage(await messageBy(a), { keyring }))).toBe('SIGNER_UNKNOWN')
  })

  it('an array of keys does as well', async () => {
    const keyring = [a.verifyingKey, toHex(b.verifyingKey)]
    expect((await verifyMessage(await messageBy(b), { keyring, payload })).signer).toBe(b.keyId)
    expect(await codeOf(async () => verifyMessage(await messageBy(c), { keyring }))).toBe('SIGNER_UNKNOWN')
    expect(await codeOf(async () => verifyMessage(await messageBy(c), { keyring: ['abc'] }))).toBe(
      'KEY_INVALID',
    )
  })
})
