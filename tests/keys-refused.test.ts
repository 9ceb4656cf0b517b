import { generateKeyPairSync } from 'node:crypto'
import {
  generateKey,
  keyIdOf,
  readKey,
  type SigningKeyInput,
  signBytes,
  toHex,
  type VerifyingKeyInput,
} from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { concat, fromHex, utf8 } from './support/bytes.js'
import { failure } from './support/failure.js'
import { pemOf, privateKeyOf } from './support/key-forms.js'
import { key } from './support/sdk.js'

const seed = key.signingKey.slice(0, 32)
const hex = toHex(key.signingKey)
const publicHex = toHex(key.verifyingKey)
const node = privateKeyOf(seed)
const pem = node.export({ format: 'pem', type: 'pkcs8' }) as string
const der = Uint8Array.from(node.export({ format: 'der', type: 'pkcs8' }))
const spki = concat(fromHex('302a300506032b6570032100'), key.verifyingKey)
const jwk = node.export({ format: 'jwk' }) as JsonWebKey
const other = generateKey()
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const x25519 = generateKeyPairSync('x25519')
const pkcs8 = (pair: typeof x25519) => pair.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
const spkiOf = (pair: typeof x25519) => pair.publicKey.export({ format: 'pem', type: 'spki' }) as string

describe('a private key is refused, naming what was expected and what came,', () => {
  it.each<[string, SigningKeyInput, string]>([
    ['nothing', new Uint8Array(), '0'],
    ['31 bytes', seed.slice(1), '31 bytes'],
    ['33 bytes', concat(new Uint8Array([255]), seed), '33 bytes'],
    ['63 bytes', key.signingKey.slice(1), '63 bytes'],
    ['65 bytes', concat(new Uint8Array([255]), key.signingKey), '65 bytes'],
    ['62 digits', hex.slice(2, 64), '62 of them'],
    ['an odd number of digits', hex.slice(0, 63), '63 of them'],
    ['127 digits', hex.slice(0, 127), '127 of them'],
    ['130 digits', `${hex}00`, '130 of them'],
    ['32 digits', hex.slice(0, 32), '32 of them'],
    ['a wrong digit', `${hex.slice(0, 63)}g`, 'position 63'],
    ['a wrong digit in a file', utf8(`${hex.slice(0, 127)}g\n`), 'position 127'],
    ['0x in front', `0x${hex.slice(0, 64)}`, 'position 1'],
    ['white space inside', `${hex.slice(0, 64)} ${hex.slice(64)}`, 'position 64'],
    ['a pass phrase of 32 characters', 'correct horse battery staple 123', 'position 1'],
    ["another key's public half", concat(seed, other.verifyingKey), "another key's"],
    ["another key's public half in hexadecimal", toHex(concat(seed, other.verifyingKey)), "another key's"],
    [
      "a JWK with another key's x",
      { ...jwk, x: Buffer.from(other.verifyingKey).toString('base64url') },
      "another key's",
    ],
    [
      'PKCS#8 version 2 with another public half',
      concat(fromHex('3051020101300506032b657004220420'), seed, fromHex('812100'), other.verifyingKey),
      "another key's",
    ],
    ['PKCS#8 with a byte too many', concat(der, new Uint8Array(1)), '49 bytes'],
    ['PKCS#8 with a byte too few', der.slice(0, -1), '47 bytes'],
    ['an RSA key as PEM', pkcs8(rsa), 'bytes'],
    ['an EC key as PEM', pkcs8(ec), 'bytes'],
    ['an X25519 key as PEM', pkcs8(x25519), 'bytes'],
    [
      'an RSA key as PKCS#1',
      rsa.privateKey.export({ format: 'pem', type: 'pkcs1' }) as string,
      'RSA PRIVATE KEY',
    ],
    ['an EC key as SEC 1', ec.privateKey.export({ format: 'pem', type: 'sec1' }) as string, 'EC PRIVATE KEY'],
    [
      'an encrypted key',
      node.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' }) as string,
      'ENCRYPTED PRIVATE KEY',
    ],
    ['an RSA key as JWK', rsa.privateKey.export({ format: 'jwk' }) as JsonWebKey, 'RSA'],
    ['an EC key as JWK', ec.privateKey.export({ format: 'jwk' }) as JsonWebKey, 'P-256'],
    ['an X25519 key as JWK', x25519.privateKey.export({ format: 'jwk' }) as JsonWebKey, 'X25519'],
    ['a public key as SPKI DER', spki, '44 bytes'],
    ['a public key as PEM', pemOf('PUBLIC KEY', spki), 'PUBLIC KEY'],
    ['a public key as JWK', { kty: 'OKP', crv: 'Ed25519', x: jwk.x ?? '' }, 'd'],
    ['PEM that ends as another', pem.replace('END PRIVATE', 'END PUBLIC'), 'does not end as it begins'],
    ['PEM cut short', pem.slice(0, 60), 'does not end as it begins'],
    ['PEM that is no base64', pem.replace(/\n[A-Z]/, '\n*'), 'other characters'],
    ['PEM of nothing', pemOf('PRIVATE KEY', new Uint8Array([1])), 'something else inside'],
    ['a JWK without x', { kty: 'OKP', crv: 'Ed25519', d: jwk.d ?? '' }, 'x'],
    ['a JWK with a short d', { ...jwk, d: 'AAAA' }, '3'],
    ['a JWK with a d that is a number', { ...jwk, d: 7 as unknown as string }, 'a number'],
    ['text that begins as a JWK', '{"kty":"OKP"', 'not JSON'],
    ['an empty object', {}, ''],
    ['null', null as unknown as string, 'null'],
    ['a number', 7 as unknown as string, 'a number'],
  ])('when it is %s', async (_, wrong, got) => {
    const { code, message } = await failure(() => signBytes(wrong, utf8('hello')))
    expect(code).toBe('KEY_INVALID')
    expect(message).toMatch(/^signingKey: expected .+, got .+/)
    expect(message.split(/, got /).at(-1)).toContain(got)
  })
})

describe('a public key is refused, naming what was expected and what came,', () => {
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

  it.each(SMALL)('when it is a point of small order, %s', async (point) => {
    for (const form of [point, fromHex(point)]) {
      const { code, message } = await failure(() => keyIdOf(form))
      expect({ code, message }).toEqual({
        code: 'KEY_INVALID',
        message: expect.stringMatching(/^verifyingKey: .*(small order|not a point)/),
      })
    }
  })

  it.each<[string, VerifyingKeyInput, string]>([
    ['nothing', new Uint8Array(), '0'],
    ['31 bytes', key.verifyingKey.slice(1), '31 bytes'],
    ['33 bytes', concat(new Uint8Array([255]), key.verifyingKey), '33 bytes'],
    ['not a point', `02${'00'.repeat(31)}`, 'not a point'],
    ['an odd number of digits', publicHex.slice(1), '63 of them'],
    ['a wrong digit', `g${publicHex.slice(1)}`, 'position 0'],
    ['a text of 32 characters', 'the public key of the edge-7 box', 'position 0'],
    ['SPKI with a byte too many', concat(spki, new Uint8Array(1)), '33 bytes'],
    ['SPKI with a byte too few', spki.slice(0, -1), '31 bytes'],
    ['a private key of 64 bytes', key.signingKey, '64 bytes'],
    ['a private key of 128 digits', hex, '128 of them'],
    ['a private key as PEM', pem, 'PRIVATE KEY'],
    ['a private key as DER', der, '48 bytes'],
    ['an RSA key as PEM', spkiOf(rsa), 'bytes'],
    ['an EC key as PEM', spkiOf(ec), 'bytes'],
    ['an X25519 key as PEM', spkiOf(x25519), 'bytes'],
    ['an X25519 key as JWK', x25519.publicKey.export({ format: 'jwk' }) as JsonWebKey, 'X25519'],
    ['a JWK without x', { kty: 'OKP', crv: 'Ed25519' }, 'x'],
    ['undefined', undefined as unknown as string, 'undefined'],
  ])('when it is %s', async (_, wrong, got) => {
    const { code, message } = await failure(() => keyIdOf(wrong))
    expect(code).toBe('KEY_INVALID')
    expect(message).toMatch(/^verifyingKey: expected .+, got .+/)
    expect(message.split(/, got /).at(-1)).toContain(got)
  })
})

describe('a key of another algorithm', () => {
  it.each([
    ['RSA', rsa],
    ['EC', ec],
    ['X25519', x25519],
  ])('is named or at least not taken for a wrong length: %s', async (_, pair) => {
    const error = await failure(() => signBytes(pkcs8(pair as typeof x25519), utf8('')))
    expect(error.message).toMatch(/Ed25519|algorithm/)
  })
})

describe('a key file that cannot be read', () => {
  it.each(['/does/not/exist.key', '/'])('is refused with its path and cause: %s', async (path) => {
    const error = await failure(() => readKey(path))
    expect(error).toMatchObject({ code: 'KEY_INVALID', cause: expect.any(Error) })
    expect(error.message).toContain(`key file ${path}: expected `)
  })
})
