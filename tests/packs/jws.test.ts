import { generateKey, keyIdOf, type Signer, signBytes } from 'alvarium-sdk'
import { toJws, verifyJws } from 'alvarium-sdk/packs'
import { describe, expect, it } from 'vitest'
import { base64url, utf8 } from '../support/bytes.js'
import { derOf } from '../support/der.js'

const payload = utf8('{"celsius":21.4}')
const { signingKey, verifyingKey } = generateKey()
const keyring = [verifyingKey]

function jwsWith(header: string, body = base64url(payload)): string {
  const start = `${base64url(utf8(header))}.${body}`
  return `${start}.${base64url(signBytes(signingKey, utf8(start)))}`
}

describe('toJws', () => {
  it('refuses algorithms that JWS verifiers do not know, invalid content, and a faulty signer', async () => {
    const { signingKey: other } = await generateKey({ algorithm: 'secp256k1' })
    await expect(toJws(payload, { signingKey: other })).rejects.toMatchObject({
      code: 'KEY_INVALID',
      message: 'signingKey: expected a key of Ed25519 or P-256 for JWS verifiers, got secp256k1',
    })
    await expect(toJws('text' as never, { signingKey })).rejects.toThrow(TypeError)
    await expect(toJws(payload, {} as never)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    const wrong = {
      verifyingKey,
      sign: (bytes) => signBytes(generateKey().signingKey, bytes),
    } satisfies Signer
    await expect(toJws(payload, { signingKey: wrong })).rejects.toMatchObject({ code: 'SIGNER_FAILED' })
  })

  it('makes a detached JWS whose length does not depend on the payload', async () => {
    const jws = await toJws(new Uint8Array(1_000_000), { signingKey })
    expect(jws).toMatch(/^[\w-]+\.\.[\w-]{86}$/)
    expect(jws.length).toBeLessThan(220)
  })
})

describe('verifyJws', () => {
  it('finds the public key by the key id of the JWS, or ignores the key id if only one public key is given', async () => {
    const jws = await toJws(payload, { signingKey })
    const [one, two] = [generateKey().verifyingKey, generateKey().verifyingKey]
    const { keyId } = await verifyJws(jws, { keyring: [one, two, verifyingKey], payload })
    expect(keyId).toBe(keyIdOf(verifyingKey))
    await expect(verifyJws(jws, { keyring: [one, two], payload })).rejects.toMatchObject({
      code: 'SIGNER_UNKNOWN',
    })
    await expect(verifyJws(jws, { keyring: [one], payload })).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
    })
    expect((await verifyJws(jwsWith('{"alg":"EdDSA","kid":7}'), { keyring })).payload).toEqual(payload)
  })

  it('refuses a JWS that is longer than any valid JWS', async () => {
    const jws = `e30.${'A'.repeat(16 * 1024 * 1024 + 8_192)}.`
    await expect(verifyJws(jws, { keyring })).rejects.toMatchObject({
      code: 'MESSAGE_MALFORMED',
      message: expect.stringContaining('jws: expected at most 16785408 characters'),
    })
  })

  it('refuses a payload that differs from the one in the JWS, and a detached JWS without a payload', async () => {
    const attached = jwsWith('{"alg":"EdDSA"}')
    await expect(verifyJws(attached, { keyring, payload: utf8('x') })).rejects.toMatchObject({
      code: 'PAYLOAD_MISMATCH',
    })
    const detached = await toJws(payload, { signingKey })
    await expect(verifyJws(detached, { keyring })).rejects.toMatchObject({ code: 'MESSAGE_MALFORMED' })
    await expect(verifyJws(detached, { keyring, payload: utf8('x') })).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
    })
  })

  it.each([
    ['{"alg":"none"}', 'jws.alg: expected EdDSA or Ed25519, got'],
    ['{"alg":"HS256"}', 'jws.alg'],
    ['{"alg":"ES256"}', 'jws.alg'],
    ['{}', 'jws.alg'],
    ['{"alg":"EdDSA","alg":"EdDSA"}', 'jws.header: expected each name once, got "alg" twice'],
    ['{"alg":"EdDSA","crit":["exp"],"exp":1}', 'jws.header: expected no crit'],
    ['{"alg":"EdDSA","b64":false}', 'jws.header: expected no crit'],
    ['{"alg":"EdDSA","crit":["b64"],"b64":true}', 'jws.header: expected no crit'],
    ['{"alg":"EdDSA","crit":["b64"],"b64":false}', 'jws.payload: expected an empty part with b64 false'],
    ['[]', 'jws.header: expected an object'],
    ['x', 'jws.header: expected JSON'],
    [`{"alg":"EdDSA","kid":"${'x'.repeat(4_096)}"}`, 'jws.header: expected at most 4096 characters'],
  ])('refuses the header %.40s', async (header, message) => {
    await expect(verifyJws(jwsWith(header), { keyring })).rejects.toMatchObject({
      code: 'MESSAGE_MALFORMED',
      message: expect.stringContaining(message),
    })
  })

  it('refuses a text that is not a compact JWS, or is not canonical base64url', async () => {
    const jws = jwsWith('{"alg":"EdDSA"}')
    for (const other of ['', 'a.b', `${jws}.`, `${jws}=`, jws.replace('.', '.+'), ` ${jws}`]) {
      await expect(verifyJws(other, { keyring }), other).rejects.toMatchObject({ code: 'MESSAGE_MALFORMED' })
    }
    await expect(verifyJws(utf8(jws) as never, { keyring })).rejects.toThrow(TypeError)
  })

  it('refuses signatures in DER, and keys of algorithms that the package does not support in JWS', async () => {
    const { signingKey: p256, verifyingKey: point } = await generateKey({ algorithm: 'P-256' })
    const start = `${base64url(utf8('{"alg":"ES256"}'))}.${base64url(payload)}`
    const signature = signBytes(p256, utf8(start))
    const withSignature = (bytes: Uint8Array) => `${start}.${base64url(bytes)}`
    expect((await verifyJws(withSignature(signature), { keyring: [point] })).payload).toEqual(payload)
    await expect(verifyJws(withSignature(derOf(signature)), { keyring: [point] })).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
    })
    const { verifyingKey: other } = await generateKey({ algorithm: 'secp256k1' })
    await expect(verifyJws(jwsWith('{"alg":"ES256"}'), { keyring: [other] })).rejects.toMatchObject({
      code: 'KEY_INVALID',
    })
  })
})
