import {
  extractBundles,
  generateKey,
  memory,
  openSdk,
  source,
  toHex,
  verifyBatch,
  verifyMessage,
} from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { patient } from '../support/batches.js'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { key, keyring, lastOf } from '../support/sdk.js'
import { keyText, messageFrom, told, trustOf } from '../support/trust.js'

describe('a statement of a signer under a trust policy', () => {
  it('is permitted if the policy has no list of permitted values for the signer', async () => {
    const trust = await trustOf()
    const { signer, signedBy } = await verifyMessage(await messageFrom(), { keyring: trust })
    expect(signer).toBe(key.keyId)
    expect(signedBy).toEqual({ id: key.keyId, name: 'gateway-1', time: 'signed' })
    const withKeys = { keyring, receivedAt: new Date() }
    expect(await verifyMessage(await messageFrom(), withKeys)).not.toHaveProperty('signedBy')
  })

  // claim: trust-6
  it.each([
    [{ hosts: ['edge-8', 'edge-9'] }, 'host: gateway-1 may only say edge-8 or edge-9, got "edge-7"'],
    [{ hosts: [] }, 'host: gateway-1 is not permitted to state any host, got "edge-7"'],
    [
      { layers: ['os', 'host', 'cicd'] as const },
      'layer: gateway-1 may only say os, host or cicd, got "app"',
    ],
    [{ actions: ['publish'] as const }, 'action: gateway-1 may only say publish, got "create"'],
    [{ kinds: ['tls'] }, 'annotations[0].kind: gateway-1 may only say tls, got "src"'],
    [{ kinds: [] }, 'annotations[0].kind: gateway-1 is not permitted to state any kind, got "src"'],
    [{ tags: ['', 'v2'] }, 'annotations[0].tag: gateway-1 may only say "" or v2, got "v1"'],
  ])('is refused under %j, with its field and the permitted values in the error', async (rules, message) => {
    const trust = await trustOf(rules)
    const error = await failure(async () => verifyMessage(await messageFrom(), { keyring: trust }))
    expect(error.code).toBe('SIGNER_NOT_ALLOWED')
    expect(error.message).toBe(message)
  })

  // claim: trust-4
  it.each(['edge-7', '*', 'edge-*', '*7', 'e*-*7', 'edge-7*', '**'])(
    'may match a pattern: %s matches edge-7',
    async (host) => {
      expect(await told(await messageFrom(), await trustOf({ hosts: ['x', host] }))).toBe('gateway-1')
    },
  )

  // claim: trust-3
  it.each([
    'Edge-7',
    'edge-7 ',
    'edge',
    'edge-7*7',
    'e*-8',
    '*edge-7-',
    'edge-\\*',
    '*edge',
    'e*dge*edge-7',
    '',
  ])('is compared byte for byte, and as a whole: %j does not match edge-7', async (host) => {
    expect(await told(await messageFrom(), await trustOf({ hosts: [host] }))).toBe('SIGNER_NOT_ALLOWED')
  })

  // claim: trust-5
  it('matches a star after a backslash only literally, and an accent only as written', async () => {
    const star = await trustOf({ hosts: ['edge-\\*', 'caf\u00e9'] })
    expect(await told(await messageFrom({ host: 'edge-*' }), star)).toBe('gateway-1')
    expect(await told(await messageFrom({ host: 'caf\u00e9' }), star)).toBe('gateway-1')
    expect(await told(await messageFrom({ host: 'cafe\u0301' }), star)).toBe('SIGNER_NOT_ALLOWED')
  })

  // claim: trust-8
  it('is refused together with the whole batch if it is forbidden in one bundle of the batch', async () => {
    const stream = memory()
    const annotators = [source(), { kind: 'tls', isSatisfied: () => true }]
    const sdk = await openSdk({ signingKey: key.signingKey, host: 'edge-7', annotators, stream })
    const [receipt] = await sdk.createMany([utf8('a'), utf8('b')])
    await sdk.close()
    const batch = receipt?.message as Uint8Array
    const error = await failure(async () =>
      verifyBatch(batch, { keyring: await trustOf({ kinds: ['src'] }) }),
    )
    expect(error.message).toContain('bundles[0].annotations[1].kind: gateway-1 may only say src')
    const [alone] = extractBundles(batch)
    expect(await told(alone as Uint8Array, await trustOf({ kinds: ['src', 'tls'] }))).toBe('gateway-1')
    expect(await verifyBatch(batch, { keyring: await trustOf({ kinds: ['*s*'] }) })).toHaveLength(2)
  })

  it('is refused in the last bundle of a batch, too', async () => {
    const stream = memory()
    const options = {
      signingKey: key.signingKey,
      annotators: [],
      batch: { ...patient, maxBundles: 2 },
      stream,
    }
    const sdk = await openSdk(options)
    await Promise.all([sdk.create(utf8('a')), sdk.publish(utf8('a'))])
    await sdk.close()
    const trust = await trustOf({ actions: ['create'] })
    const error = await failure(() => verifyBatch(lastOf(stream), { keyring: trust }))
    expect(error.message).toBe('bundles[1].action: gateway-1 may only say create, got "publish"')
  })

  it("is checked only after signer and signature: a stranger's message is SIGNER_UNKNOWN, and an altered message SIGNATURE_INVALID", async () => {
    const message = await messageFrom()
    const stranger = await trustOf({ keys: [toHex(generateKey().verifyingKey)], hosts: [] })
    expect(await told(message, stranger)).toBe('SIGNER_UNKNOWN')
    const altered = utf8(new TextDecoder().decode(message).replace('edge-7', 'edge-8'))
    expect(await told(altered, await trustOf({ hosts: ['edge-8'] }))).toBe('SIGNATURE_INVALID')
  })

  it('has the same verdict with each key of its signer', async () => {
    const other = generateKey()
    const trust = await trustOf({ keys: [keyText, toHex(other.verifyingKey)] })
    expect(await told(await messageFrom(), trust)).toBe('gateway-1')
    const { signedBy } = await verifyMessage(await messageFrom({ signingKey: other.signingKey }), {
      keyring: trust,
    })
    expect(signedBy).toEqual({ id: other.keyId, name: 'gateway-1', time: 'signed' })
  })

  it('is explained field by field, with the entry of the policy that permits each value', async () => {
    const trust = await trustOf({ hosts: ['edge-*'], kinds: ['tls'], until: '2100-01-01T00:00:00Z' })
    const bundle = await verifyMessage(await messageFrom(), { keyring })
    expect(await trust.explain(bundle)).toEqual({
      verdict: 'SIGNER_NOT_ALLOWED',
      why: 'annotations[0].kind: gateway-1 may only say tls, got "src"',
      signedBy: { id: key.keyId, name: 'gateway-1', time: 'signed' },
      times: { until: '2100-01-01T00:00:00Z', acceptedUntil: '2100-01-01T00:01:00.000Z' },
      findings: [
        { field: 'action', value: 'create', isAllowed: true },
        { field: 'host', value: 'edge-7', isAllowed: true, by: 'edge-*', allowed: ['edge-*'] },
        { field: 'layer', value: 'app', isAllowed: true },
        { field: 'annotations[0].kind', value: 'src', isAllowed: false, allowed: ['tls'] },
        { field: 'annotations[0].tag', value: 'v1', isAllowed: true },
      ],
    })
  })
})
