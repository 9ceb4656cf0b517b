// @node-only: it uses node:child_process, node:crypto, node:fs/promises, node:os, node:path

import { execFileSync } from 'node:child_process'
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signByNode,
  verify as verifyByNode,
} from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  generateKey,
  type Jwk,
  keyIdOf,
  loadAlgorithms,
  type SigningKeyInput,
  signBytes,
  type VerifyingKeyInput,
  verifyBytes,
} from 'alvarium-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { concat, utf8 } from '../support/bytes.js'
import { derOf } from '../support/der.js'
import { digest } from '../support/digest.js'
import { failure } from '../support/failure.js'

const CURVES = [
  ['P-256', 'prime256v1', 'sha256'],
  ['secp256k1', 'secp256k1', 'sha256'],
  ['SM2', 'SM2', 'sm3'],
] as const
const bytes = utf8('what is signed')
const plain = (buffer: Uint8Array) => Uint8Array.from(buffer)
const encoded = (key: KeyObject, type: 'pkcs8' | 'sec1' | 'spki', format: 'pem' | 'der') => {
  const out = key.export({ type: type as 'pkcs8', format: format as 'der' }) as Buffer | string
  return typeof out === 'string' ? out : plain(out)
}

let folder: string
beforeAll(async () => {
  await loadAlgorithms()
  folder = await mkdtemp(join(tmpdir(), 'alvarium-openssl-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs OpenSSL's command, which takes the signer's id of SM2. */
async function byOpenssl(
  action: '-sign' | '-verify',
  key: KeyObject,
  signature: Uint8Array,
): Promise<Uint8Array> {
  const [keyFile, input, output] = ['key', 'bytes', 'signature'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const pem = key.export({ type: (action === '-sign' ? 'pkcs8' : 'spki') as 'pkcs8', format: 'pem' })
  await Promise.all([writeFile(keyFile, pem), writeFile(input, bytes), writeFile(output, signature)])
  const names = action === '-sign' ? ['-out', output] : ['-pubin', '-sigfile', output]
  const sm2 = ['-rawin', '-digest', 'sm3', '-pkeyopt', 'distid:1234567812345678']
  execFileSync('openssl', ['pkeyutl', action, '-inkey', keyFile, '-in', input, ...names, ...sm2])
  return plain(await readFile(output))
}

describe.each(CURVES)('a key of %s that OpenSSL made', (name, namedCurve, hash) => {
  const pair = generateKeyPairSync('ec', { namedCurve })
  const spki = encoded(pair.publicKey, 'spki', 'der') as Uint8Array
  const point = spki.slice(-65)
  const isOdd = ((point[64] as number) & 1) === 1
  const scalar = (encoded(pair.privateKey, 'sec1', 'der') as Uint8Array).slice(7, 39)
  const hexOf = (some: Uint8Array) => Buffer.from(some).toString('hex')
  const jwk = (key: KeyObject) =>
    name === 'SM2'
      ? {
          kty: 'EC',
          crv: 'SM2',
          x: Buffer.from(point.slice(1, 33)).toString('base64url'),
          y: Buffer.from(point.slice(33)).toString('base64url'),
          ...(key.type === 'private' && { d: Buffer.from(scalar).toString('base64url') }),
        }
      : (key.export({ format: 'jwk' }) as Jwk)

  // claim: algorithms-2
  it.each<[string, () => SigningKeyInput]>([
    ['PKCS#8 in PEM', () => encoded(pair.privateKey, 'pkcs8', 'pem')],
    ['PKCS#8 in DER', () => encoded(pair.privateKey, 'pkcs8', 'der')],
    ['the bytes of a PEM file', () => utf8(encoded(pair.privateKey, 'pkcs8', 'pem') as string)],
    ['SEC 1 in PEM', () => encoded(pair.privateKey, 'sec1', 'pem')],
    [
      'SEC 1 after the parameters of the curve, as ecparam -genkey writes it',
      () =>
        execFileSync('openssl', ['ecparam', '-name', namedCurve], { encoding: 'utf8' }) +
        encoded(pair.privateKey, 'sec1', 'pem'),
    ],
    [
      'SEC 1 under the label of OpenSSL 3, which for SM2 is SM2 PRIVATE KEY',
      () => {
        const input = encoded(pair.privateKey, 'pkcs8', 'pem')
        return execFileSync('openssl', ['ec'], { input, encoding: 'utf8', stdio: 'pipe' })
      },
    ],
    ['SEC 1 in DER', () => encoded(pair.privateKey, 'sec1', 'der')],
    ['a JWK', () => jwk(pair.privateKey)],
    ['a JWK as text', () => JSON.stringify(jwk(pair.privateKey))],
    ['a scalar', () => ({ algorithm: name, scalar })],
    ['a scalar in hexadecimal', () => ({ algorithm: name, scalar: hexOf(scalar) })],
  ])('makes signatures that OpenSSL verifies, when the private key is given as %s', async (_, input) => {
    const signature = signBytes(input(), bytes)
    expect(signature).toHaveLength(64)
    expect(verifyBytes(spki, bytes, signature)).toBe(true)
    if (name === 'SM2') await byOpenssl('-verify', pair.publicKey, derOf(signature))
    else
      expect(verifyByNode(hash, bytes, { key: pair.publicKey, dsaEncoding: 'ieee-p1363' }, signature)).toBe(
        true,
      )
  })

  it.each<[string, () => VerifyingKeyInput]>([
    ['SPKI in PEM', () => encoded(pair.publicKey, 'spki', 'pem')],
    ['SPKI in DER', () => spki],
    ['a JWK', () => jwk(pair.publicKey)],
    ['a point', () => ({ algorithm: name, point })],
    ['a point in hexadecimal', () => ({ algorithm: name, point: hexOf(point) })],
    [
      'a compressed point',
      () => ({ algorithm: name, point: concat(Uint8Array.of(isOdd ? 3 : 2), point.slice(1, 33)) }),
    ],
    ['compressed SPKI', () => compressed(pair.publicKey)],
  ])(
    'verifies OpenSSL signatures that have the lower s, when the public key is given as %s',
    async (_, input) => {
      const options = { key: pair.privateKey, dsaEncoding: 'ieee-p1363' } as const
      let signature: Uint8Array
      do {
        signature =
          name === 'SM2'
            ? rawOf(await byOpenssl('-sign', pair.privateKey, new Uint8Array()))
            : plain(signByNode(hash, bytes, options))
      } while (name !== 'SM2' && (signature[32] as number) >= 0x7f)
      expect(verifyBytes(input(), bytes, signature)).toBe(true)
      expect(verifyBytes(input(), utf8('other bytes'), signature)).toBe(false)
      for (const at of [0, 31, 32, 63]) {
        const altered = plain(signature)
        altered[at] = (altered[at] as number) ^ 1
        expect(verifyBytes(input(), bytes, altered)).toBe(false)
      }
      expect(verifyBytes(input(), bytes, concat(signature, new Uint8Array(1)))).toBe(false)
    },
  )

  // claim: format-9
  it('has the key id that FORMAT.md defines, in every form of the public key', () => {
    const id = digest('sha256', spki).slice(0, 32).toLowerCase()
    const forms = [spki, jwk(pair.publicKey), { algorithm: name, point }, compressed(pair.publicKey)]
    expect(forms.map((form) => keyIdOf(form))).toEqual(forms.map(() => id))
  })

  it('is refused as a public key if it is a private key', async () => {
    for (const form of ['pkcs8', 'sec1'] as const) {
      const { code, message } = await failure(() => keyIdOf(encoded(pair.privateKey, form, 'der')))
      expect([code, message]).toEqual(['KEY_INVALID', expect.stringContaining('private')])
    }
  })

  it('is refused with KEY_INVALID in each wrong form, and the error does not show the private key', async () => {
    const off = plain(point)
    off[64] = (off[64] as number) ^ 1
    const other = name === 'P-256' ? 'SM2' : 'P-256'
    for (const wrong of [
      { algorithm: name, point: off },
      { algorithm: other, point } as const,
      { algorithm: name, point: new Uint8Array(65) },
      { algorithm: name, point: Uint8Array.of(0) },
      { algorithm: name, point: concat(Uint8Array.of(isOdd ? 7 : 6), point.slice(1)) },
      { algorithm: 'P-384' as 'P-256', point },
      concat(spki.slice(0, -65), off),
      spki.slice(0, -1),
    ]) {
      expect((await failure(() => keyIdOf(wrong))).code).toBe('KEY_INVALID')
    }
    for (const wrong of [
      { algorithm: name, scalar: new Uint8Array(32) },
      { algorithm: name, scalar: new Uint8Array(32).fill(255) },
      { algorithm: name, scalar: new Uint8Array(31).fill(1) },
      { algorithm: name, scalar: 'g'.repeat(64) },
      { ...jwk(pair.privateKey), x: jwk(pair.privateKey).y ?? '' },
    ]) {
      const { code, message } = await failure(() => signBytes(wrong, bytes))
      expect(code).toBe('KEY_INVALID')
      expect(message).not.toContain(hexOf(scalar).slice(0, 8))
    }
  })

  it('is exported by generateKey in a form that OpenSSL reads', async () => {
    const own = await generateKey({ algorithm: name })
    const key = createPrivateKey({ key: Buffer.from(own.signingKey), format: 'der', type: 'pkcs8' })
    expect(encoded(createPublicKey(key), 'spki', 'der')).toEqual(plain(own.verifyingKey))
    expect(plain(own.signingKey)).toEqual(encoded(key, 'pkcs8', 'der'))
    expect(keyIdOf(own.verifyingKey)).toBe(own.keyId)
  })
})

function compressed(key: KeyObject): Uint8Array {
  const pem = key.export({ type: 'spki', format: 'pem' })
  const args = ['ec', '-pubin', '-conv_form', 'compressed', '-outform', 'DER']
  return plain(execFileSync('openssl', args, { input: pem, stdio: ['pipe', 'pipe', 'ignore'] }))
}

function rawOf(der: Uint8Array): Uint8Array {
  const rLength = der[3] as number
  const halves = [der.slice(4, 4 + rLength), der.slice(6 + rLength)]
  return concat(
    ...halves.map((half) => {
      const number = half.slice(-32)
      return concat(new Uint8Array(32 - number.length), number)
    }),
  )
}
