import {
  cbor,
  extractBundle,
  extractBundles,
  generateKey,
  identityBytes,
  type KeyPair,
  Keyring,
  memory,
  openSdk,
  type SdkOptions,
  type SigningKeyInput,
  source,
  verifyBatch,
  verifyBytes,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { beforeAll, describe, expect, it } from 'vitest'
import { patient } from '../support/batches.js'
import { fromHex, textOf, utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'

const ALGORITHMS = ['P-256', 'secp256k1', 'SM2'] as const
const payload = utf8('hello')
const keys = new Map<string, KeyPair>()
const keyOf = (algorithm: string) => keys.get(algorithm) as KeyPair

beforeAll(async () => {
  for (const algorithm of ALGORITHMS) keys.set(algorithm, await generateKey({ algorithm }))
  keys.set('Ed25519', generateKey())
})

const messagesBy = async (
  signingKey: SigningKeyInput,
  payloads: readonly Uint8Array[],
  options: Partial<SdkOptions> = {},
) => {
  const stream = memory()
  await using sdk = await openSdk({ signingKey, annotators: [source()], stream, ...options })
  await Promise.all(payloads.map((one) => sdk.create(one)))
  return [...stream.messages]
}
const messageBy = async ({ signingKey }: KeyPair) =>
  (await messagesBy(signingKey, [payload]))[0] as Uint8Array

describe.each(ALGORITHMS)('with a key of %s', (algorithm) => {
  it('a signed bundle is verified', async () => {
    const { verifyingKey, keyId } = keyOf(algorithm)
    const message = await messageBy(keyOf(algorithm))
    const bundle = await verifyMessage(message, { keyring: [verifyingKey], payload })
    expect(bundle).toMatchObject({ signer: keyId, payloadChecked: true, action: 'create' })
    expect(bundle.annotations.map(({ kind }) => kind)).toEqual(['src'])
  })

  it('the signature of a message has 64 bytes, and is valid for the identity bytes that FORMAT.md defines', async () => {
    const message = await messageBy(keyOf(algorithm))
    const { signature } = JSON.parse(textOf(message)).content
    expect(signature).toMatch(/^[0-9a-f]{128}$/)
    expect(verifyBytes(keyOf(algorithm).verifyingKey, identityBytes(message), fromHex(signature))).toBe(true)
  })

  it('a bundle is refused after a change to any part of it', async () => {
    const { verifyingKey: key } = keyOf(algorithm)
    const message = textOf(await messageBy(keyOf(algorithm)))
    for (const altered of [
      message.replace('"create"', '"transit"'),
      message.replace('"src"', '"tls"'),
      message.replace(/"signature":"(.)/, (_, digit) => `"signature":"${digit === '0' ? '1' : '0'}`),
    ]) {
      expect(await codeOf(() => verifyMessage(utf8(altered), { keyring: [key] }))).toBe('SIGNATURE_INVALID')
    }
  })

  it('a message is refused with SIGNER_UNKNOWN if the keyring lacks the key of its signer', async () => {
    const message = await messageBy(keyOf(algorithm))
    const other = ALGORITHMS.find((name) => name !== algorithm) as string
    for (const keyring of [[], [keyOf('Ed25519').verifyingKey], [keyOf(other).verifyingKey]]) {
      expect(await codeOf(() => verifyMessage(message, { keyring }))).toBe('SIGNER_UNKNOWN')
    }
  })

  it('a signed batch is verified, and so is each bundle that is extracted from it', async () => {
    const { verifyingKey } = keyOf(algorithm)
    const payloads = ['a', 'b', 'c'].map((one) => utf8(one))
    const [batch] = await messagesBy(keyOf(algorithm).signingKey, payloads, {
      batch: { ...patient, maxBundles: 3 },
    })
    const message = batch as Uint8Array
    const keyring = new Keyring([verifyingKey])
    const bundles = await verifyBatch(message, { keyring })
    expect(bundles).toHaveLength(3)
    const evidence = [...extractBundles(message)]
    expect(evidence[1]).toEqual(extractBundle(message, 1))
    for (const [at, one] of evidence.entries()) {
      expect((await verifyMessage(one, { keyring, payload: payloads[at] as Uint8Array })).id).toBe(
        bundles[at]?.id,
      )
    }
    const forged = utf8(
      textOf(message).replace(/"signature":"(.)/, (_, digit) => `"signature":"${digit === '0' ? '1' : '0'}`),
    )
    expect(await codeOf(() => verifyBatch(forged, { keyring }))).toBe('SIGNATURE_INVALID')
    const moved = utf8(textOf(evidence[1] as Uint8Array).replace('"index":1', '"index":0'))
    expect(await codeOf(() => verifyMessage(moved, { keyring }))).toBe('SIGNATURE_INVALID')
  })

  it('createMany() and mutate() make messages in CBOR that verify', async () => {
    const { signingKey, verifyingKey } = keyOf(algorithm)
    const stream = memory()
    await using sdk = await openSdk({ signingKey, annotators: [source()], stream, codec: cbor() })
    await sdk.createMany([utf8('a'), utf8('b')])
    await sdk.mutate(utf8('a'), utf8('b'))
    const [batch, mutated] = stream.messages as [Uint8Array, Uint8Array]
    const trust = { keyring: [verifyingKey], codec: cbor() }
    expect(await verifyBatch(batch, trust)).toHaveLength(2)
    expect(await verifyMessage(mutated, { ...trust, payload: utf8('b') })).toMatchObject({ action: 'mutate' })
  })

  it("a call's tag is in the annotations, whether the calling thread or a pool of workers signs them", async () => {
    await using workers = await pool({ workers: 1 })
    const { signingKey, verifyingKey } = keyOf(algorithm)
    for (const where of [{}, { pool: workers }]) {
      const stream = memory()
      await using sdk = await openSdk({ signingKey, annotators: [source()], stream, ...where })
      await sdk.create(payload, { tag: 'v7' })
      await sdk.mutate(utf8('before'), payload, { tag: 'v8' })
      const [created, mutated] = await Promise.all(
        stream.messages.map((message) => verifyMessage(message, { keyring: [verifyingKey], payload })),
      )
      expect([created?.annotations[0]?.tag, mutated?.annotations[0]?.tag]).toEqual(['v7', 'v8'])
      expect(mutated?.previousKey).toMatch(/^[0-9A-F]{64}$/)
    }
  })

  it('messages that a pool of workers signs verify in the calling thread and in the pool', async () => {
    await using workers = await pool({ workers: 1 })
    const { verifyingKey } = keyOf(algorithm)
    const payloads = Array.from({ length: 5 }, (_, at) => utf8(`payload ${at}`))
    const messages = await messagesBy(keyOf(algorithm).signingKey, payloads, { pool: workers })
    const keyring = new Keyring([verifyingKey, keyOf('Ed25519').verifyingKey])
    for (const where of [{}, { pool: workers }]) {
      const verdicts = await verifyMessages([...messages, utf8('{}')], { keyring, ...where })
      expect(verdicts.map(({ status }) => status)).toEqual([...messages.map(() => 'fulfilled'), 'rejected'])
    }
    const one = messages[0] as Uint8Array
    expect(
      await verifyMessage(one, { keyring, payload: payloads[0] as Uint8Array, pool: workers }),
    ).toMatchObject({
      payloadChecked: true,
    })
    const wrong = { keyring, payload: utf8('another'), pool: workers }
    expect(await codeOf(() => verifyMessage(one, wrong))).toBe('PAYLOAD_MISMATCH')
  })
})

describe('one keyring with keys of all algorithms', () => {
  it('verifies messages of all algorithms in one call, each with its own verdict', async () => {
    const names = [...ALGORITHMS, 'Ed25519']
    const messages = await Promise.all(names.map((name) => messageBy(keyOf(name))))
    const keyring = new Keyring(names.map((name) => keyOf(name).verifyingKey))
    expect(keyring.keyIds.sort()).toEqual(names.map((name) => keyOf(name).keyId).sort())
    const altered = messages.map((message) => utf8(textOf(message).replace('"src"', '"tls"')))
    const verdicts = await verifyMessages([...messages, ...altered], { keyring })
    expect(verdicts.map((one) => (one.status === 'fulfilled' ? 'good' : one.reason.code))).toEqual([
      ...names.map(() => 'good'),
      ...names.map(() => 'SIGNATURE_INVALID'),
    ])
  })

  it('stops trusting a key that was deleted, and trusts a key that was added', async () => {
    const { verifyingKey, keyId } = keyOf('P-256')
    const message = await messageBy(keyOf('P-256'))
    const keyring = new Keyring([verifyingKey])
    expect((await verifyMessage(message, { keyring })).signer).toBe(keyId)
    expect(keyring.delete(keyId)).toBe(true)
    expect(await codeOf(() => verifyMessage(message, { keyring }))).toBe('SIGNER_UNKNOWN')
    expect(keyring.add(verifyingKey)).toBe(keyId)
    expect((await verifyMessage(message, { keyring })).signer).toBe(keyId)
  })
})

/** A private key that is the same number for each algorithm, and its points. */
const SCALAR = '7f'.repeat(32)
const POINTS = {
  'P-256': '02680b8b98b32f8e1b93ba0e54aa7c7a5c04b4395161eb4c8a4bc90a7834cc5472',
  secp256k1: '03142715675faf8da1ecc4d51e0b9e539fa0d52fdd96ed60dbe99adb15d6b05ad9',
  SM2: '021be2d802f69293c45dbab062500545a67e41a74003ccc76d89f2ace13b3b4a54',
}

describe('a signature', () => {
  const keyring = new Keyring(ALGORITHMS.map((algorithm) => ({ algorithm, point: POINTS[algorithm] })))
  const sealed = (algorithm: (typeof ALGORITHMS)[number]) =>
    messagesBy({ algorithm, scalar: SCALAR }, [payload]).then(([message]) =>
      JSON.parse(textOf(message as Uint8Array)),
    )
  const verified = (message: unknown) => verifyMessage(utf8(JSON.stringify(message)), { keyring })

  // claim: threats-13, format-2, algorithms-3
  it('does not verify with a key of another algorithm, even if the message names the id of that key', async () => {
    const messages = await Promise.all(ALGORITHMS.map(sealed))
    expect(new Set(messages.map(({ content }) => content.signer)).size).toBe(3)
    for (const own of messages) {
      expect((await verified(own)).signer).toBe(own.content.signer)
      for (const { content } of messages.filter((other) => other !== own)) {
        const { signature, signer } = content
        const [lent, renamed] = [{ signature }, { signer }].map((part) => ({ ...own.content, ...part }))
        expect(await codeOf(() => verified({ ...own, content: lent }))).toBe('SIGNATURE_INVALID')
        expect(await codeOf(() => verified({ ...own, content: renamed }))).toBe('SIGNATURE_INVALID')
      }
    }
  })

  // claim: threats-12, algorithms-1
  it('does not verify in a message that has a member "alg" or "algorithm"', async () => {
    const message = await sealed('P-256')
    for (const member of ['alg', 'algorithm']) {
      const naming = { ...message, content: { ...message.content, [member]: 'Ed25519' } }
      expect(await codeOf(() => verified(naming))).toBe('MESSAGE_MALFORMED')
    }
  })
})
