// @browser: the key store of a browser signs with ECDSA over P-256
import {
  generateKey,
  loadAlgorithms,
  memory,
  openSdk,
  type Signer,
  signBytes,
  source,
  verifyBatch,
  verifyMessage,
} from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { beforeAll, describe, expect, it } from 'vitest'
import { concat, utf8 } from '../support/bytes.js'
import { derOf } from '../support/der.js'
import { codeOf, failure } from '../support/failure.js'

const payload = utf8('hello')
const openWith = async (signingKey: Signer | CryptoKeyPair, batch?: { maxBundles: number }) => {
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, ...(batch && { batch }) })
  return { sdk, stream }
}
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
/** Returns the other signature that verifies: with s replaced by the group order minus s. */
const turned = (signature: Uint8Array) => {
  const s = signature.slice(32).reduce((number, byte) => (number << 8n) | BigInt(byte), 0n)
  const other = (P256_ORDER - s).toString(16).padStart(64, '0')
  return concat(
    signature.slice(0, 32),
    Uint8Array.from(other.match(/../g) ?? [], (two) => Number(`0x${two}`)),
  )
}

beforeAll(() => loadAlgorithms())

describe('a WebCrypto key pair for ECDSA over P-256', () => {
  it('signs, though its private key cannot be extracted', async () => {
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
    const pair = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
    expect(pair.privateKey.extractable).toBe(false)
    const point = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
    const keyring = [{ algorithm: 'P-256', point }] as const
    const { sdk, stream } = await openWith(pair)
    // Half of WebCrypto's signatures have the higher s; the SDK writes the lower one.
    for (let call = 0; call < 8; call++) await sdk.create(payload)
    for (const message of stream.messages) await verifyMessage(message, { keyring, payload })
    const batched = await openWith(pair, { maxBundles: 2 })
    await Promise.all([batched.sdk.create(payload), batched.sdk.create(payload)])
    expect(await verifyBatch(batched.stream.messages[0] as Uint8Array, { keyring })).toHaveLength(2)
  })
})

describe.each(['P-256', 'secp256k1', 'SM2'] as const)('a signer in a key store, with %s', (algorithm) => {
  const signing = async () => {
    const { signingKey, verifyingKey } = await generateKey({ algorithm })
    return { verifyingKey, sign: (identity: Uint8Array) => signBytes(signingKey, identity) }
  }

  it('may return its signature in DER', async () => {
    const { verifyingKey, sign } = await signing()
    const { sdk, stream } = await openWith({ verifyingKey, sign: async (identity) => derOf(sign(identity)) })
    await sdk.create(payload)
    expect(stream.messages).toHaveLength(1)
    await verifyMessage(stream.messages[0] as Uint8Array, { keyring: [verifyingKey], payload })
  })

  it.each<[string, (signature: Uint8Array) => Uint8Array]>([
    ['an altered signature', (signature) => signature.map((byte, at) => (at === 5 ? byte ^ 1 : byte))],
    ['no bytes', () => new Uint8Array()],
    ['zeros', () => new Uint8Array(64)],
    ['DER and an additional byte', (signature) => concat(derOf(signature), new Uint8Array(1))],
    ['65 bytes', (signature) => concat(signature, new Uint8Array(1))],
  ])('makes the call reject with SIGNER_FAILED, without a message, if it returns %s', async (_, spoilt) => {
    const { verifyingKey, sign } = await signing()
    const { sdk, stream } = await openWith({ verifyingKey, sign: (identity) => spoilt(sign(identity)) })
    const { code, message } = await failure(() => sdk.create(payload))
    expect([code, message]).toEqual(['SIGNER_FAILED', expect.stringContaining(algorithm)])
    expect(stream.messages).toEqual([])
  })
})

describe('a signature with the higher s', () => {
  // claim: format-7, algorithms-5
  it('is converted to the lower s when an external signer returns it, but is refused in a received message', async () => {
    const { signingKey, verifyingKey } = await generateKey({ algorithm: 'P-256' })
    const sign = (identity: Uint8Array) => turned(signBytes(signingKey, identity))
    const { sdk, stream } = await openWith({ verifyingKey, sign })
    await sdk.create(payload)
    const message = JSON.parse(new TextDecoder().decode(stream.messages[0]))
    const verified = (one: unknown) =>
      verifyMessage(utf8(JSON.stringify(one)), { keyring: [verifyingKey], payload })
    await verified(message)
    const signature = Uint8Array.from(message.content.signature.match(/../g), (two) => Number(`0x${two}`))
    message.content.signature = Array.from(turned(signature), (byte) =>
      byte.toString(16).padStart(2, '0'),
    ).join('')
    expect(await codeOf(() => verified(message))).toBe('SIGNATURE_INVALID')
  })
})

describe('a pool of workers for an SDK', () => {
  it('is refused with an external signer, whatever the algorithm', async () => {
    const { signingKey, verifyingKey } = await generateKey({ algorithm: 'P-256' })
    await using workers = await pool({ workers: 1 })
    const signer = { verifyingKey, sign: (identity: Uint8Array) => signBytes(signingKey, identity) }
    const options = { signingKey: signer, annotators: [source()], stream: memory(), pool: workers }
    expect(await codeOf(() => openSdk(options))).toBe('CONFIG_INVALID')
  })
})
