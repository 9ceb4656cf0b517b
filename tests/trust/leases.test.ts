import {
  cbor,
  classic,
  extractBundle,
  generateKey,
  type SdkOptions,
  toHex,
  type Verification,
  type VerifiedBundle,
  type VerifyOptions,
  verifyBatch,
  verifyClassic,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { issueLease, type PolicySigner, readLease, readTrust, type Trust } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf, failure, typeError } from '../support/failure.js'
import { HOUR, leaseFrom, resignedLease, subject } from '../support/leases.js'
import { resigned } from '../support/messages.js'
import { key } from '../support/sdk.js'
import { keyText, messageFrom, policyOf, trustOf } from '../support/trust.js'

const SERIAL = '00112233445566778899aabbccddeeff'
const IN_TIME = '2026-11-20T10:30:00Z'

/** Returns a message of the leases' subject, signed at half past ten by default. */
async function leasedAt(timestamp = IN_TIME, options: Partial<SdkOptions> = {}): Promise<Uint8Array> {
  const given = await messageFrom({ ...options, signingKey: subject.signingKey })
  return resigned(given, ({ content }) => Object.assign(content, { timestamp }), subject.signingKey)
}

/** Returns the name of the signer, or the code of the refusal. */
async function told(
  message: Uint8Array,
  leases: readonly Uint8Array[],
  keyring: Trust,
  more: Partial<VerifyOptions> = {},
): Promise<string | undefined> {
  return verifyMessage(message, { keyring, leases, ...more }).then(
    ({ signedBy }) => signedBy?.name,
    ({ code }) => code,
  )
}

describe('a bundle of a leased key', () => {
  it('belongs to the issuer of its lease, and names the lease', async () => {
    const lease = await leaseFrom({ name: 'edge-7', serial: SERIAL })
    const { signer, signedBy } = await verifyMessage(await leasedAt(), {
      keyring: await trustOf(),
      leases: [lease],
      receivedAt: HOUR.from,
    })
    expect(signer).toBe(subject.keyId)
    expect(signedBy).toEqual({
      id: key.keyId,
      name: 'gateway-1',
      time: 'received',
      lease: {
        serial: SERIAL,
        name: 'edge-7',
        from: '2026-11-20T10:00:00.000Z',
        until: '2026-11-20T11:00:00.000Z',
      },
    })
  })

  it('has no known signer without its lease, or with another lease', async () => {
    const [message, trust] = [await leasedAt(), await trustOf()]
    const other = await leaseFrom({ subject: generateKey().signingKey })
    expect(await told(message, [await leaseFrom()], trust)).toBe('gateway-1')
    expect(await told(message, [], trust)).toBe('SIGNER_UNKNOWN')
    expect(await told(message, [other], trust)).toBe('SIGNER_UNKNOWN')
    expect(await codeOf(() => verifyMessage(message, { keyring: trust }))).toBe('SIGNER_UNKNOWN')
  })

  it('has the same verdict in every form: alone, with others, batched, extracted, in CBOR and with its payload', async () => {
    const [trust, payload] = [await trustOf(), utf8('hello alvarium')]
    for (const [rules, expected] of [
      [{ kinds: ['src'] }, 'gateway-1'],
      [{ kinds: ['tls'] }, 'SIGNER_NOT_ALLOWED'],
    ] as const) {
      const options = { keyring: trust, leases: [await leaseFrom({ ...HOUR_FROM_NOW(), ...rules })] }
      const alone = await messageFrom({ signingKey: subject.signingKey })
      const batch = await messageFrom({ signingKey: subject.signingKey, batch: {} })
      const ways = [
        async () => [await verifyMessage(alone, options)],
        async () => [await verifyMessage(alone, { ...options, payload })],
        async () => [await verifyMessage(cbor().encode(alone), { ...options, codec: cbor() })],
        async () => [await verifyMessage(extractBundle(batch, 0), options)],
        () => verifyBatch(batch, options),
        async () => bundlesIn((await verifyMessages([alone, batch], options))[0]),
        async () => bundlesIn((await verifyMessages([alone, batch], options))[1]),
      ]
      for (const way of ways) {
        const verdict = await way().then(
          ([bundle]) => bundle?.signedBy?.name,
          ({ code }) => code,
        )
        expect(verdict).toBe(expected)
      }
      expect(await told(alone, options.leases, trust, { payload: utf8('another') })).toBe('PAYLOAD_MISMATCH')
    }
  })

  it('is verified correctly among many bundles', async () => {
    const messages = [
      await messageFrom(),
      await leasedAt(),
      utf8('no message'),
      await leasedAt('2026-11-20T12:00:00Z'),
    ]
    const strange = await messageFrom({ signingKey: generateKey().signingKey })
    const verified = await verifyMessages([...messages, strange], {
      keyring: await trustOf(),
      leases: [await leaseFrom()],
    })
    const said = verified.map((one) =>
      one.status === 'fulfilled' ? one.value[0]?.signedBy?.lease?.serial.length : one.reason.code,
    )
    expect(said).toEqual([undefined, 32, 'MESSAGE_MALFORMED', 'SIGNER_EXPIRED', 'SIGNER_UNKNOWN'])
  })

  it('is verified with the key that its lease names', async () => {
    const other = generateKey()
    const message = resigned(
      await messageFrom(),
      ({ content }) => Object.assign(content, { signer: subject.keyId, timestamp: IN_TIME }),
      other.signingKey,
    )
    expect(await told(message, [await leaseFrom()], await trustOf())).toBe('SIGNATURE_INVALID')
  })

  it.each(['P-256', 'secp256k1', 'SM2'] as const)(
    'verifies if the leased key and the key of the issuer are of %s',
    async (algorithm) => {
      const [own, issuer] = [await generateKey({ algorithm }), await generateKey({ algorithm })]
      const keys = [`-----BEGIN PUBLIC KEY-----\n${base64(issuer.verifyingKey)}\n-----END PUBLIC KEY-----`]
      const lease = await issueLease(issuer.signingKey, { subject: own.signingKey })
      expect(readLease(lease)).toMatchObject({ issuer: issuer.keyId, keyId: own.keyId })
      const message = await messageFrom({ signingKey: own.signingKey })
      expect(await told(message, [lease], await trustOf({ keys }))).toBe('gateway-1')
    },
  )
})

// claim: trust-14, threats-83
describe('a lease under the limits of its issuer', () => {
  it.each<[string, Partial<PolicySigner>, Parameters<typeof leaseFrom>[0], string]>([
    ['its issuer may', { hosts: ['edge-8'] }, { hosts: ['*'] }, 'SIGNER_NOT_ALLOWED'],
    ['its issuer may, where it has no list itself', { hosts: ['edge-8'] }, {}, 'SIGNER_NOT_ALLOWED'],
    ['its own list allows', { hosts: ['*'] }, { hosts: ['edge-8'] }, 'SIGNER_NOT_ALLOWED'],
    ['its own empty list allows', {}, { tags: [] }, 'SIGNER_NOT_ALLOWED'],
    [
      'both lists allow',
      { hosts: ['edge-*'] },
      { hosts: ['*-7'], layers: ['app'], actions: ['create'], tags: ['v1'] },
      'gateway-1',
    ],
    [
      'the time of its issuer allows, which has ended',
      { until: '2026-11-20T10:29:59Z' },
      {},
      'SIGNER_EXPIRED',
    ],
    [
      'the time of its issuer allows, which has not begun',
      { from: '2026-11-20T10:30:01Z' },
      {},
      'SIGNER_EXPIRED',
    ],
    ['a day', {}, { ttlMs: 86_400_000 }, 'gateway-1'],
    ['a day, not even by a millisecond', {}, { ttlMs: 86_400_001 }, 'SIGNER_NOT_ALLOWED'],
    ['the policy allows its issuer', { maxLeaseMs: 3_600_000 }, {}, 'gateway-1'],
    ['the policy allows', { maxLeaseMs: 3_599_999 }, {}, 'SIGNER_NOT_ALLOWED'],
    ['a policy without leases allows', { maxLeaseMs: 0 }, {}, 'SIGNER_NOT_ALLOWED'],
  ])('permits no more than %s', async (_, rules, options, expected) => {
    expect(await told(await leasedAt(), [await leaseFrom(options)], await trustOf(rules))).toBe(expected)
  })

  // claim: trust-13
  it('may last as long as the limit of its issuer, or else of the whole policy', async () => {
    const { signers } = policyOf()
    const all = await readTrust({ signers, maxLeaseMs: 0 })
    const own = await readTrust({
      signers: [{ ...policyOf().signers[0], maxLeaseMs: 3_600_000 } as PolicySigner],
      maxLeaseMs: 0,
    })
    const [message, lease] = [await leasedAt(), await leaseFrom()]
    expect(await told(message, [lease], all)).toBe('SIGNER_NOT_ALLOWED')
    expect(await told(message, [lease], own)).toBe('gateway-1')
    const error = await failure(() => verifyMessage(message, { keyring: all, leases: [lease] }))
    expect(error.message).toBe('lease: gateway-1 may issue no leases, got a lease of 3600000 ms')
  })

  it('permits signatures within its time, with both ends included', async () => {
    const [trust, lease] = [await trustOf(), await leaseFrom()]
    const verdictAt = async (timestamp: string, at?: number) =>
      told(await leasedAt(timestamp), [lease], trust, { receivedAt: at })
    expect(await verdictAt('2026-11-20T10:00:00Z')).toBe('gateway-1')
    expect(await verdictAt('2026-11-20T11:00:00Z')).toBe('gateway-1')
    expect(await verdictAt('2026-11-20T09:59:59.999999999Z')).toBe('SIGNER_EXPIRED')
    expect(await verdictAt('2026-11-20T11:00:00.000000001Z')).toBe('SIGNER_EXPIRED')
    // A message signed in time may arrive a minute later, because the policy allows that for its issuer.
    const end = HOUR.from + HOUR.ttlMs
    expect(await verdictAt(IN_TIME, end + 60_000)).toBe('gateway-1')
    expect(await verdictAt(IN_TIME, end + 60_001)).toBe('SIGNER_EXPIRED')
    const late = await trustOf({ acceptLateMs: 3 * 3_600_000 })
    expect(await told(await leasedAt(), [lease], late, { receivedAt: end + 3 * 3_600_000 })).toBe('gateway-1')
  })
})

describe('a revoked lease', () => {
  const revoked = { since: '2026-11-20T10:45:00Z', why: 'the gateway was opened' }
  const at = Date.parse(revoked.since)

  // claim: trust-17
  it('is recognized by its serial, and still valid for messages received before the revocation', async () => {
    const trust = await trustOf({ revokedLeases: [{ serial: SERIAL, ...revoked }] })
    const [message, lease] = [await leasedAt(), await leaseFrom({ serial: SERIAL })]
    expect(await told(message, [lease], trust, { receivedAt: at - 1 })).toBe('gateway-1')
    expect(await told(message, [lease], trust, { receivedAt: at })).toBe('SIGNER_REVOKED')
    expect(await told(message, [lease], trust)).toBe('SIGNER_REVOKED')
    expect(await told(message, [await leaseFrom()], trust)).toBe('gateway-1')
    const error = await failure(() => verifyMessage(message, { keyring: trust, leases: [lease] }))
    expect(error.message).toContain(`when gateway-1, lease ${SERIAL}, was revoked (the gateway was opened)`)
  })

  it('causes the same error as a lease whose issuer, or issuer’s signing key, was revoked', async () => {
    const [message, lease] = [await leasedAt(), await leaseFrom()]
    expect(await told(message, [lease], await trustOf({ revoked }))).toBe('SIGNER_REVOKED')
    expect(await told(message, [lease], await trustOf({ keys: [{ key: keyText, revoked }] }))).toBe(
      'SIGNER_REVOKED',
    )
    const trust = await trustOf()
    expect(await told(message, [lease], trust)).toBe('gateway-1')
    await trust.update(policyOf({ revoked }))
    expect(await told(message, [lease], trust)).toBe('SIGNER_REVOKED')
  })
})

describe('a lease under a trust policy', () => {
  const refused = async (lease: Uint8Array, trust?: Trust) => {
    const error = await failure(async () =>
      verifyMessage(await leasedAt(), { keyring: trust ?? (await trustOf()), leases: [lease] }),
    )
    expect(error.code).toBe('SIGNER_UNKNOWN')
    return error.message.split('; ')[1]
  }

  it('is invalid if the policy does not have its issuer', async () => {
    const stranger = generateKey()
    const lease = await issueLease(stranger.signingKey, { subject: subject.signingKey, ...HOUR })
    expect(await refused(lease)).toBe(
      `leases[0]: signer: expected one in the policy of 1 key, got ${stranger.keyId}`,
    )
  })

  // claim: trust-19
  it('is invalid if its issuer is a leased key', async () => {
    const between = generateKey()
    const first = await leaseFrom({ subject: between.signingKey })
    const second = await issueLease(between.signingKey, { subject: subject.signingKey, ...HOUR })
    expect(await told(await leasedAt(), [first, second], await trustOf())).toBe('SIGNER_UNKNOWN')
  })

  // claim: trust-21
  it('is invalid if another key signed it in place of its issuer or its subject', async () => {
    const stranger = generateKey().signingKey
    const forged = (signers: Parameters<typeof resignedLease>[2]) =>
      leaseFrom().then((lease) => resignedLease(lease, () => undefined, signers))
    expect(await refused(await forged([stranger, subject.signingKey]))).toContain(
      `expected one by ${key.keyId}`,
    )
    expect(await refused(await forged([key.signingKey, stranger]))).toContain(
      `expected one by ${subject.keyId}`,
    )
    expect(await refused(await forged([subject.signingKey, key.signingKey]))).toContain('does not verify')
    expect(await told(await leasedAt(), [await forged(undefined)], await trustOf())).toBe('gateway-1')
  })

  it.each<[string, (content: Record<string, unknown>) => void]>([
    ['its issuer', (content) => Object.assign(content, { issuer: '0'.repeat(32) })],
    ['its name', (content) => Object.assign(content, { name: 'edge-8' })],
    ['its serial', (content) => Object.assign(content, { serial: SERIAL })],
    ['its beginning', (content) => Object.assign(content, { from: '2026-11-20T09:00:00Z' })],
    ['its end', (content) => Object.assign(content, { until: '2026-11-20T12:00:00Z' })],
    ['the spelling of its end', (content) => Object.assign(content, { until: '2026-11-20T11:00:00.0Z' })],
    ['the length of a list', (content) => (content['kinds'] as string[]).push('tls')],
    ['the presence of a list', (content) => delete content['kinds']],
    [
      'the name of a list',
      (content) => {
        content['tags'] = content['kinds']
        delete content['kinds']
      },
    ],
    [
      'the boundary between its texts',
      (content) => {
        content['kinds'] = ['srcb']
      },
    ],
  ])('is invalid if %s is altered', async (_, alter) => {
    const lease = JSON.parse(new TextDecoder().decode(await leaseFrom({ kinds: ['src', 'b'] })))
    alter(lease.content)
    expect(await refused(utf8(JSON.stringify(lease)))).toMatch(
      /does not verify|expected one in the policy of/,
    )
  })

  // claim: trust-20
  it('does not apply to a key that the policy names: that key keeps the rules of its own signer', async () => {
    const other = generateKey()
    const signers = [
      { name: 'gateway-1', keys: [keyText] },
      { name: 'gateway-2', keys: [toHex(other.verifyingKey)], hosts: ['edge-8'] },
      { name: 'gone', keys: [toHex(subject.verifyingKey)], revoked: { since: '2026-01-01T00:00:00Z' } },
    ]
    const trust = await readTrust({ signers })
    const lease = await leaseFrom({ subject: other.signingKey })
    const theirs = await messageFrom({ signingKey: other.signingKey })
    expect(await told(theirs, [lease], trust)).toBe('SIGNER_NOT_ALLOWED')
    expect(await told(await leasedAt(), [await leaseFrom()], trust)).toBe('SIGNER_REVOKED')
  })

  // claim: trust-18
  it('is valid even if invalid leases are given before it', async () => {
    const [trust, good] = [await trustOf(), await leaseFrom()]
    const bad = [utf8('{'), new Uint8Array(), await messageFrom(), new Uint8Array(70_000)]
    expect(await told(await leasedAt(), [...bad, good], trust)).toBe('gateway-1')
    const early = await leaseFrom({ from: HOUR.from - 86_400_000 })
    expect(await told(await leasedAt(), [early, good], trust)).toBe('gateway-1')
    expect(await told(await leasedAt(), [early], trust)).toBe('SIGNER_EXPIRED')
  })
})

describe('the leases given to a call', () => {
  it('are not accepted as bundles, nor bundles as leases', async () => {
    const [lease, message, trust] = [await leaseFrom(), await messageFrom(), await trustOf()]
    expect(await codeOf(() => verifyMessage(lease, { keyring: trust }))).toBe('MESSAGE_MALFORMED')
    expect(await codeOf(() => verifyBatch(lease, { keyring: trust, leases: [lease] }))).toBe(
      'MESSAGE_MALFORMED',
    )
    expect(await codeOf(() => readLease(message))).toBe('MESSAGE_MALFORMED')
  })

  // claim: trust-15
  it('need a trust policy, which names who may issue leases', async () => {
    const leases = [await leaseFrom()]
    for (const verify of [verifyMessage, verifyBatch]) {
      const error = await failure(async () =>
        verify(await leasedAt(), { keyring: [key.verifyingKey], leases }),
      )
      expect(error.code).toBe('CONFIG_INVALID')
      expect(error.message).toContain(
        'leases: needs a trust policy in place of keys: the policy says who may issue leases',
      )
    }
    const options = { keyring: [key.verifyingKey], leases }
    expect(await codeOf(() => verifyMessages([], options))).toBe('CONFIG_INVALID')
    const classicMessage = await messageFrom({
      codec: classic({ signingKey: key.signingKey, dialect: 'go' }),
    })
    expect(await codeOf(() => verifyClassic(classicMessage, options))).toBe('CONFIG_INVALID')
  })

  // claim: threats-87
  it('are Uint8Arrays, at most 1,024 leases of at most 1 MiB in total', async () => {
    const [message, keyring, lease] = [await leasedAt(), await trustOf(), await leaseFrom()]
    const verify = (leases: unknown) => verifyMessage(message, { keyring, leases: leases as Uint8Array[] })
    expect((await typeError(() => verify(lease))).message).toBe('leases: expected a Uint8Array, got a number')
    expect((await typeError(() => verify(['{']))).message).toBe('leases: expected a Uint8Array, got a string')
    expect(await codeOf(() => verify(Array(1025).fill(lease)))).toBe('CONFIG_INVALID')
    const most = [...Array<Uint8Array>(1023).fill(new Uint8Array()), lease]
    const long = Array<Uint8Array>(16).fill(new Uint8Array(65_536))
    expect(await codeOf(() => verify([...long, lease]))).toBe('CONFIG_INVALID')
    expect(await codeOf(() => verify(long))).toBe('SIGNER_UNKNOWN')
    expect((await verify(most)).signedBy?.name).toBe('gateway-1')
  })

  it('may be overwritten after the call has begun', async () => {
    const lease = (await leaseFrom()).slice()
    const verified = verifyMessage(await leasedAt(), { keyring: await trustOf(), leases: [lease] })
    lease.fill(0)
    expect((await verified).signedBy?.name).toBe('gateway-1')
  })

  it('are no longer valid after the policy is replaced by one without their issuer', async () => {
    const [trust, lease, message] = [await trustOf(), await leaseFrom(), await leasedAt()]
    expect(await told(message, [lease], trust)).toBe('gateway-1')
    await trust.update({ signers: [{ name: 'another', keys: [toHex(generateKey().verifyingKey)] }] })
    expect(await told(message, [lease], trust)).toBe('SIGNER_UNKNOWN')
    await trust.close()
    expect(await told(message, [lease], await trustOf())).toBe('gateway-1')
  })

  it('are read again after they were dropped from the cache, which holds 16 sets of leases', async () => {
    const [trust, lease, message] = [await trustOf(), await leaseFrom(), await leasedAt()]
    for (let count = 0; count < 20; count++) {
      const other = utf8(`no lease ${count}`)
      expect(await told(message, [other, lease], trust)).toBe('gateway-1')
    }
    expect(await told(message, [utf8('no lease 0'), lease], trust)).toBe('gateway-1')
  })
})

function bundlesIn(one: Verification | undefined): VerifiedBundle[] {
  if (one?.status === 'fulfilled') return one.value
  throw one?.reason
}

const HOUR_FROM_NOW = () => ({ from: Date.now() - 1000 })
const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))
