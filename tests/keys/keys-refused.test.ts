import {
  generateKey,
  type Jwk,
  keyIdOf,
  type SigningKeyInput,
  signBytes,
  toHex,
  type VerifyingKeyInput,
} from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { base64url, concat, fromHex, textOf, utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { exported, pemOf, privateKeyOf } from '../support/key-forms.js'
import { openssl } from '../support/openssl.js'
import { key } from '../support/sdk.js'

const seed = key.signingKey.slice(0, 32)
const hex = toHex(key.signingKey)
const publicHex = toHex(key.verifyingKey)
const { der, pem, jwk } = await privateKeyOf(seed)
const publicJwk: Jwk = { kty: 'OKP', crv: 'Ed25519', x: jwk.x ?? '' }
const spki = concat(fromHex('302a300506032b6570032100'), key.verifyingKey)
const other = generateKey()

async function generated(algorithm: RsaHashedKeyGenParams | EcKeyGenParams | Algorithm, usages: KeyUsage[]) {
  const pair = (await crypto.subtle.generateKey(algorithm, true, usages)) as CryptoKeyPair
  return { privateKey: await exported(pair.privateKey), publicKey: await exported(pair.publicKey) }
}
const rsa = await generated(
  {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
    hash: 'SHA-256',
  },
  ['sign', 'verify'],
)
const ec = await generated({ name: 'ECDSA', namedCurve: 'P-384' }, ['sign', 'verify'])
const x25519 = await generated({ name: 'X25519' }, ['deriveBits'])
const p256 = await generated({ name: 'ECDSA', namedCurve: 'P-256' }, ['sign', 'verify'])
/** Returns UTF-16 with a byte order mark, as PowerShell writes it. */
const utf16 = (text: string) =>
  Uint8Array.from([...`\uFEFF${text}`].flatMap((c) => [c.charCodeAt(0) & 0xff, c.charCodeAt(0) >> 8]))
const swapped = (_: number, at: number, bytes: Uint8Array) => bytes[at ^ 1] ?? 0
/** The point −G of GB/T 32918.5: x of G, and p minus its y. */
const SM2_MINUS_G =
  '0432c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c743c8c95c0b098863a642311c9496deac2f56788239d5b8c0fd20cd1adec60f5f'
const converted = async (pem: string, ...args: string[]) => textOf(await openssl(args, pem))

describe('a private key that is invalid', async () => {
  it.each<[string, SigningKeyInput, string]>([
    ['an empty array', new Uint8Array(), 'an empty value'],
    ['an empty text', '', 'an empty value'],
    ['31 bytes', seed.slice(1), '31 bytes'],
    ['33 bytes', concat(new Uint8Array([255]), seed), '33 bytes'],
    ['63 bytes', key.signingKey.slice(1), '63 bytes'],
    ['65 bytes', concat(new Uint8Array([255]), key.signingKey), '65 bytes'],
    ['62 digits', hex.slice(2, 64), '62 of them'],
    ['an odd number of digits', hex.slice(0, 63), '63 of them'],
    ['127 digits', hex.slice(0, 127), '127 of them'],
    ['130 digits', `${hex}00`, '130 of them'],
    ['32 digits', hex.slice(0, 32), '32 of them'],
    ['hexadecimal with a wrong digit', `${hex.slice(0, 63)}g`, 'position 63'],
    ['a file with a wrong digit', utf8(`${hex.slice(0, 127)}g\n`), 'position 127'],
    ['hexadecimal with the prefix 0x', `0x${hex.slice(0, 64)}`, 'position 1'],
    ['hexadecimal with white space inside', `${hex.slice(0, 64)} ${hex.slice(64)}`, 'position 64'],
    ['a pass phrase of 32 characters', 'correct horse battery staple 123', 'position 1'],
    [
      'a public key of 32 bytes',
      key.verifyingKey,
      '32 bytes, which may be a public key (a seed is asked for',
    ],
    ['a public key of 64 digits', publicHex, '64 hexadecimal digits, which may be a public key (a seed is'],
    ['the file public.key', utf8(`${publicHex}\n`), 'readKey(path, { seed: true })'],
    ['a seed outside of { seed }', seed, '{ seed }'],
    ['a seed of 31 bytes', { seed: seed.slice(1) }, '31 bytes or digits'],
    ['a seed of 128 digits', { seed: hex }, '128 bytes or digits'],
    ['a seed with a wrong digit', { seed: `${hex.slice(0, 63)}g` }, 'position 63'],
    ['a pass phrase in { seed }', { seed: 'correct horse battery staple 123' }, '32 bytes or digits'],
    ['a seed that is a number', { seed: 7 as unknown as string }, 'a number'],
    [
      "a seed with another key's public half",
      concat(seed, other.verifyingKey),
      'the public half of another key',
    ],
    [
      "a seed with another key's public half in hexadecimal",
      toHex(concat(seed, other.verifyingKey)),
      'the public half of another key',
    ],
    [
      "a JWK with another key's x",
      { ...jwk, x: base64url(other.verifyingKey) },
      'the public half of another key',
    ],
    [
      "PKCS#8 version 2 with another key's public half",
      concat(fromHex('3051020101300506032b657004220420'), seed, fromHex('812100'), other.verifyingKey),
      'the public half of another key',
    ],
    ['PKCS#8 with a byte too many', concat(der, new Uint8Array(1)), '49 bytes'],
    ['PKCS#8 with a byte too few', der.slice(0, -1), '47 bytes'],
    ['an RSA key as PEM', rsa.privateKey.pem, 'bytes'],
    ['a P-384 key as PEM', ec.privateKey.pem, 'bytes'],
    ['an X25519 key as PEM', x25519.privateKey.pem, 'bytes'],
    ['an RSA key as PKCS#1', await converted(rsa.privateKey.pem, 'rsa', '-traditional'), 'RSA PRIVATE KEY'],
    ['a P-384 key as SEC 1', await converted(ec.privateKey.pem, 'ec'), 'bytes'],
    [
      'an encrypted key',
      await converted(pem, 'pkcs8', '-topk8', '-passout', 'pass:x'),
      'ENCRYPTED PRIVATE KEY, encrypted: write it without its passphrase (openssl pkey -in encrypted.pem -out private.key)',
    ],
    [
      'an encrypted key of SEC 1',
      await converted(ec.privateKey.pem, 'ec', '-aes256', '-passout', 'pass:x'),
      'EC PRIVATE KEY, encrypted: write it without its passphrase',
    ],
    ['an RSA key as JWK', rsa.privateKey.jwk, 'RSA'],
    ['a P-384 key as JWK', ec.privateKey.jwk, 'P-384'],
    ['an X25519 key as JWK', x25519.privateKey.jwk, 'X25519'],
    ['a public key as SPKI DER', spki, '44 bytes'],
    ['a public key as PEM', pemOf('PUBLIC KEY', spki), 'PUBLIC KEY'],
    ['a public key as JWK', { kty: 'OKP', crv: 'Ed25519', x: jwk.x ?? '' }, 'd'],
    [
      'PEM whose END label differs from its BEGIN label',
      pem.replace('END PRIVATE', 'END PUBLIC'),
      'does not end as it begins',
    ],
    ['two keys in one file', `${pem}\n${pemOf('PUBLIC KEY', spki)}`, 'does not end as it begins'],
    ['PEM of curve parameters', pemOf('EC PARAMETERS', new Uint8Array([1])), 'EC PARAMETERS'],
    ['truncated PEM', pem.slice(0, 60), 'does not end as it begins'],
    ['PEM that is not base64', pem.replace(/\n[A-Z]/, '\n*'), 'other characters'],
    ['PEM without a key', pemOf('PRIVATE KEY', new Uint8Array([1])), 'other bytes inside'],
    ['an Ed25519 key labelled as SEC 1', pemOf('EC PRIVATE KEY', der), '48 other bytes'],
    ['a JWK without x', { kty: 'OKP', crv: 'Ed25519', d: jwk.d ?? '' }, 'x'],
    ['a JWK with d twice', JSON.stringify(jwk).replace('{', '{"d":"AAAA",'), 'a repeated member'],
    [
      'a JWK with d twice, once escaped',
      JSON.stringify(jwk).replace('{', '{"\\u0064":"AAAA",'),
      'a repeated member',
    ],
    ['a file in UTF-16', utf16(hex), 'UTF-16: save the file as UTF-8'],
    ['a file in big-endian UTF-16', utf16(pem).map(swapped), 'UTF-16: save the file as UTF-8'],
    ['a JWK with a short d', { ...jwk, d: 'AAAA' }, '3'],
    ['a JWK with a d that is a number', { ...jwk, d: 7 as unknown as string }, 'a number'],
    ['an unfinished JWK', '{"kty":"OKP"', 'not JSON'],
    ['a JWK with a kty of 99 characters', { kty: 'k'.repeat(99), crv: 'Ed25519' }, 'a string Ed25519'],
    ['65,537 bytes', new Uint8Array(65_537), '65537'],
    ['text of 65,537 characters', 'a'.repeat(65_537), '65537'],
    ['an empty object', {}, ''],
    ['null', null as unknown as string, 'null'],
    ['a number', 7 as unknown as string, 'a number'],
  ])('is refused with the expected and the given value if it is %s', async (_, wrong, got) => {
    const { code, message } = await failure(() => signBytes(wrong, utf8('hello')))
    expect(code).toBe('KEY_INVALID')
    expect(message).toMatch(/^signingKey(\.seed)?: expected .+, got .+/)
    expect(message.split(/, got /).at(-1)).toContain(got)
  })
})

describe('a public key that is invalid', () => {
  /** The eight points of small order and their non-canonical spellings (Chalkias et al., table 1). */
  const SMALL = [
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0000000000000000000000000000000000000000000000000000000000000080',
    '0100000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000080',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  ]

  // claim: troubleshooting-1
  it.each(SMALL)('is refused as a point of small order: %s', async (point) => {
    for (const form of [point, fromHex(point)]) {
      const { code, message } = await failure(() => keyIdOf(form))
      expect({ code, message }).toEqual({
        code: 'KEY_INVALID',
        message: expect.stringMatching(/^verifyingKey: .*(small order|not a point|not the canonical one)/),
      })
    }
  })

  it.each<[string, VerifyingKeyInput, string]>([
    ['an empty array', new Uint8Array(), 'an empty value'],
    ['an empty text', '', 'an empty value'],
    ['31 bytes', key.verifyingKey.slice(1), '31 bytes'],
    ['33 bytes', concat(new Uint8Array([255]), key.verifyingKey), '33 bytes'],
    ['a text that encodes no point', `02${'00'.repeat(31)}`, 'not a point'],
    ['an odd number of digits', publicHex.slice(1), '63 of them'],
    ['hexadecimal with a wrong digit', `g${publicHex.slice(1)}`, 'position 0'],
    ['a text of 32 characters', 'the public key of the edge-7 box', 'position 0'],
    ['SPKI with a byte too many', concat(spki, new Uint8Array(1)), '33 bytes'],
    ['SPKI with a byte too few', spki.slice(0, -1), '31 bytes'],
    ['a private key of 64 bytes', key.signingKey, '64 bytes, which looks like a private key'],
    ['a private key of 128 digits', hex, '128 hexadecimal digits, which looks like a private key'],
    ['a private key as PEM', pem, 'PRIVATE KEY'],
    ['a private key as DER', der, 'PKCS#8, which looks like a private key'],
    ['an RSA key as PEM', rsa.publicKey.pem, 'bytes'],
    ['a P-384 key as PEM', ec.publicKey.pem, 'bytes'],
    ['an X25519 key as PEM', x25519.publicKey.pem, 'bytes'],
    ['an X25519 key as JWK', x25519.publicKey.jwk, 'X25519'],
    ['a JWK for encryption', { ...publicJwk, use: 'enc' }, 'enc'],
    ['a JWK with the algorithm HS256', { ...publicJwk, alg: 'HS256' }, 'HS256'],
    [
      'a P-256 key with the algorithm of secp256k1',
      { ...p256.publicKey.jwk, alg: 'ES256K' } as Jwk,
      'ES256K',
    ],
    [
      'an SM2 key with an algorithm for encryption',
      { kty: 'EC', crv: 'SM2', x: jwk.x, y: jwk.x, alg: 'ECDH-ES' } as Jwk,
      'ECDH-ES',
    ],
    [
      'a JWK whose operations do not include verify',
      { ...publicJwk, key_ops: ['deriveBits'] },
      'other key_ops',
    ],
    ['a JWK whose operations are not a list', { ...publicJwk, key_ops: 'verify' } as never, 'other key_ops'],
    ['a JWK with padding', { ...publicJwk, x: `${jwk.x}=` }, 'other characters'],
    ['a private key as JWK', jwk as Jwk, 'a private key (a JWK with d)'],
    ['a private key as the text of a JWK', JSON.stringify(jwk), 'a private key (a JWK with d)'],
    ['a private key as the file of a JWK', utf8(JSON.stringify(jwk)), 'a private key (a JWK with d)'],
    ['a private P-256 key as JWK', p256.privateKey.jwk as Jwk, 'a private key (a JWK with d)'],
    [
      'a JWK with x twice',
      `{"kty":"OKP","crv":"Ed25519","x":"${jwk.x}","x":"${jwk.x}"}`,
      'a repeated member',
    ],
    ['a file in UTF-16', utf16(publicHex), 'UTF-16: save the file as UTF-8'],
    ["SM2's point −G", { algorithm: 'SM2', point: SM2_MINUS_G }, 'a point that is not valid'],
    [
      "SM2's point −G, compressed",
      { algorithm: 'SM2', point: `03${SM2_MINUS_G.slice(2, 66)}` },
      'a point that is not valid',
    ],
    ['a JWK without x', { kty: 'OKP', crv: 'Ed25519' }, 'x'],
    ['undefined', undefined as unknown as string, 'undefined'],
  ])('is refused with the expected and the given value if it is %s', async (_, wrong, got) => {
    const { code, message } = await failure(() => keyIdOf(wrong))
    expect(code).toBe('KEY_INVALID')
    expect(message).toMatch(/^verifyingKey: expected .+, got .+/)
    expect(message.split(/, got /).at(-1)).toContain(got)
  })
})

describe('a key of an unsupported algorithm', () => {
  it.each([
    ['RSA', rsa],
    ['P-384', ec],
    ['X25519', x25519],
  ])('is refused with an error about the algorithm: %s', async (_, pair) => {
    const error = await failure(() => signBytes(pair.privateKey.pem, utf8('')))
    expect(error.message).toMatch(/Ed25519|algorithm/)
  })
})
