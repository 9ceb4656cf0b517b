// @alone

import { verifyAsync } from '@noble/ed25519'
import { sha512 } from '@noble/hashes/sha2.js'
import { type Engine, keyIdOf, keyOf, signBytes, toHex, verifyBytes } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { concat, fromHex } from '../support/bytes.js'
import { CCTV_COUNTS, judgeCctv } from '../support/cctv.js'
import { fips180, messageOf, rfc1321, rfc8032, wycheproof } from '../support/vectors.js'

describe('Ed25519', () => {
  describe('with the vectors of RFC 8032 section 7.1', () => {
    it.each(rfc8032())('returns the published signature of $name', ({ seed, message, signature }) => {
      expect(toHex(signBytes({ seed }, fromHex(message)))).toBe(signature)
    })

    it.each(rfc8032())('accepts the published key and signature of $name', (vector) => {
      const { publicKey, message, signature } = vector
      expect(verifyBytes(publicKey, fromHex(message), fromHex(signature))).toBe(true)
    })

    it.each(rfc8032())(
      'refuses $name with one bit of the signature flipped, or with a byte added to the message',
      (vector) => {
        const { publicKey, message, signature } = vector
        const turned = fromHex(signature)
        turned[31] = (turned[31] ?? 0) ^ 1
        expect(verifyBytes(publicKey, fromHex(message), turned)).toBe(false)
        expect(verifyBytes(publicKey, fromHex(`${message}00`), fromHex(signature))).toBe(false)
      },
    )
  })

  describe('with the Wycheproof vectors', () => {
    const { numberOfTests, groups } = wycheproof()
    const tests = groups.flatMap(({ publicKey, tests }) => tests.map((test) => ({ ...test, publicKey })))

    it('has as many vectors as the file states, and each of them is either valid or invalid', () => {
      expect(tests).toHaveLength(numberOfTests)
      expect(tests.filter(({ result }) => result === 'acceptable')).toEqual([])
    })

    it.each(tests)(
      'has for test $tcId, $comment, the verdict "$result"',
      ({ publicKey, message, signature, result }) => {
        expect(verifyBytes(publicKey, fromHex(message), fromHex(signature))).toBe(result === 'valid')
      },
    )

    it('reads the public key of every group from DER, PEM and JWK', () => {
      for (const { publicKey, publicKeyDer, publicKeyPem, publicKeyJwk } of groups) {
        const id = keyIdOf(fromHex(publicKey))
        expect([fromHex(publicKeyDer), publicKeyPem, publicKeyJwk].map(keyIdOf)).toEqual([id, id, id])
      }
    })
  })

  it('has the verdicts of FORMAT.md on the 914 vectors of CCTV', () => {
    expect(judgeCctv('wasm')).toEqual({ wrong: [], counts: CCTV_COUNTS })
  })

  describe('where verifiers are often lenient', () => {
    const base = rfc8032()[1]
    if (!base) throw new Error('expected RFC 8032 TEST 2')
    const message = fromHex(base.message)
    const [r, s] = [base.signature.slice(0, 64), base.signature.slice(64)]
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const little = (number: bigint) => toHex(fromHex(number.toString(16).padStart(64, '0')).toReversed())
    const sNumber = BigInt(`0x${toHex(fromHex(s).toReversed())}`)

    it('refuses S plus the group order, which would be a second signature for the same message', () => {
      expect(verifyBytes(base.publicKey, message, fromHex(r + little(sNumber)))).toBe(true)
      expect(verifyBytes(base.publicKey, message, fromHex(r + little(sNumber + order)))).toBe(false)
    })

    it('refuses an R of small order, because such a signature can be valid for many messages', async () => {
      const number = (bytes: Uint8Array) => BigInt(`0x${toHex(bytes.toReversed())}`)
      const secret = sha512(fromHex(base.seed)).subarray(0, 32)
      secret[0] = (secret[0] ?? 0) & 248
      secret[31] = ((secret[31] ?? 0) & 63) | 64
      const identity = fromHex(little(1n))
      const challenge = number(sha512(concat(identity, fromHex(base.publicKey), message)))
      const signature = concat(identity, fromHex(little((challenge * number(secret)) % order)))
      const lenient = verifyAsync(signature, message, fromHex(base.publicKey), { zip215: true })
      expect(await lenient).toBe(true)
      expect(verifyBytes(base.publicKey, message, signature)).toBe(false)
    })
  })
})

describe.each<Engine>(['wasm', 'host', 'auto'])('SHA-256 with engine %s', (engine) => {
  it.each(fips180())('returns the published digest of $name', (vector) => {
    expect(keyOf(messageOf(vector), 'sha256', engine)).toBe(vector.sha256.toUpperCase())
  })
})

describe.each<Engine>(['wasm', 'host', 'auto'])('MD5 with engine %s', (engine) => {
  it.each(rfc1321())('returns the published digest of "$name"', (vector) => {
    expect(keyOf(messageOf(vector), 'md5', engine)).toBe(vector.md5.toUpperCase())
  })
})
