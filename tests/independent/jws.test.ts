// jose, at the version that package.json pins, verifies our signatures, and signs messages that we verify.

import { sign as nodeSign } from 'node:crypto'
import { generateKey, type KeyPair, keyIdOf, type VerifiedBundle, verifyBytes } from 'alvarium-sdk'
import { toJws, verifyJws } from 'alvarium-sdk/packs'
import { CompactSign, compactVerify, FlattenedSign, flattenedVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { base64url, fromBase64, textOf, utf8 } from '../support/bytes.js'
import { goldenBundles } from '../support/exports.js'
import { nodeKey, nodePrivateKey } from '../support/node-key.js'

const ALGORITHMS = ['Ed25519', 'P-256'] as const
const JWS_NAMES = { Ed25519: 'EdDSA', 'P-256': 'ES256' }

async function keyOf(algorithm: 'Ed25519' | 'P-256'): Promise<KeyPair> {
  return algorithm === 'Ed25519' ? generateKey() : generateKey({ algorithm })
}

async function countFulfilled(calls: readonly Promise<unknown>[]): Promise<number> {
  return (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled').length
}

function partsOf(jws: string): [header: string, payload: string, signature: string] {
  return jws.split('.') as [string, string, string]
}

/** Flips a bit of some bytes, at a different place for each number. */
function flipBit(bytes: Uint8Array, at: number): Uint8Array {
  const other = bytes.slice()
  const place = (at * 7) % other.length
  other[place] = (other[place] as number) ^ (1 << (at % 8))
  return other
}

const decode = (text: string) => fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
const flipText = (text: string, at: number) => base64url(flipBit(decode(text), at))

const payloads = Array.from({ length: 60 }, (_, at) => utf8(`{"reading":${at},"celsius":21.4}`))

describe.each(ALGORITHMS)('JWS with %s', (algorithm) => {
  // claim: packs-44
  it('made by toJws for 60 detached payloads verify with jose, unless altered', async () => {
    const { signingKey, verifyingKey } = await keyOf(algorithm)
    const key = nodeKey(verifyingKey)
    const verify = (jws: string, payload: Uint8Array) => {
      const [header, , signature] = partsOf(jws)
      return flattenedVerify({ protected: header, payload, signature }, key)
    }
    const all = await Promise.all(payloads.map((payload) => toJws(payload, { signingKey })))
    expect(await countFulfilled(all.map((jws, at) => verify(jws, payloads[at] as Uint8Array)))).toBe(60)
    const altered = all.map((jws, at) => {
      const payload = payloads[at] as Uint8Array
      const [header, , signature] = partsOf(jws)
      if (at % 3 === 0) return verify(jws, flipBit(payload, at))
      if (at % 3 === 1) return verify(`${header}..${flipText(signature, at)}`, payload)
      return verify(`${flipText(header, at)}..${signature}`, payload)
    })
    expect(await countFulfilled(altered)).toBe(0)
  })

  // claim: packs-45
  it('made by toJws from 60 bundles contain the bundle ids, and verify with jose unless altered', async () => {
    const { signingKey, verifyingKey } = await keyOf(algorithm)
    const key = nodeKey(verifyingKey)
    const golden = await goldenBundles()
    const bundles = Array.from({ length: 60 }, (_, at) => golden[at % golden.length] as VerifiedBundle)
    const all = await Promise.all(bundles.map((bundle) => toJws(bundle, { signingKey })))
    const found = await Promise.all(all.map((jws) => compactVerify(jws, key)))
    expect(found.map(({ payload }) => JSON.parse(textOf(payload)).predicate.id)).toEqual(
      bundles.map(({ id }) => id),
    )
    expect(found[0]?.protectedHeader).toEqual({
      alg: JWS_NAMES[algorithm],
      kid: keyIdOf(verifyingKey),
      typ: 'vnd.in-toto+json',
    })
    const altered = all.map((jws, at) => {
      const parts = partsOf(jws)
      parts[at % 3] = flipText(parts[at % 3] as string, at)
      return compactVerify(parts.join('.'), key)
    })
    expect(await countFulfilled(altered)).toBe(0)
  })

  it('made by jose verify with verifyJws, unless altered', async () => {
    const { signingKey, verifyingKey } = await keyOf(algorithm)
    const key = nodePrivateKey(signingKey)
    const alg = JWS_NAMES[algorithm]
    const keyring = [verifyingKey]
    const signed = await Promise.all(
      payloads.map(async (payload, at) => {
        const compact = await new CompactSign(payload).setProtectedHeader({ alg, kid: 'theirs' }).sign(key)
        const [header, , signature] = partsOf(compact)
        if (at % 3 === 0) return { jws: compact, payload: undefined }
        if (at % 3 === 1) return { jws: `${header}..${signature}`, payload }
        const unencoded = { alg, b64: false, crit: ['b64'] }
        const flat = await new FlattenedSign(payload).setProtectedHeader(unencoded).sign(key)
        return { jws: `${flat.protected}..${flat.signature}`, payload }
      }),
    )
    const verified = await Promise.all(signed.map(({ jws, payload }) => verifyJws(jws, { keyring, payload })))
    expect(verified.map(({ payload }) => textOf(payload))).toEqual(payloads.map(textOf))
    const altered = signed.map(({ jws, payload }, at) => {
      const parts = partsOf(jws)
      parts[at % 2 === 0 ? 0 : 2] = flipText(parts[at % 2 === 0 ? 0 : 2], at)
      return verifyJws(parts.join('.'), { keyring, payload })
    })
    expect(await countFulfilled(altered)).toBe(0)
  })
})

// claim: keys-11, keys-12
it('P-256 signatures of node:crypto verify in a JWS with any s, but in messages only with a low s', async () => {
  const { signingKey, verifyingKey } = await generateKey({ algorithm: 'P-256' })
  const header = base64url(utf8('{"alg":"ES256"}'))
  let strict = 0
  for (const [at, payload] of payloads.entries()) {
    const signed = utf8(`${header}.${base64url(payload)}`)
    const key = nodePrivateKey(signingKey)
    const signature = nodeSign('sha256', signed, { key, dsaEncoding: 'ieee-p1363' })
    const jws = `${header}.${base64url(payload)}.${base64url(signature)}`
    expect((await verifyJws(jws, { keyring: [verifyingKey] })).payload.length, `${at}`).toBe(payload.length)
    if (verifyBytes(verifyingKey, signed, signature)) strict++
  }
  // Both s are equally likely; a run with only one kind has a probability below 10⁻¹⁷.
  expect(strict).toBeGreaterThan(0)
  expect(strict).toBeLessThan(payloads.length)
})
