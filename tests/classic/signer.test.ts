import {
  type ClassicDialect,
  classic,
  generateKey,
  memory,
  openSdk,
  type SdkOptions,
  type Signer,
  signBytes,
  source,
  verifyClassic,
  type WebCryptoKeyPair,
} from 'alvarium-sdk'
import { fromConfig } from 'alvarium-sdk/config'
import { pool } from 'alvarium-sdk/pool'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { DIALECTS, verdicts, verifiedOf } from '../support/classic.js'
import { deferred, quiet } from '../support/deferred.js'
import { codeOf, failure } from '../support/failure.js'
import { closing } from '../support/receiving.js'
import { key, keyring, yes } from '../support/sdk.js'
import { golden } from '../support/vectors.js'

const payload = utf8('hello')
const { signingKey, verifyingKey } = key
const p256 = await generateKey({ algorithm: 'P-256' })
const signed = async (text: Uint8Array) => signBytes(signingKey, text)

/** Opens an SDK with its own key, whose classic messages another key signs. */
async function openWith(sign: unknown, options: Partial<SdkOptions> = {}) {
  const stream = memory()
  const signer = { verifyingKey, sign: sign as Signer['sign'] }
  const annotators = [source(), yes('a')]
  const codec = classic({ signingKey: signer })
  return { stream, sdk: await openSdk({ signingKey, annotators, stream, codec, ...options }) }
}

describe.each(DIALECTS)('classic messages of the %s dialect with an external signer', (dialect) => {
  const cases = golden().cases.filter(({ bundle }) => dialect !== 'python' || bundle.layer === 'app')

  // claim: migrating-3
  it.each(cases)('are byte for byte those of a signing key: $name', async ({ message }) => {
    // Python's classic messages have no place for a tag.
    const bundle = utf8(message.replaceAll(/"tag":"(\\"|[^"])*"/g, '"tag":""'))
    const here = classic({ signingKey, dialect })
    const elsewhere = classic({ signingKey: { verifyingKey, sign: signed }, dialect })
    expect(await elsewhere.encode(bundle)).toEqual(here.encode(bundle))
    for (const codec of [here, elsewhere]) codec.close()
  })

  it('verify, even for a mutate, and need one call of the signer per annotation', async () => {
    let asked = 0
    const sign = (text: Uint8Array) => {
      asked++
      const signature = signBytes(signingKey, text)
      text.fill(0)
      return signature
    }
    const codec = classic({ signingKey: { verifyingKey, sign }, dialect })
    const options = { annotators: [source(), yes('a')], stream: memory(), tag: '', codec }
    const sdk = await openSdk({ signingKey, ...options })
    const { message } = await sdk.create(payload)
    expect(await verdicts(message, { keyring, payload })).toEqual(['verified', 'verified'])
    expect(asked).toBe(2)
    const mutated = await sdk.mutate(utf8('before'), payload)
    const verified = await verifyClassic(mutated.message, { keyring })
    expect(verifiedOf(verified).map(({ kind }) => kind)).toEqual(['src', 'src', 'a'])
    await sdk.close()
  })
})

describe('a signer of classic messages', () => {
  // claim: migrating-4
  it('signs all annotations in parallel, and the messages keep the order of their calls', async () => {
    const asked: (() => void)[] = []
    const sign = async (text: Uint8Array) => {
      const { promise, resolve } = deferred()
      asked.push(resolve)
      await promise
      return signed(text)
    }
    const { sdk, stream } = await openWith(sign)
    const calls = ['a', 'b', 'c'].map((text) => sdk.create(utf8(text)))
    await quiet()
    expect(asked).toHaveLength(6)
    for (const answer of asked.reverse()) {
      answer()
      await quiet()
    }
    expect((await Promise.all(calls)).map(({ message }) => message)).toEqual(stream.messages)
    for (const [at, text] of ['a', 'b', 'c'].entries()) {
      const trusted = { keyring, payload: utf8(text) }
      expect(await verdicts(stream.messages[at] as Uint8Array, trusted)).toEqual(['verified', 'verified'])
    }
    await sdk.close()
  })

  it.each<[string, unknown]>([
    [
      'throws',
      () => {
        throw new Error('vault sealed')
      },
    ],
    ['rejects', () => Promise.reject(new Error('vault sealed'))],
    ['signs different bytes', () => signed(payload)],
    ['signs with another key', (text: Uint8Array) => signBytes(generateKey().signingKey, text)],
    ['returns 63 bytes', () => new Uint8Array(63)],
    ['returns a text', () => '00'.repeat(64)],
    ['never answers', () => new Promise(() => {})],
  ])('that %s makes the call reject with SIGNER_FAILED, and nothing is published', async (_, sign) => {
    const { sdk, stream } = await openWith(sign, { signerTimeoutMs: 50 })
    const { code, message } = await failure(() => sdk.create(payload))
    expect(code).toBe('SIGNER_FAILED')
    expect(message).toMatch(/^signingKey.sign: expected a signature of 64 bytes by its verifyingKey, got: ./)
    expect(stream.messages).toEqual([])
    await sdk.close()
  })

  it('may take longer than codecTimeoutMs, within signerTimeoutMs', async () => {
    const late = async (text: Uint8Array) => {
      await new Promise((resolve) => setTimeout(resolve, 30))
      return signed(text)
    }
    const { sdk } = await openWith(late, { codecTimeoutMs: 1 })
    const { message } = await sdk.create(payload)
    expect(await verdicts(message, { keyring, payload })).toEqual(['verified', 'verified'])
    await sdk.close()
  })

  it('delays close() by at most closeTimeoutMs if the signer never answers', async () => {
    const { sdk, stream } = await openWith(() => new Promise(() => {}), {
      closeTimeoutMs: 50,
      signerTimeoutMs: 1000,
    })
    const call = codeOf(() => sdk.create(payload))
    await quiet()
    await sdk.close()
    expect(await call).toBe('STREAM_CLOSED')
    expect(stream.messages).toEqual([])
  })

  it('may be a WebCrypto key pair whose private key is not extractable', async () => {
    const pair = (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair
    const codec = classic({ signingKey: pair })
    const sdk = await openSdk({ signingKey: pair, annotators: [source()], stream: memory(), codec })
    const { message } = await sdk.create(payload)
    const trusted = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
    expect(await verdicts(message, { keyring: [trusted], payload })).toEqual(['verified'])
    await sdk.close()
  })

  it('may be passed to fromConfig together with a dialect', async () => {
    const config = { annotators: ['src'], hash: { type: 'sha256' }, stream: { type: 'mock' } }
    const keys = { signingKey: { verifyingKey, sign: signed } }
    const sdk = await openSdk(await fromConfig(config, { keys, dialect: 'java' }))
    const { message } = await sdk.create(payload)
    expect(await verifyClassic(message, { keyring })).toMatchObject({ dialect: 'java' })
    await sdk.close()
  })

  it('signs messages for an SDK with a pool of workers, except those of createMany()', async () => {
    const workers = closing(await pool({ workers: 1 }))
    const { sdk } = await openWith(signed, { pool: workers })
    const { message } = await sdk.create(payload)
    expect(await verdicts(message, { keyring, payload })).toEqual(['verified', 'verified'])
    expect(await codeOf(() => sdk.createMany([payload]))).toBe('CODEC_FAILED')
    await sdk.close()
  })

  it.each<[string, unknown]>([
    ['without a verifyingKey', { sign: signed }],
    ['whose sign is not a function', { verifyingKey, sign: 7 }],
    ['of another algorithm', { verifyingKey: p256.verifyingKey, sign: signed }],
    ['that is half a pair of WebCrypto', { privateKey: {} }],
  ])('%s is refused with KEY_INVALID when the SDK is opened', async (_, signer) => {
    const codec = classic({ signingKey: signer as Signer | WebCryptoKeyPair })
    const opening = () => openSdk({ signingKey, annotators: [], stream: memory(), codec })
    expect(await codeOf(opening)).toBe('KEY_INVALID')
    codec.close()
  })

  it('is not called after its codec is closed, and an answer that comes later is ignored', async () => {
    const asked = deferred<Uint8Array>()
    const { message } = golden().cases[0] as { message: string }
    const codec = classic({ signingKey: { verifyingKey, sign: () => asked.promise } })
    const encoding = codeOf(() => codec.encode(utf8(message)))
    await quiet()
    codec.close()
    asked.resolve(new Uint8Array(64))
    expect(await encoding).toBe('CODEC_FAILED')
    expect(await codeOf(() => codec.encode(utf8(message)))).toBe('CODEC_FAILED')
  })

  it('makes encode() of the codec asynchronous, whereas encode() with a signing key is synchronous', async () => {
    const { message } = golden().cases[0] as { message: string }
    const dialect: ClassicDialect = 'go'
    const at: Uint8Array = classic({ signingKey, dialect }).encode(utf8(message))
    const later: Promise<Uint8Array> = classic({
      signingKey: { verifyingKey, sign: signed },
      dialect,
    }).encode(utf8(message))
    expect(await later).toEqual(at)
  })
})
