// @node-only: it needs a pool of threads, and streams of Node

import {
  classic,
  generateKey,
  loadAlgorithms,
  memory,
  openSdk,
  type Sdk,
  type SdkOptions,
  type StreamProvider,
  signBytes,
  source,
  verifyBatch,
  verifyMessage,
} from 'alvarium-sdk'
import {
  Completeness,
  checkpoints,
  type VerifiedCheckpoint,
  verifyCheckpoint,
} from 'alvarium-sdk/completeness'
import { outbox } from 'alvarium-sdk/outbox'
import { pool } from 'alvarium-sdk/pool'
import { leased, readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it, onTestFinished } from 'vitest'
import { patient, payloads } from '../support/batches.js'
import { utf8 } from '../support/bytes.js'
import { type Deferred, deferred, quiet } from '../support/deferred.js'
import { codeOf, failure } from '../support/failure.js'
import { newPlace } from '../support/places.js'

const [old, next, third] = [generateKey(), generateKey(), generateKey()]
const keyring = [old, next, third].map(({ verifyingKey }) => verifyingKey)
const payload = utf8('hello')

const openWith = (options: Partial<SdkOptions> = {}) =>
  openSdk({ signingKey: old.signingKey, annotators: [source()], stream: memory(), ...options })
const signersOf = (messages: readonly Uint8Array[]) =>
  Promise.all(
    messages.map(async (message) => (await verifyBatch(message, { keyring })).map(({ signer }) => signer)[0]),
  )
const signerOf = async (call: ReturnType<Sdk['create']>) => (await call).bundle.signer

/** Makes an annotator whose calls wait until the test answers them, each by its own promise. */
function askingAnnotator() {
  const answers: Deferred<boolean>[] = []
  const isSatisfied = () => {
    const answer = deferred<boolean>()
    answers.push(answer)
    return answer.promise
  }
  return { answers, annotators: [{ kind: 'asked', isSatisfied }] }
}

describe('sdk.rotate()', () => {
  // claim: trust-58
  it('lets calls in progress be signed by the old key, and signs the next call with the new key', async () => {
    const { answers, annotators } = askingAnnotator()
    const sdk = await openWith({ annotators })
    const before = sdk.create(payload)
    let isDone = false
    const rotated = sdk.rotate(next.signingKey).then(() => {
      isDone = true
    })
    await quiet()
    const after = sdk.create(payload)
    answers[1]?.resolve(true)
    expect(await signerOf(after)).toBe(next.keyId)
    expect(isDone).toBe(false)
    answers[0]?.resolve(true)
    expect(await signerOf(before)).toBe(old.keyId)
    await rotated
    await sdk.close()
  })

  // claim: trust-57
  it('sends the open batch at once, signed by the old key', async () => {
    const stream = memory()
    const sdk = await openWith({ stream, batch: patient })
    const calls = payloads(3).map((one) => sdk.create(one))
    await quiet()
    await sdk.rotate(next.signingKey)
    expect(await Promise.all(calls.map(signerOf))).toEqual(calls.map(() => old.keyId))
    const after = sdk.create(payload)
    await sdk.close()
    expect(await signerOf(after)).toBe(next.keyId)
    expect(await signersOf(stream.messages)).toEqual([old.keyId, next.keyId])
  })

  it('waits for an application’s own signer, which still signs with the old key', async () => {
    const signed = deferred()
    const sign = async (identity: Uint8Array) => {
      await signed.promise
      return signBytes(old.signingKey, identity)
    }
    const sdk = await openWith({ signingKey: { verifyingKey: old.verifyingKey, sign } })
    const before = sdk.create(payload)
    await quiet()
    const rotated = sdk.rotate(next.signingKey)
    await quiet()
    expect(await signerOf(sdk.create(payload))).toBe(next.keyId)
    signed.resolve()
    await rotated
    expect(await signerOf(before)).toBe(old.keyId)
    await sdk.close()
  })

  it('does not wait for a call that still reads a payload source; the new key then signs this call', async () => {
    const end = deferred()
    async function* pieces() {
      yield payload
      await end.promise
      yield payload
    }
    const sdk = await openWith()
    const reading = sdk.create(pieces())
    await quiet()
    await sdk.rotate(next.signingKey)
    end.resolve()
    expect(await signerOf(reading)).toBe(next.keyId)
    await sdk.close()
  })

  // claim: trust-63
  it('does not wait for createMany, whose remaining payloads are signed by the new key', async () => {
    const stream = memory()
    const sdk = await openWith({ stream })
    let rotated: Promise<void> | undefined
    function* givenPayloads() {
      for (const [at, one] of payloads(20_000).entries()) {
        if (at === 5000) rotated = sdk.rotate(next.signingKey)
        yield one
      }
    }
    const receipts = await sdk.createMany(givenPayloads())
    await rotated
    const signers = receipts.map(({ bundle }) => bundle.signer)
    const first = signers.indexOf(next.keyId)
    expect(first).toBeGreaterThan(4000)
    expect(signers).toEqual(signers.map((_, at) => (at < first ? old.keyId : next.keyId)))
    expect(new Set(await signersOf(stream.messages)).size).toBe(2)
    await sdk.close()
  })

  it.each(['P-256', 'secp256k1', 'SM2'] as const)(
    'replaces an Ed25519 key by a %s key, and back',
    async (algorithm) => {
      await loadAlgorithms()
      const other = await generateKey({ algorithm })
      const sdk = await openWith()
      await sdk.rotate(other.signingKey)
      const { message } = await sdk.create(payload)
      expect((await verifyMessage(message, { keyring: [other.verifyingKey] })).signer).toBe(other.keyId)
      await sdk.rotate(old.signingKey)
      expect(await signerOf(sdk.create(payload))).toBe(old.keyId)
      await sdk.close()
    },
  )

  it('replaces a key by a Signer, a WebCrypto key pair and a seed', async () => {
    const pair = (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair
    const signer = {
      verifyingKey: third.verifyingKey,
      sign: async (identity: Uint8Array) => signBytes(third.signingKey, identity),
    }
    const sdk = await openWith()
    const signers: (string | undefined)[] = []
    for (const key of [signer, pair, { seed: next.signingKey.slice(0, 32) }]) {
      await sdk.rotate(key)
      signers.push(await signerOf(sdk.create(payload)))
    }
    expect(signers).toEqual([third.keyId, signers[1], next.keyId])
    expect(new Set(signers).size).toBe(3)
    await sdk.close()
  })

  it('resolves even while no message is accepted, and unaccepted messages keep the old key’s signature', async () => {
    const answer = deferred()
    const sent: Uint8Array[] = []
    const stream = {
      publish: async (message: Uint8Array) => answer.promise.then(() => void sent.push(message)),
    }
    const sdk = await openWith({ stream })
    const calls = [sdk.create(payload)]
    await sdk.rotate(next.signingKey)
    calls.push(sdk.create(payload))
    answer.resolve()
    expect(await Promise.all(calls.map(signerOf))).toEqual([old.keyId, next.keyId])
    expect(await signersOf(sent)).toEqual([old.keyId, next.keyId])
    await sdk.close()
  })

  // claim: trust-60
  it('leaves the messages of the old key in the outbox, which delivers them when the broker is back', async () => {
    const answer = deferred()
    const sent: Uint8Array[] = []
    const publish = async (message: Uint8Array) => {
      await answer.promise
      sent.push(message)
    }
    const sdk = await openWith({ stream: outbox({ stream: { publish }, store: newPlace() }) })
    const stored = [await sdk.create(payload)]
    await sdk.rotate(next.signingKey)
    stored.push(await sdk.create(payload))
    expect(sent).toEqual([])
    answer.resolve()
    await Promise.all(stored.map(({ delivered }) => delivered))
    expect(await signersOf(sent)).toEqual([old.keyId, next.keyId])
    await sdk.close()
  })

  // claim: trust-62
  it('waits at most closeTimeoutMs for an annotator, whose call then rejects with SIGNER_FAILED', async () => {
    const { answers, annotators } = askingAnnotator()
    const sdk = await openWith({ annotators, annotatorTimeoutMs: 3_600_000, closeTimeoutMs: 20 })
    const before = failure(() => sdk.create(payload))
    await sdk.rotate(next.signingKey)
    answers[0]?.resolve(true)
    expect(await before).toMatchObject({
      code: 'SIGNER_FAILED',
      message: 'sdk: expected the call to be signed within 20 ms after rotate(), got no answer',
    })
    const after = sdk.create(payload)
    answers[1]?.resolve(true)
    expect(await signerOf(after)).toBe(next.keyId)
    await sdk.close()
  })
})

describe('sdk.rotate() rejects, and the old key stays in use,', () => {
  const signer = { verifyingKey: next.verifyingKey, sign: () => new Uint8Array(64) }
  const pooled = async () => {
    const workers = await pool({ workers: 1 })
    onTestFinished(() => workers.close())
    return { pool: workers }
  }
  const away = { connect: () => Promise.reject(new Error('no broker')), publish: () => {} }
  const failing = () => Promise.reject(new Error('the HSM is away'))
  const silent = { verifyingKey: next.verifyingKey, sign: failing }

  it.each<[what: string, key: unknown, code: string, options?: () => Promise<object> | object]>([
    ['if it is given nothing', undefined, 'CONFIG_INVALID'],
    ['if it is given a number', 7, 'CONFIG_INVALID'],
    ['if it is given an empty text', '', 'CONFIG_INVALID'],
    ['if it is given an object that is no key', {}, 'KEY_INVALID'],
    ['if it is given a text that is no key', 'not a key', 'KEY_INVALID'],
    ['if it is given a public key', next.verifyingKey, 'KEY_INVALID'],
    ['if it is given a truncated key', next.signingKey.slice(0, 40), 'KEY_INVALID'],
    ['if it is given the key in use', old.signingKey, 'KEY_INVALID'],
    ['if a Signer has the key in use', { ...signer, verifyingKey: old.verifyingKey }, 'KEY_INVALID'],
    ['if a Signer has no public key', { sign: signer.sign }, 'KEY_INVALID'],
    ['if it is given a Signer and has a pool', signer, 'CONFIG_INVALID', pooled],
    ['if no lease is signed', leased(silent, { onLease: () => {} }), 'SIGNER_FAILED'],
    ['if the lease is not accepted', leased(next.signingKey, { onLease: failing }), 'SIGNER_FAILED'],
    ['if the stream of leases is away', leased(next.signingKey, { stream: away }), 'STREAM_UNREACHABLE'],
  ])('%s', async (_, given, code, options = () => ({})) => {
    const sdk = await openWith(await options())
    const error = await failure(() => sdk.rotate(given as Uint8Array))
    expect(error.code).toBe(code)
    expect(error.message).not.toContain('not a key')
    expect(await signerOf(sdk.create(payload))).toBe(old.keyId)
    await sdk.rotate(third.signingKey)
    expect(await signerOf(sdk.create(payload))).toBe(third.keyId)
    await sdk.close()
  })

  it('if the codec signs with a private key of its own', async () => {
    const sdk = await openWith({ codec: classic({ signingKey: old.signingKey }) })
    expect(await failure(() => sdk.rotate(next.signingKey))).toMatchObject({
      code: 'CONFIG_INVALID',
      message: 'rotate: cannot be combined with a codec that has a private key',
    })
    await sdk.create(payload)
    await sdk.close()
  })

  it('if the stream of the new leases is in use for the leases of the old key', async () => {
    const stream = { publish: () => {}, close: () => {} }
    const sdk = await openWith({ signingKey: leased(old.signingKey, { stream }) })
    expect(await codeOf(() => sdk.rotate(leased(next.signingKey, { stream })))).toBe('CONFIG_INVALID')
    await sdk.create(payload)
    await sdk.close()
  })
})

describe('several simultaneous rotations', () => {
  // claim: trust-64
  it('follow one another, and the last key stays in use', async () => {
    const sdk = await openWith()
    const rotations = [next, third, old, next].map(({ signingKey }) => sdk.rotate(signingKey))
    await Promise.all(rotations)
    expect(await signerOf(sdk.create(payload))).toBe(next.keyId)
    await sdk.close()
  })

  it('do not block one another: after a refused rotation, the next one succeeds', async () => {
    const sdk = await openWith()
    const refused = codeOf(() => sdk.rotate('not a key'))
    await sdk.rotate(next.signingKey)
    expect(await refused).toBe('KEY_INVALID')
    expect(await signerOf(sdk.create(payload))).toBe(next.keyId)
    await sdk.close()
  })

  it('each wait only for the calls of their own key', async () => {
    const { answers, annotators } = askingAnnotator()
    const sdk = await openWith({ annotators })
    const first = sdk.create(payload)
    const rotated = sdk.rotate(next.signingKey)
    await quiet()
    expect(sdk.stats().asking).toBe(1)
    await sdk.rotate(third.signingKey)
    const last = sdk.create(payload)
    expect(sdk.stats().asking).toBe(2)
    for (const answer of answers) answer.resolve(true)
    await rotated
    expect([await signerOf(first), await signerOf(last)]).toEqual([old.keyId, third.keyId])
    await sdk.close()
  })
})

describe('sdk.rotate() together with sdk.close()', () => {
  // claim: trust-65
  it('rejects with STREAM_CLOSED after close(), even while close() waits', async () => {
    const { answers, annotators } = askingAnnotator()
    const sdk = await openWith({ annotators })
    const call = sdk.create(payload)
    const closing = sdk.close()
    expect(await codeOf(() => sdk.rotate(next.signingKey))).toBe('STREAM_CLOSED')
    answers[0]?.resolve(true)
    await closing
    expect(await signerOf(call)).toBe(old.keyId)
    expect(await codeOf(() => sdk.rotate(next.signingKey))).toBe('STREAM_CLOSED')
  })

  it("rejects if close() is called before the new key is ready, and closes the new key's streams", async () => {
    const lease = deferred<Uint8Array>()
    const closed: string[] = []
    const closable = (name: string) => ({ publish: () => {}, close: () => void closed.push(name) })
    const signer = { verifyingKey: next.verifyingKey, sign: () => lease.promise }
    const sdk = await openWith({ stream: closable('bundles') })
    const rotated = failure(() => sdk.rotate(leased(signer, { stream: closable('leases') })))
    const leases: Uint8Array[] = []
    const onLease = (lease: Uint8Array) => leases.push(lease)
    const later = failure(() => sdk.rotate(leased(third.signingKey, { onLease })))
    await quiet()
    const call = sdk.create(payload)
    const closing = sdk.close()
    lease.reject(new Error('the HSM is away'))
    await closing
    expect([(await rotated).code, (await later).code]).toEqual(['SIGNER_FAILED', 'STREAM_CLOSED'])
    expect(leases).toEqual([])
    expect(await signerOf(call)).toBe(old.keyId)
    expect(closed.sort()).toEqual(['bundles', 'leases'])
  })

  it('signs earlier calls with the old key, even if close() is called meanwhile', async () => {
    const { answers, annotators } = askingAnnotator()
    const sdk = await openWith({ annotators })
    const before = sdk.create(payload)
    const rotated = sdk.rotate(next.signingKey)
    await quiet()
    const after = sdk.create(payload)
    const closing = sdk.close()
    for (const answer of answers) answer.resolve(true)
    await Promise.all([rotated, closing])
    expect([await signerOf(before), await signerOf(after)]).toEqual([old.keyId, next.keyId])
  })
})

describe('checkpoints across a key rotation', () => {
  async function openLogged(options: Partial<SdkOptions> = {}) {
    const [stream, notes] = [memory(), memory()]
    const own = checkpoints({ stream: notes, every: 8192, everyMs: 3_600_000 })
    const sdk = await openWith({ stream, ...options, checkpoints: own })
    const read = () => Promise.all(notes.messages.map((message) => verifyCheckpoint(message, { keyring })))
    return { sdk, messages: stream.messages, read }
  }
  const factsOf = ({ signer, number, size, after, isLast }: VerifiedCheckpoint) => ({
    signer,
    number,
    size,
    after,
    isLast,
  })

  // claim: trust-59
  it("end the old key's log, and begin a log of the new key that names no previous run", async () => {
    const { sdk, messages, read } = await openLogged()
    await sdk.create(payload)
    await sdk.create(payload)
    await sdk.rotate(next.signingKey)
    const [first, began, ended] = await read()
    const none = { after: undefined, isLast: false }
    expect(first && factsOf(first)).toEqual({ signer: old.keyId, number: 0, size: 0, ...none })
    expect(began && factsOf(began)).toEqual({ signer: next.keyId, number: 0, size: 0, ...none })
    expect(ended && factsOf(ended)).toMatchObject({ signer: old.keyId, number: 1, size: 2, isLast: true })
    await sdk.create(payload)
    await sdk.close()
    const all = await read()
    expect(all.slice(3).map(factsOf)).toMatchObject([
      { signer: next.keyId, number: 1, size: 1, isLast: true },
    ])
    const completeness = new Completeness()
    for (const checkpoint of all) completeness.addCheckpoint(checkpoint)
    for (const message of messages) completeness.addMessage(message, await verifyBatch(message, { keyring }))
    expect(completeness.report().map(({ verdict }) => verdict)).toEqual(['complete', 'complete'])
  })

  it("end the old key's log only when the stream has settled the key's messages", async () => {
    const answers: Deferred<void>[] = []
    const stream: StreamProvider = {
      publish: () => {
        const answer = deferred()
        answers.push(answer)
        return answer.promise
      },
    }
    const { sdk, read } = await openLogged({ stream })
    const calls = [sdk.create(payload), codeOf(() => sdk.create(payload))]
    await quiet()
    const rotated = sdk.rotate(next.signingKey)
    await quiet()
    expect((await read()).map(({ isLast }) => isLast)).toEqual([false, false])
    answers[0]?.resolve()
    answers[1]?.reject(new Error('no'))
    await Promise.all([rotated, ...calls])
    const last = (await read()).at(-1)
    expect(last).toMatchObject({
      signer: old.keyId,
      isLast: true,
      pending: [],
      refused: [{ first: 1, last: 1 }],
    })
    await sdk.close()
  })

  it("list the old key's unsettled messages as pending if the broker is away for closeTimeoutMs", async () => {
    const answer = deferred()
    const stream = { publish: () => answer.promise }
    const { sdk, read } = await openLogged({ stream, closeTimeoutMs: 20 })
    const call = sdk.create(payload)
    await sdk.rotate(next.signingKey)
    expect((await read()).at(-1)).toMatchObject({
      signer: old.keyId,
      isLast: true,
      pending: [{ first: 0, last: 0 }],
    })
    answer.resolve()
    expect(await signerOf(call)).toBe(old.keyId)
    await sdk.close()
  })

  it('are signed only by the old key if rotate() refuses the new key', async () => {
    const { sdk, read } = await openLogged()
    await codeOf(() => sdk.rotate(old.signingKey))
    await codeOf(() =>
      sdk.rotate(leased(next.signingKey, { onLease: () => Promise.reject(new Error('no')) })),
    )
    expect((await read()).map(({ signer, number }) => ({ signer, number }))).toEqual([
      { signer: old.keyId, number: 0 },
    ])
    await sdk.close()
  })
})

it('rotate() to another leased key publishes the new lease before the next message', async () => {
  const order: string[] = []
  const stream = memory()
  const leases: Uint8Array[] = []
  const issued = (name: string, { signingKey }: typeof old) =>
    leased(signingKey, {
      onLease: (lease) => {
        order.push(name)
        leases.push(lease)
      },
    })
  const sdk = await openWith({ stream, signingKey: issued('old', old) })
  await sdk.create(payload)
  await sdk.rotate(issued('new', next))
  await sdk.create(payload)
  await sdk.close()
  expect(order).toEqual(['old', 'new'])
  const trust = await readTrust({
    signers: [old, next].map(({ verifyingKey }, at) => ({
      name: ['old', 'new'][at] as string,
      keys: [Array.from(verifyingKey, (byte) => byte.toString(16).padStart(2, '0')).join('')],
    })),
  })
  const names = stream.messages.map(
    async (message) => (await verifyMessage(message, { keyring: trust, leases })).signedBy?.name,
  )
  expect(await Promise.all(names)).toEqual(['old', 'new'])
})
