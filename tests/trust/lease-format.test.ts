import { generateKey, type Signer, signBytes, toHex, verifyMessage } from 'alvarium-sdk'
import { issueLease, type Lease, readLease, readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it, vi } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { failure, typeError } from '../support/failure.js'
import { identityOf, leaseFrom, resignedLease, subject } from '../support/leases.js'
import { replaced } from '../support/messages.js'
import { key } from '../support/sdk.js'
import { goldenLeases } from '../support/vectors.js'

const { seed, publicKey, subjectSeed, subjectId, leased, cases } = goldenLeases()

describe('the golden leases', () => {
  it('are read as FORMAT.md describes them, and equal the output of issueLease', async () => {
    for (const { lease, message } of cases) {
      expect(readLease(utf8(message))).toEqual({ ...lease, keyId: subjectId })
      const { issuer: _, subject: __, from, until, ...said } = lease
      const times = { from: Date.parse(from), ttlMs: Date.parse(until) - Date.parse(from) }
      if (Number.isNaN(times.ttlMs) || from.length !== 20) continue
      const own = await issueLease({ seed }, { subject: { seed: subjectSeed }, ...times, ...said })
      expect(Object.entries(readLease(own))).toEqual(
        Object.entries({
          ...lease,
          from: from.replace('Z', '.000Z'),
          until: until.replace('Z', '.000Z'),
          keyId: subjectId,
        }),
      )
    }
  })

  it('have the signed bytes that FORMAT.md describes', () => {
    for (const { lease, identity } of cases) expect(toHex(identityOf(lease as Lease))).toBe(identity)
  })

  it('are sufficient to verify a bundle that a leased key signed', async () => {
    const trust = await readTrust({ signers: [{ name: 'gateway-1', keys: [publicKey] }] })
    const [first, , third] = cases.map(({ message }) => utf8(message))
    const options = { keyring: trust, leases: [third, first] as Uint8Array[] }
    const { signedBy } = await verifyMessage(utf8(leased), options)
    expect(signedBy?.lease?.name).toBe('edge-7')
  })
})

// claim: format-39, threats-84
describe('a lease in JSON', () => {
  const golden = utf8(cases[2]?.message ?? '')

  it.each<[string, string | RegExp, string]>([
    ['white space', '{"messageType"', '{ "messageType"'],
    ['a line end', /\}\}$/, '}}\n'],
    ['a byte order mark', /^\{/, '\ufeff{'],
    ['a member twice', '"name":', '"name":"","name":'],
    [
      'a member twice, the last one altered',
      '"layers":["app","os"]',
      '"layers":["app","os"],"layers":["app"]',
    ],
    ['an unnecessary escape', '"app"', '"\\u0061pp"'],
    ['an escape of a character that is never escaped', '\u007f', '\\u007f'],
    ['members in another order', /"hosts":\[\],"layers":\["app","os"\]/, '"layers":["app","os"],"hosts":[]'],
    ['the envelope in another order', /^.*$/s, envelopeTurned(cases[2]?.message ?? '')],
    ['an unknown member', '"tags":', '"more":1,"tags":'],
    ['__proto__', '"tags":', '"__proto__":{},"tags":'],
    ['a member next to content', /\}\}$/, '},"action":"create"}'],
    ['null for a list', '"hosts":[]', '"hosts":null'],
    ['a number for a name', /"name":.*,"serial"/s, '"name":1,"serial"'],
    ['another message type', 'alvarium.Lease/1', 'alvarium.Lease/2'],
    ['the type of a bundle', 'alvarium.Lease/1', 'alvarium.AnnotationBundle/1'],
    ['a lone surrogate', '"tags":[""]', '"tags":["\\ud800"]'],
    ['digits in upper case', /"serial":"0/, '"serial":"A'],
    ['a serial that is too short', /"serial":"0/, '"serial":"'],
    ['a short signature', /"signature":"../, '"signature":"'],
    ['an unknown layer', '"app"', '"App"'],
    ['a pattern that ends in a backslash', '"tags":[""]', '"tags":["\\\\"]'],
    ['an end before its beginning', '"until":"2026-11-20T11', '"until":"2026-11-20T09'],
    ['a time without offset', '"from":"2026-11-20T10:00:00Z"', '"from":"2026-11-20T10:00:00"'],
    ['a subject that is its issuer', /"subject":"[0-9a-f]*"/, `"subject":"${publicKey}"`],
    ['a subject that is no point', /"subject":"[0-9a-f]*"/, `"subject":"${'f'.repeat(64)}"`],
    ['a subject of small order', /"subject":"[0-9a-f]*"/, `"subject":"01${'0'.repeat(62)}"`],
    ['a subject of another length', /"subject":"[0-9a-f]*"/, `"subject":"${'0'.repeat(88)}"`],
  ])('is refused with %s', async (_, search, by) => {
    const error = await failure(() => readLease(replaced(golden, search, by)))
    expect(error.code).toBe('MESSAGE_MALFORMED')
    expect(error.message).toMatch(/^lease/)
  })

  it.each(['P-256', 'secp256k1', 'SM2'] as const)(
    'is malformed if its subject is not an uncompressed point on the curve of %s',
    async (algorithm) => {
      const own = await generateKey({ algorithm })
      const lease = await leaseFrom({ subject: own.signingKey })
      const { subject } = readLease(lease)
      expect(subject).toBe(toHex(own.verifyingKey))
      for (const other of [
        subject.replace(/^../, '31'),
        subject.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
        subject.slice(0, -64),
      ]) {
        expect((await failure(() => readLease(replaced(lease, subject, other)))).code).toBe(
          'MESSAGE_MALFORMED',
        )
      }
    },
  )

  it('is refused just beyond each limit, and accepted at the limit', async () => {
    const within = (alter: Parameters<typeof resignedLease>[1]) =>
      leaseFrom().then((lease) => resignedLease(lease, alter))
    const set = (name: string, value: unknown) =>
      within(({ content }) => Object.assign(content, { [name]: value }))
    expect(readLease(await set('name', 'é'.repeat(127)))).toBeTruthy()
    expect(readLease(await set('kinds', Array(256).fill('x'.repeat(100))))).toBeTruthy()
    expect(readLease(await set('tags', ['é'.repeat(512)]))).toBeTruthy()
    for (const beyond of [
      await set('name', 'é'.repeat(128)),
      await set('kinds', Array(257).fill('')),
      await set('tags', [`${'é'.repeat(512)}x`]),
      await set('tags', Array(64).fill('x'.repeat(1024))),
    ]) {
      expect((await failure(() => readLease(beyond))).code).toBe('MESSAGE_MALFORMED')
    }
  })

  it('is refused if it contains control characters, and the error omits them', async () => {
    const odd = '\u001b[2J\u009b31m\u202e\r\n'
    for (const alter of [
      (message: Record<string, unknown>) => Object.assign(message, { [`${odd}verified`]: 1 }),
      (message: Record<string, unknown>) => Object.assign(message, { messageType: odd }),
    ]) {
      const lease = utf8(JSON.stringify(alter(JSON.parse(textOf(await leaseFrom())))))
      expect((await failure(() => readLease(lease))).message).toMatch(/^[ -~\ufffd]+$/)
    }
  })

  it.each([
    utf8(''),
    utf8('[]'),
    utf8('null'),
    utf8('{'),
    utf8('['.repeat(65_000)),
    Uint8Array.of(0x22, 0xff, 0x22),
  ])('is refused as MESSAGE_MALFORMED if its bytes are not a JSON object: case %#', async (bytes) => {
    expect((await failure(() => readLease(bytes))).code).toBe('MESSAGE_MALFORMED')
  })

  it('causes an error with one prefix "lease:", not two, if it is not JSON', async () => {
    const { message } = await failure(() => readLease(utf8('{')))
    expect(message).toMatch(/^lease: expected a value that can be read, got: (?!lease)/)
  })

  it('is refused with a TypeError if it is a string instead of bytes', async () => {
    expect((await typeError(() => readLease(textOf(golden) as unknown as Uint8Array))).message).toContain(
      'lease:',
    )
  })
})

describe('issueLease', () => {
  it('issues a lease of an hour from now, with a random serial, for everything that the issuer may state', async () => {
    const before = Date.now()
    const [one, other] = [await leaseFrom({ from: undefined, ttlMs: undefined }), await leaseFrom()].map(
      readLease,
    )
    const from = Date.parse(one?.from ?? '')
    expect(from).toBeGreaterThanOrEqual(before)
    expect(from).toBeLessThanOrEqual(Date.now())
    expect(Date.parse(one?.until ?? '') - from).toBe(3_600_000)
    expect(one?.serial).not.toBe(other?.serial)
    expect(Object.keys(one ?? {})).toEqual(['issuer', 'subject', 'name', 'serial', 'from', 'until', 'keyId'])
  })

  it('accepts a Signer or keys of WebCrypto for the issuer, and a Signer for the subject', async () => {
    const asked: Uint8Array[] = []
    const signer = (own: typeof key): Signer => ({
      verifyingKey: toHex(own.verifyingKey),
      sign: async (identity) => {
        asked.push(identity.slice())
        return signBytes(own.signingKey, identity)
      },
    })
    const lease = readLease(await issueLease(signer(key), { subject: signer(subject) }))
    expect(lease).toMatchObject({ issuer: key.keyId, keyId: subject.keyId })
    expect(asked.map(toHex)).toEqual([toHex(identityOf(lease)), toHex(identityOf(lease))])
    const pair = (await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, [
      'sign',
      'verify',
    ])) as CryptoKeyPair
    const given = readLease(await issueLease(pair, { subject: subject.signingKey }))
    expect(given.keyId).toBe(subject.keyId)
    expect(given.issuer).not.toBe(lease.issuer)
  })

  it('rejects texts that make the lease longer than readers accept, and calls no signer', async () => {
    const sign = vi.fn(() => new Uint8Array(64))
    const texts = Array.from({ length: 256 }, (_, at) => `${at}`.padEnd(1_024, 'x'))
    const { code, message } = await failure(() =>
      issueLease({ verifyingKey: key.verifyingKey, sign }, { subject: subject.signingKey, tags: texts }),
    )
    expect([code, message]).toEqual([
      'CONFIG_INVALID',
      expect.stringMatching(/^lease: expected at most 65536 bytes, got \d+$/),
    ])
    expect(sign).not.toHaveBeenCalled()
  })

  it('rejects when a signer fails, and returns no lease', async () => {
    const away: Signer = {
      verifyingKey: key.verifyingKey,
      sign: () => Promise.reject(new Error('the HSM is away')),
    }
    const error = await failure(() => issueLease(away, { subject: subject.signingKey }))
    expect(error.code).toBe('SIGNER_FAILED')
    expect(error.message).toContain('the HSM is away')
    const wrong: Signer = { ...away, sign: () => new Uint8Array(64) }
    expect((await failure(() => issueLease(key.signingKey, { subject: wrong }))).code).toBe('CONFIG_INVALID')
    const own = { verifyingKey: subject.verifyingKey, sign: () => new Uint8Array(64) }
    expect((await failure(() => issueLease(key.signingKey, { subject: own }))).code).toBe('SIGNER_FAILED')
  })

  it.each<[string, Record<string, unknown>]>([
    ['issueLease.ttl', { ttl: 5 }],
    ['issueLease.ttlMs', { ttlMs: 0 }],
    ['lease.name', { name: 'é'.repeat(128) }],
    ['lease.serial', { serial: 'A'.repeat(32) }],
    ['lease.kinds', { kinds: 'src' }],
    ['lease.kinds.0', { kinds: ['\\'] }],
    ['lease.layers.0', { layers: ['App'] }],
    ['lease.until', { from: new Date('9999-12-31T23:59:00Z') }],
    ['lease.subject', { subject: key.signingKey }],
  ])('refuses a fault in %s before any signer is called', async (path, options) => {
    const error = await failure(() => leaseFrom(options))
    expect(error.code).toBe('CONFIG_INVALID')
    expect(error.message).toMatch(new RegExp(`^${path.replaceAll('.', '\\.')}: `))
  })

  it('refuses an invalid time', async () => {
    expect((await typeError(() => leaseFrom({ from: Number.NaN }))).message).toBe(
      'from: expected a Date or milliseconds, got a number',
    )
  })
})

/** Returns the message with `content` before `messageType`. */
function envelopeTurned(message: string): string {
  const { messageType, content } = JSON.parse(message)
  return JSON.stringify({ content, messageType })
}
