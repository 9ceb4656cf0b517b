// @node-only: it uses files, Buffers, processes or a stopped clock

import { classic, generateKey, source, subscribe, toHex, verifyClassic } from 'alvarium-sdk'
import {
  type PlainRequest,
  pkiHttp,
  signRequest,
  signResponse,
  verifyRequest,
  verifyResponse,
} from 'alvarium-sdk/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestBroker } from '../brokers/brokers.js'
import { startMosquitto } from '../brokers/mosquitto.js'
import { answerOf } from '../support/answer.js'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { closing, next, sender } from '../support/receiving.js'
import { key } from '../support/sdk.js'
import { keyText, messageFrom, policyOf, trustOf } from '../support/trust.js'
import { rfc9421 } from '../support/vectors.js'

/** Returns a new codec, because each SDK closes its own. */
const go = () => classic({ signingKey: key.signingKey, dialect: 'go' })

describe('a subscription with a trust policy', () => {
  let broker: TestBroker
  beforeAll(async () => {
    broker = await startMosquitto()
  })
  afterAll(() => broker.stop())

  // claim: trust-48
  it('checks messages by their time of receipt, and rejects statements that an updated policy forbids', async () => {
    const trust = await trustOf({ revoked: { since: '2100-01-01T00:00:00Z' } })
    const where = { url: broker.url, topic: 'trusted' }
    const given = closing(
      subscribe({ ...where, keyring: trust, durable: false, classic: true, closeTimeoutMs: 50 }),
    )
    const rejected: string[] = []
    given.addEventListener('rejected', ({ error }) => rejected.push(error.code))
    await given.open()
    const raw = await sender(broker.url, 'trusted')
    const before = Date.now()
    await raw.publish(await messageFrom())
    const loop = given[Symbol.asyncIterator]()
    const [bundle] = await next(loop, 1)
    expect(bundle).toMatchObject({ format: 'bundle', signedBy: { name: 'gateway-1', time: 'received' } })
    expect(bundle?.receivedAt).toBeGreaterThanOrEqual(before)
    expect(bundle?.receivedAt).toBeLessThanOrEqual(Date.now())
    await trust.update(policyOf({ hosts: ['edge-8'] }))
    await raw.publish(await messageFrom())
    await raw.publish(await messageFrom({ codec: go() }))
    await raw.publish(await messageFrom({ host: 'edge-8', codec: go() }))
    const [one] = await next(loop, 1)
    expect(one).toMatchObject({
      format: 'classic',
      annotations: [{ value: { signedBy: { name: 'gateway-1' } } }],
    })
    expect(rejected).toEqual(['SIGNER_NOT_ALLOWED', 'SIGNER_NOT_ALLOWED'])
  })
})

describe('a classic message under a trust policy', () => {
  const verdicts = async (rules: Parameters<typeof trustOf>[0], receivedAt?: number) => {
    const message = await messageFrom({
      codec: go(),
      annotators: [source(), { kind: 'tls', isSatisfied: () => true }],
    })
    const { annotations } = await verifyClassic(message, { keyring: await trustOf(rules), receivedAt })
    return annotations.map((one) => (one.status === 'fulfilled' ? one.value.signedBy?.name : one.reason.code))
  }

  it('has a verdict for each annotation, which depends on the kind, host and signed time of the annotation', async () => {
    expect(await verdicts({})).toEqual(['gateway-1', 'gateway-1'])
    expect(await verdicts({ kinds: ['src'] })).toEqual(['gateway-1', 'SIGNER_NOT_ALLOWED'])
    expect(await verdicts({ hosts: ['edge-8'] })).toEqual(['SIGNER_NOT_ALLOWED', 'SIGNER_NOT_ALLOWED'])
    expect(await verdicts({ tags: ['v1'], layers: ['app'] })).toEqual(['gateway-1', 'gateway-1'])
    expect(await verdicts({ until: '2020-01-01T00:00:00Z' })).toEqual(['SIGNER_EXPIRED', 'SIGNER_EXPIRED'])
    const revoked = { since: '2026-01-01T00:00:00Z' }
    expect(await verdicts({ revoked }, 5)).toEqual(['gateway-1', 'gateway-1'])
    expect(await verdicts({ revoked })).toEqual(['SIGNER_REVOKED', 'SIGNER_REVOKED'])
  })

  // claim: trust-9
  it('is refused from a signer that may sign only listed actions, because its action is not signed', async () => {
    expect(await verdicts({ actions: ['create'] })).toEqual(['SIGNER_NOT_ALLOWED', 'SIGNER_NOT_ALLOWED'])
    const message = await messageFrom({ codec: go() })
    const { annotations } = await verifyClassic(message, { keyring: await trustOf({ actions: ['create'] }) })
    expect((annotations[0] as PromiseRejectedResult).reason.message).toBe(
      'action: gateway-1 may only say create, got an unsigned action of a classic message',
    )
  })
})

describe('a signed request under a trust policy', () => {
  const body = utf8('payload')
  const request: PlainRequest = { method: 'POST', url: 'https://api.example/readings', headers: {} }
  const signed = async (signingKey: Uint8Array, keyId: string, more: { created?: number } = {}) => {
    const options = { format: 'rfc9421', signingKey, keyId, body, ...more } as const
    return { ...request, headers: await signRequest(request, options) }
  }
  const verify = async (rules: Parameters<typeof trustOf>[0], given: PlainRequest) =>
    verifyRequest(given, { format: 'rfc9421', keys: await trustOf(rules), body })

  // claim: trust-10
  it.each([
    ['the name of its signer', 'gateway-1'],
    ['the id of a key', key.keyId],
  ])('may have as its keyid %s', async (_, keyId) => {
    const verified = await verify({}, await signed(key.signingKey, keyId))
    expect(verified).toMatchObject({
      keyId,
      signedBy: { id: key.keyId, name: 'gateway-1', time: 'received' },
    })
  })

  it('may be signed by any key of its signer', async () => {
    const p256 = await generateKey({ algorithm: 'P-256' })
    const pem = `-----BEGIN PUBLIC KEY-----\n${Buffer.from(p256.verifyingKey).toString('base64')}\n-----END PUBLIC KEY-----`
    const next = generateKey()
    const rules = { keys: [pem, toHex(next.verifyingKey), keyText] }
    for (const { signingKey, keyId } of [key, next]) {
      const { signedBy } = await verify(rules, await signed(signingKey, 'gateway-1'))
      expect(signedBy).toMatchObject({ id: keyId, name: 'gateway-1' })
    }
    const other = await signed(generateKey().signingKey, 'gateway-1')
    expect(await codeOf(() => verify(rules, other))).toBe('SIGNATURE_INVALID')
    expect(await codeOf(async () => verify(rules, await signed(key.signingKey, 'gateway-2')))).toBe(
      'SIGNER_UNKNOWN',
    )
  })

  it('is accepted only if its signer is valid and not revoked at the current time', async () => {
    const now = await signed(key.signingKey, 'gateway-1')
    expect(await codeOf(() => verify({ revoked: { since: '2020-01-01T00:00:00Z' } }, now))).toBe(
      'SIGNER_REVOKED',
    )
    expect(await codeOf(() => verify({ until: '2020-01-01T00:00:00Z' }, now))).toBe('SIGNER_EXPIRED')
    expect(await codeOf(() => verify({ from: '2100-01-01T00:00:00Z' }, now))).toBe('SIGNER_EXPIRED')
    expect(await verify({ from: '2020-01-01T00:00:00Z', hosts: [] }, now)).toMatchObject({
      keyId: 'gateway-1',
    })
  })

  it('is checked by the annotator pkiHttp against the current policy, even after an update', async () => {
    const trust = await trustOf()
    const annotator = pkiHttp({ format: 'rfc9421', keys: trust })
    const given = await signed(key.signingKey, 'gateway-1')
    expect(await answerOf(annotator, given)).toBe(true)
    await trust.update(policyOf({ revoked: { since: '2020-01-01T00:00:00Z' } }))
    expect(await answerOf(annotator, given)).toContain('gateway-1, key')
  })

  it('finds its signer by name, as a signed response does', async () => {
    const response = { status: 200, headers: {} }
    const headers = await signResponse(response, { signingKey: key.signingKey, keyId: 'gateway-1', body })
    const verified = await verifyResponse({ ...response, headers }, { keys: await trustOf(), body })
    expect(verified.signedBy).toMatchObject({ name: 'gateway-1' })
    const { p256, responses } = rfc9421()
    for (const recorded of responses.filter(({ isBound }) => !isBound)) {
      const keys = await trustOf({ name: 'test-key-ecc-p256', keys: [p256] })
      const options = { keys, body: utf8(recorded.body), maxAgeMs: 3_155_760_000_000 }
      expect((await verifyResponse(recorded, options)).signedBy).toMatchObject({ name: 'test-key-ecc-p256' })
    }
  })
})
