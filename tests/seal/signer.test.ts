// @alone
// @browser

import {
  AlvariumError,
  generateKey,
  memory,
  openSdk,
  type Signer,
  signBytes,
  source,
  verifyMessage,
} from 'alvarium-sdk'
import { toJws, verifyJws } from 'alvarium-sdk/packs'
import { sealManifest, sealSet } from 'alvarium-sdk/sets'
import { issueLease } from 'alvarium-sdk/trust'
import { describe, expect, it, vi } from 'vitest'
// Only the core can fail here, and the package has no way to make it fail.
import { utf8 } from '../support/bytes.js'
import { trapCore } from '../support/core-memory.js'
import { deferred } from '../support/deferred.js'
import { codeOf, failure } from '../support/failure.js'
import { key, keyring, lastOf } from '../support/sdk.js'
import { stopTimers } from '../support/turns.js'

const payload = utf8('hello')
const verifyingKey = key.verifyingKey
const openWith = async (signingKey: Signer | CryptoKeyPair) => {
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream })
  return { sdk, stream }
}

describe('a signer that overwrites the bytes that it gets', () => {
  const signingKey: Signer = {
    verifyingKey,
    sign: (identity) => {
      const signature = signBytes(key.signingKey, identity)
      identity.fill(0)
      return signature
    },
  }
  const subject = generateKey().signingKey

  it.each<[string, () => Promise<unknown>]>([
    ['openSdk', async () => (await openWith(signingKey)).sdk.createMany([payload, payload])],
    ['sealSet', () => sealSet([payload], { signingKey })],
    ['sealManifest', () => sealManifest([payload], { signingKey })],
    ['issueLease', () => issueLease(signingKey, { subject, kinds: ['src'] })],
    ['toJws', async () => verifyJws(await toJws(payload, { signingKey }), { keyring, payload })],
  ])('does not affect %s, which checks the signature over the original bytes', async (_, sign) => {
    await expect(sign()).resolves.toBeDefined()
  })
})

describe('an application’s own signer', () => {
  it.each<[string, Signer['sign']]>([
    ['at once', (identity) => signBytes(key.signingKey, identity)],
    ['with a promise', async (identity) => signBytes(key.signingKey, identity)],
    [
      'and then overwrites their bytes',
      (identity) => {
        const signature = signBytes(key.signingKey, identity)
        identity.fill(0)
        return signature
      },
    ],
  ])('signs messages %s, and the messages verify', async (_, sign) => {
    const { sdk, stream } = await openWith({ verifyingKey, sign })
    const { bundle } = await sdk.mutate(utf8('before'), payload)
    expect(await verifyMessage(lastOf(stream), { keyring, payload })).toMatchObject(bundle)
    expect(bundle.signer).toBe(key.keyId)
  })

  it("may reuse its signature's array at once, without a change to the published signature", async () => {
    const sign = (identity: Uint8Array) => {
      const signature = signBytes(key.signingKey, identity)
      const wiped = async (turns: number) => {
        for (let turn = 0; turn < turns; turn++) await undefined
        signature.fill(0)
      }
      void wiped(turns)
      return signature
    }
    let turns = 0
    const { sdk } = await openWith({ verifyingKey, sign })
    for (; turns < 12; turns++) {
      const [outcome] = await Promise.allSettled([sdk.create(payload)])
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'SIGNER_FAILED' })
      else await verifyMessage(outcome.value.message, { keyring })
    }
  })

  it('is called as a method of its object', async () => {
    class Vault implements Signer {
      readonly verifyingKey = verifyingKey
      readonly #secret = key.signingKey
      sign(identity: Uint8Array) {
        return signBytes(this.#secret, identity)
      }
    }
    const { sdk } = await openWith(new Vault())
    expect((await sdk.create(payload)).bundle.signer).toBe(key.keyId)
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('vault sealed')
      },
    ],
    ['rejects', () => Promise.reject(new Error('vault sealed'))],
    [
      'throws a value that cannot be converted to text',
      () => {
        throw Object.create(null)
      },
    ],
    ['returns 63 bytes', () => new Uint8Array(63)],
    ['returns 65 bytes', () => new Uint8Array(65)],
    ['returns no bytes', () => new Uint8Array()],
    ['returns zeros', () => new Uint8Array(64)],
    ['returns a text', () => '00'.repeat(64)],
    ['returns an array', () => Array(64).fill(0)],
    ['returns an ArrayBuffer', () => new ArrayBuffer(64)],
    ['returns nothing', () => undefined],
    ['returns null', () => null],
    ['signs something else', () => signBytes(key.signingKey, payload)],
  ])('makes the call reject with SIGNER_FAILED, and nothing is published, if it %s', async (_, sign) => {
    const { sdk, stream } = await openWith({ verifyingKey, sign: sign as Signer['sign'] })
    const error = await failure(() => sdk.create(payload))
    expect(error).toMatchObject({ code: 'SIGNER_FAILED', cause: expect.anything() })
    expect(error.message).toMatch(/^signingKey.sign: expected a signature of 64 bytes/)
    expect(stream.messages).toEqual([])
    await sdk.close()
  })

  it.each<[string, () => unknown]>([
    ['vault sealed', () => Promise.reject(new Error('vault sealed'))],
    ['63 bytes', () => new Uint8Array(63)],
    ['one that does not verify', () => new Uint8Array(64)],
    ['signature: expected a Uint8Array, got a string', () => '00'.repeat(64)],
    ['signature: expected a Uint8Array, got null', () => null],
  ])('makes the call reject with an error that contains its invalid answer: "%s"', async (got, sign) => {
    const { sdk } = await openWith({ verifyingKey, sign: sign as Signer['sign'] })
    const { message } = await failure(() => sdk.create(payload))
    expect(message).toBe(`signingKey.sign: expected a signature of 64 bytes by its verifyingKey, got: ${got}`)
    await sdk.close()
  })

  // claim: keys-5
  it('makes the call reject if it signs with another key than its verifyingKey', async () => {
    const other = generateKey()
    const { sdk, stream } = await openWith({
      verifyingKey,
      sign: (bytes) => signBytes(other.signingKey, bytes),
    })
    expect(await codeOf(() => sdk.create(payload))).toBe('SIGNER_FAILED')
    expect(stream.messages).toEqual([])
  })

  // claim: keys-6
  it.each([
    ['signerTimeoutMs', { signerTimeoutMs: 70 }, 70],
    ['10,000 ms by default', {}, 10_000],
  ])('makes the call reject if it does not answer within %s', async (_, options, timeoutMs) => {
    const asked = deferred<void>()
    const sign = () => {
      asked.resolve()
      return new Promise<Uint8Array>(() => {})
    }
    const sdk = await openSdk({
      signingKey: { verifyingKey, sign },
      annotators: [],
      stream: memory(),
      ...options,
    })
    await stopTimers()
    try {
      const settled = vi.fn()
      const call = failure(() => sdk.create(payload)).finally(settled)
      // A slow machine signs in a later turn of the event loop, where its time begins.
      await asked.promise
      await vi.advanceTimersByTimeAsync(timeoutMs - 1)
      expect(settled).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(1)
      expect(await call).toMatchObject({
        code: 'SIGNER_FAILED',
        message: expect.stringContaining(`none within ${timeoutMs} ms`),
      })
    } finally {
      vi.useRealTimers()
    }
    await sdk.close()
  })

  it('may fail once without stopping the next call', async () => {
    let isDown = true
    const sign = (bytes: Uint8Array) => (isDown ? new Uint8Array(64) : signBytes(key.signingKey, bytes))
    const { sdk } = await openWith({ verifyingKey, sign })
    expect(await codeOf(() => sdk.create(payload))).toBe('SIGNER_FAILED')
    isDown = false
    expect((await sdk.create(payload)).bundle.signer).toBe(key.keyId)
  })

  it.each<[string, object]>([
    ['no verifyingKey', { sign: () => new Uint8Array(64) }],
    ['an invalid verifyingKey', { verifyingKey: 'abc', sign: () => new Uint8Array(64) }],
    ['a verifyingKey of small order', { verifyingKey: new Uint8Array(32), sign: () => new Uint8Array(64) }],
  ])('makes openSdk reject with KEY_INVALID if it has %s', async (_, signer) => {
    const error = await failure(() => openWith(signer as Signer))
    expect(error).toMatchObject({ code: 'KEY_INVALID', message: expect.stringContaining('verifyingKey') })
  })

  it('may throw an AlvariumError, which becomes the cause of a SIGNER_FAILED error', async () => {
    const cause = new AlvariumError('STREAM_CLOSED', 'vault: expected to be open')
    const { sdk } = await openWith({ verifyingKey, sign: () => Promise.reject(cause) })
    const error = await failure(() => sdk.create(payload))
    expect(error).toMatchObject({ code: 'SIGNER_FAILED', cause })
    expect(error.message).toMatch(/, got: vault: expected to be open$/)
    await sdk.close()
  })

  it('is not blamed if the core traps while the signer runs: the call rejects with CORE_FAILED', async () => {
    const sign = (identity: Uint8Array) => {
      expect(trapCore()).toMatchObject({ code: 'CORE_FAILED' })
      return signBytes(key.signingKey, identity)
    }
    const { sdk, stream } = await openWith({ verifyingKey, sign })
    expect(await codeOf(() => sdk.create(payload))).toBe('CORE_FAILED')
    expect(stream.messages).toEqual([])
    await sdk.close()
  })

  it.each<[string, () => Uint8Array | Promise<Uint8Array>]>([
    ['at once', () => new Uint8Array(64)],
    ['later', async () => new Uint8Array(64)],
    ['never', () => new Promise(() => {})],
  ])('leaves no timer when it answers %s', async (_, sign) => {
    await stopTimers()
    try {
      const { sdk } = await openWith({ verifyingKey, sign })
      const call = failure(() => sdk.create(payload))
      await vi.advanceTimersByTimeAsync(10_000)
      expect((await call).code).toBe('SIGNER_FAILED')
      expect(vi.getTimerCount()).toBe(0)
      await sdk.close()
    } finally {
      vi.useRealTimers()
    }
  })

  it('makes openSdk reject if its sign is not a function', async () => {
    const signer = { verifyingKey, sign: 'now' } as unknown as Signer
    const { code, message } = await failure(() => openWith(signer))
    expect(`${code} ${message}`).toBe('KEY_INVALID signingKey.sign: expected a function, got a string')
  })
})

describe('a WebCrypto key pair', () => {
  // claim: keys-1
  it('signs with a private key that cannot be extracted', async () => {
    const pair = (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair
    expect(pair.privateKey.extractable).toBe(false)
    const { sdk, stream } = await openWith(pair)
    await sdk.create(payload)
    const trusted = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
    const bundle = await verifyMessage(lastOf(stream), { keyring: [trusted], payload })
    expect(bundle.annotations).toMatchObject([{ kind: 'src', isSatisfied: true }])
  })

  it.each([
    ['ECDSA P-384', { name: 'ECDSA', namedCurve: 'P-384' }, ['sign', 'verify']],
    ['ECDH P-256', { name: 'ECDH', namedCurve: 'P-256' }, ['deriveBits']],
    ['X25519', { name: 'X25519' }, ['deriveBits']],
  ])('for %s is refused when the SDK is opened', async (name, algorithm, usages) => {
    for (let attempt = 0; attempt < 8; attempt++) {
      const pair = await crypto.subtle.generateKey(algorithm, false, usages as KeyUsage[])
      const { code, message, cause } = await failure(() => openWith(pair as CryptoKeyPair))
      const expected = 'an Ed25519 or ECDSA P-256 CryptoKeyPair whose public key can be exported'
      expect(`${code} ${message}`).toBe(
        `KEY_INVALID signingKey: expected ${expected}, got: a key for ${name}`,
      )
      expect(cause).toBeInstanceOf(TypeError)
    }
  })

  it('without a public key is refused when the SDK is opened', async () => {
    const { privateKey } = (await crypto.subtle.generateKey('Ed25519', false, ['sign'])) as CryptoKeyPair
    const error = await failure(() => openWith({ privateKey } as CryptoKeyPair))
    expect(error).toMatchObject({ code: 'KEY_INVALID', cause: expect.any(TypeError) })
    expect(error.message).toMatch(/^signingKey: expected an Ed25519 or ECDSA P-256 CryptoKeyPair .+, got: ./)
  })

  it('is refused when it signs, and nothing is published, if its two keys do not match', async () => {
    const generate = async () =>
      (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair
    const [one, other] = [await generate(), await generate()]
    const { sdk, stream } = await openWith({ privateKey: one.privateKey, publicKey: other.publicKey })
    expect(await codeOf(() => sdk.create(payload))).toBe('SIGNER_FAILED')
    expect(stream.messages).toEqual([])
  })
})
