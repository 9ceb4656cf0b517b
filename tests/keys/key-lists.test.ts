import { generateKey, memory, openSdk, source, toHex, verifyMessage } from 'alvarium-sdk'
import { describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'

const pair = generateKey()

async function signedMessage(): Promise<Uint8Array> {
  const stream = memory()
  await using sdk = await openSdk({ signingKey: pair.signingKey, annotators: [source()], stream })
  return (await sdk.create(utf8('a reading'))).message
}

describe('a list of public keys in place of a keyring', () => {
  it('trusts the keys that it has at the time of the call, even if it has changed since an earlier call', async () => {
    const message = await signedMessage()
    const keyring = [pair.verifyingKey]
    await verifyMessage(message, { keyring })
    keyring[0] = generateKey().verifyingKey
    expect(await codeOf(() => verifyMessage(message, { keyring }))).toBe('SIGNER_UNKNOWN')
  })

  it('trusts the bytes that a key has at the time of the call, even if they changed since an earlier call', async () => {
    const message = await signedMessage()
    const key = pair.verifyingKey.slice()
    await verifyMessage(message, { keyring: [key] })
    key.set(generateKey().verifyingKey)
    expect(await codeOf(() => verifyMessage(message, { keyring: [key] }))).toBe('SIGNER_UNKNOWN')
    key.set(pair.verifyingKey)
    expect((await verifyMessage(message, { keyring: [key] })).signer).toBe(pair.keyId)
  })

  it('is parsed once for successive calls, and again after eight other lists were used', async () => {
    const message = await signedMessage()
    // Parsing a hexadecimal key trims it once, so trims count the readings of the list.
    const trim = vi.spyOn(String.prototype, 'trim')
    const readings = async (keyring: string[]) => {
      trim.mockClear()
      await verifyMessage(message, { keyring })
      return trim.mock.contexts.filter((text) => keyring.includes(`${text}`)).length
    }
    try {
      const own = toHex(pair.verifyingKey)
      expect(await readings([own])).toBe(1)
      expect(await readings([own])).toBe(0)
      for (let lists = 0; lists < 8; lists++) {
        expect(await readings([own, toHex(generateKey().verifyingKey)])).toBe(2)
      }
      expect(await readings([own])).toBe(1)
    } finally {
      trim.mockRestore()
    }
  })

  it('stays in use until the end of a call, even if 39 simultaneous calls use other lists', async () => {
    const message = await signedMessage()
    const lists = Array.from({ length: 40 }, () => [generateKey().verifyingKey, pair.verifyingKey])
    const bundles = await Promise.all(lists.map((keyring) => verifyMessage(message, { keyring })))
    expect(bundles.map(({ signer }) => signer)).toEqual(lists.map(() => pair.keyId))
  })
})
