// @browser: WebCrypto

import { generateKey, type KeyPair, keyIdOf, openSdk, signBytes, toHex, verifyBytes } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { base64url, concat, fromHex, utf8 } from '../support/bytes.js'
import { DIALECTS, signingKeyOf } from '../support/classic.js'
import { privateForms, privateKeyOf, publicForms } from '../support/key-forms.js'
import { rfc8032, vectorBytes } from '../support/vectors.js'

const [vector] = rfc8032()
if (!vector) throw new Error('expected RFC 8032 TEST 1')
const [seed, publicKey] = [fromHex(vector.seed), fromHex(vector.publicKey)]
const id = keyIdOf(publicKey)

/** Returns the key id in the signatures of an SDK with this key. */
async function signerOf(signingKey: Parameters<typeof signBytes>[0]): Promise<string> {
  await using sdk = await openSdk({ signingKey, annotators: [], stream: { publish: () => {} } })
  return (await sdk.create(utf8('hello'))).bundle.signer
}

describe('a key id', () => {
  // claim: format-8
  it('is the first 16 bytes of the SHA-256 of the public key, in lower-case hexadecimal', () => {
    expect(id).toBe('21fe31dfa154a261626bf854046fd227')
  })
})

describe('a private key', async () => {
  const forms = await privateForms(seed, publicKey)

  it.each(forms)('given as %s, makes the signature of RFC 8032', async (_, form) => {
    expect(toHex(signBytes(form, fromHex('')))).toBe(vector.signature)
    expect(await signerOf(form)).toBe(id)
  })

  it('is not changed by signing', () => {
    const given = forms.map(([, form]) => structuredClone(form))
    for (const [, form] of forms) signBytes(form, utf8('hello'))
    expect(forms.map(([, form]) => form)).toEqual(given)
  })
})

describe('a public key', async () => {
  const forms = await publicForms(seed, publicKey)

  it.each(forms)('given as %s, has the same key id', (_, form) => {
    expect(keyIdOf(form)).toBe(id)
  })
})

describe('the example keys of RFC 8410, section 10,', () => {
  const publicPem =
    '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----'
  const pem = (...lines: string[]) =>
    `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----`

  it('are read from PKCS#8 version 1', async () => {
    const text = pem('MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC')
    expect(await signerOf(text)).toBe(keyIdOf(publicPem))
  })

  it('are read from PKCS#8 version 2, with attributes and the public key', async () => {
    const text = pem(
      'MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC',
      'oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB',
      'Z9w7lshQhqowtrbLDFw4rXAxZuE=',
    )
    expect(await signerOf(text)).toBe(keyIdOf(publicPem))
  })
})

describe('the key files of the other Alvarium SDKs', () => {
  it.each(DIALECTS)('can be used to sign and verify with this SDK: %s', async (sdk) => {
    const [own, trusted] = [signingKeyOf(sdk), vectorBytes(`keys/${sdk}-public.key`)]
    expect(await signerOf(own)).toBe(keyIdOf(trusted))
    expect(verifyBytes(trusted, utf8('hello'), signBytes(own, utf8('hello')))).toBe(true)
  })
})

describe('a generated key', () => {
  it('contains signingKey (seed and public key), verifyingKey and keyId, and is new each time', async () => {
    const [one, other] = [generateKey(), generateKey()]
    for (const { signingKey, verifyingKey, keyId } of [one, other] satisfies KeyPair[]) {
      expect([signingKey.length, verifyingKey.length]).toEqual([64, 32])
      expect(signingKey.subarray(32)).toEqual(verifyingKey)
      expect(keyIdOf(verifyingKey)).toBe(keyId)
      const { jwk } = await privateKeyOf(signingKey.subarray(0, 32))
      expect(base64url(verifyingKey)).toBe(jwk.x)
    }
    expect(one.keyId).not.toBe(other.keyId)
    expect(one.signingKey.subarray(0, 32)).not.toEqual(new Uint8Array(32))
  })
})

describe('signBytes and verifyBytes', () => {
  const signature = signBytes({ seed }, utf8('hello'))

  it('make and verify a signature, which is refused with different bytes or a different public key', () => {
    expect(verifyBytes(publicKey, utf8('hello'), signature)).toBe(true)
    expect(verifyBytes(publicKey, utf8('hellO'), signature)).toBe(false)
    expect(verifyBytes(publicKey, utf8('hello '), signature)).toBe(false)
    expect(verifyBytes(generateKey().verifyingKey, utf8('hello'), signature)).toBe(false)
  })

  it('refuse a signature after any one of its bits was flipped', () => {
    for (let bit = 0; bit < 512; bit++) {
      const turned = Uint8Array.from(signature)
      turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(verifyBytes(publicKey, utf8('hello'), turned)).toBe(false)
    }
  })

  it('refuse a signature that is too short or too long', () => {
    expect(verifyBytes(publicKey, utf8('hello'), signature.subarray(0, 63))).toBe(false)
    expect(verifyBytes(publicKey, utf8('hello'), concat(signature, new Uint8Array(1)))).toBe(false)
  })

  it('accept at most 16 MiB', () => {
    const longest = new Uint8Array(16_777_216)
    const over = new Uint8Array(16_777_217)
    expect(verifyBytes(publicKey, longest, signBytes({ seed }, longest))).toBe(true)
    const error = new RangeError('bytes: expected at most 16777216 bytes, got 16777217')
    expect(() => signBytes({ seed }, over)).toThrow(error)
    expect(() => verifyBytes(publicKey, over, signature)).toThrow(error)
  })

  it('accept only bytes, and name the invalid argument', () => {
    const text = 'hello' as unknown as Uint8Array
    expect(() => signBytes({ seed }, text)).toThrow(
      new TypeError('bytes: expected a Uint8Array, got a string'),
    )
    expect(() => verifyBytes(publicKey, text, signature)).toThrow(/^bytes: expected a Uint8Array/)
    expect(() => verifyBytes(publicKey, utf8(''), text)).toThrow(/^signature: expected a Uint8Array/)
  })
})
