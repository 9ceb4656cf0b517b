// Other systems' forms of public keys: did:key, verifier keys of transparency logs, JSON Web Key Sets, CryptoKey.

import { generateKey, Keyring, keyIdOf, openSdk, source, verifyMessage } from 'alvarium-sdk'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { digest } from '../support/digest.js'
import { codeOf, failure } from '../support/failure.js'

const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
const hexOf = (bytes: Iterable<number>) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

function base58(bytes: Iterable<number>): string {
  let [rest, text] = [BigInt(`0x${hexOf(bytes)}`), '']
  for (; rest > 0n; rest /= 58n) text = DIGITS[Number(rest % 58n)] + text
  return text
}
const didKey = (...bytes: number[]) => `did:key:z${base58(bytes)}`

describe('a did:key', () => {
  it.each([
    [
      'Ed25519',
      'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
      '2e6fcce36701dc791488e0d0b1745cc1e33a4c1c9fcc41c63bd343dbbe0970e6',
    ],
    [
      'secp256k1',
      'did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme',
      {
        kty: 'EC',
        crv: 'secp256k1',
        x: 'h0wVx_2iDlOcblulc8E5iEw1EYh5n1RYtLQfeSTyNc0',
        y: 'O2EATIGbu6DezKFptj5scAIRntgfecanVNXxat1rnwE',
      },
    ],
  ])('for %s from the specification is read as the public key that it encodes', (_, did, key) => {
    expect(keyIdOf(did)).toBe(keyIdOf(key))
  })

  // claim: keys-7
  it('made from an Ed25519 or P-256 key is read as that key', async () => {
    const p256 = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign'])
    const point = new Uint8Array(await crypto.subtle.exportKey('raw', p256.publicKey))
    const compressed = [2 + ((point[64] as number) & 1), ...point.subarray(1, 33)]
    expect(keyIdOf(didKey(0x80, 0x24, ...compressed))).toBe(keyIdOf({ algorithm: 'P-256', point }))
    for (let round = 0; round < 20; round++) {
      const { verifyingKey, keyId } = generateKey()
      expect(keyIdOf(didKey(0xed, 0x01, ...verifyingKey))).toBe(keyId)
    }
  })

  it.each([
    ['of the method "web"', 'did:web:example.com'],
    ['of X25519', didKey(0xec, 0x01, ...new Uint8Array(32).fill(9))],
    ['with a byte too many', didKey(0xed, 0x01, ...generateKey().verifyingKey, 0)],
    ['with a byte too few', didKey(0xed, 0x01, ...generateKey().verifyingKey.subarray(1))],
    ['with a fragment', `${didKey(0xed, 0x01, ...generateKey().verifyingKey)}#key-1`],
    ['with a digit that base58 lacks', didKey(0xed, 0x01, ...generateKey().verifyingKey).replace(/.$/, '0')],
    ['with leading zeros', `did:key:z1${didKey(0xed, 0x01, ...generateKey().verifyingKey).slice(9)}`],
    ['without a key', 'did:key:z'],
    ['of 60,000 digits', `did:key:z${'z'.repeat(60_000)}`],
  ])('is refused: %s', async (_, did) => {
    expect(await codeOf(() => keyIdOf(did))).toBe('KEY_INVALID')
  })

  it('is refused as a private key', async () => {
    const signingKey = didKey(0xed, 0x01, ...generateKey().verifyingKey)
    const { code, message } = await failure(() =>
      openSdk({ signingKey, annotators: [], stream: { publish: () => {} } }),
    )
    expect(code).toBe('KEY_INVALID')
    expect(message).not.toContain(signingKey)
  })
})

describe('a verifier key of signed notes', () => {
  /** An example in the documentation of golang.org/x/mod/sumdb/note. */
  const NEUMANN = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
  const noteKey = (name: string, key: Uint8Array) => {
    const bytes = new Uint8Array([1, ...key])
    const hash = digest('sha256', new Uint8Array([...utf8(`${name}\n`), ...bytes])).slice(0, 8)
    return `${name}+${hash.toLowerCase()}+${btoa(String.fromCharCode(...bytes))}`
  }

  // claim: keys-10
  it('is read as the public key that it contains', () => {
    const key = fromHex('1a5cd907143c384c41e830c5bce12aa8817ec5649aaabf2c31388b35b2d744d6')
    expect(keyIdOf(NEUMANN)).toBe(keyIdOf(key))
    const { verifyingKey, keyId } = generateKey()
    expect(keyIdOf(noteKey('log.example/2026', verifyingKey))).toBe(keyId)
  })

  it.each([
    ['an altered hash', NEUMANN.replace('c74f', 'c74e')],
    ['an altered name', NEUMANN.replace('Peter', 'Petra')],
    ['an altered key type', NEUMANN.replace('+AR', '+BR')],
    ['no hash', NEUMANN.replace('+c74f20a3', '')],
  ])('is refused with %s', async (_, text) => {
    expect(await codeOf(() => keyIdOf(text))).toBe('KEY_INVALID')
  })

  it('is refused if one character was changed', () => {
    fc.assert(
      fc.property(fc.nat(NEUMANN.length - 1), fc.constantFrom(...DIGITS), (at, character) => {
        const altered = `${NEUMANN.slice(0, at)}${character}${NEUMANN.slice(at + 1)}`
        if (altered === NEUMANN) return
        expect(() => keyIdOf(altered)).toThrow()
      }),
    )
  })
})

describe('a JSON Web Key Set', async () => {
  const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair
  const jwk = await crypto.subtle.exportKey('jwk', pair.publicKey)
  const { key_ops: _, ...withoutUse } = jwk
  const encryption = { ...withoutUse, use: 'enc' }
  const otherAlgorithm = { ...withoutUse, alg: 'PS256' }

  // claim: keys-8
  it('adds only its supported signature keys to a keyring', async () => {
    const keys = [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }, encryption, otherAlgorithm, { ...jwk, kid: 'edge-7' }]
    expect(new Keyring({ keys }).keyIds).toEqual([keyIdOf(jwk)])
    expect((await Keyring.from({ keys })).keyIds).toEqual([keyIdOf(jwk)])
  })

  it('is refused if it contains no key for signatures', async () => {
    for (const keys of [[], [encryption], [otherAlgorithm], ['text'], [null]] as object[][])
      expect(await codeOf(() => new Keyring({ keys }))).toBe('KEY_INVALID')
  })

  it('is refused if it contains a damaged key for signatures', async () => {
    const damaged = { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' }
    expect(await codeOf(() => new Keyring({ keys: [jwk, damaged] }))).toBe('KEY_INVALID')
  })
})

describe('Keyring.from', () => {
  // claim: keys-9
  it.each([
    ['Ed25519', 'Ed25519'],
    ['ECDSA P-256', { name: 'ECDSA', namedCurve: 'P-256' }],
  ])('accepts a public CryptoKey of %s', async (_, algorithm) => {
    const signingKey = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair
    const keyring = await Keyring.from([signingKey.publicKey])
    await using sdk = await openSdk({ signingKey, annotators: [source()], stream: { publish: () => {} } })
    const { message } = await sdk.create(utf8('a'))
    expect((await verifyMessage(message, { keyring })).signer).toBe(keyring.keyIds[0])
  })

  it('refuses a CryptoKey that is private or of an unsupported algorithm', async () => {
    const { privateKey } = (await crypto.subtle.generateKey('Ed25519', true, ['sign'])) as CryptoKeyPair
    const { publicKey } = (await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-384' }, true, [
      'sign',
    ])) as CryptoKeyPair
    for (const key of [privateKey, publicKey])
      expect(await codeOf(() => Keyring.from([key]))).toBe('KEY_INVALID')
  })
})
