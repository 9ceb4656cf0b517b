// @slow: it runs other verifiers; vectors.test.ts shows that format and verifier agree

import {
  generateKey,
  identityBytes,
  signBytes,
  toHex,
  type Verification,
  verifyBatch,
  verifyMessages,
} from 'alvarium-sdk'
import { verifyCheckpoint } from 'alvarium-sdk/completeness'
import { readLease, readTrust } from 'alvarium-sdk/trust'
import { expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { bundleBy, checkpointBy, leaseBy, stateOf } from '../support/by-hand.js'
import { utf8 } from '../support/bytes.js'
import { resignedLease } from '../support/leases.js'
import { goldenLeaseLogs, goldenLeases } from '../support/vectors.js'
import { type Asked, verdictsOf } from './python.js'

const { seed, publicKey, subjectSeed, leased, cases } = goldenLeases()
const signers = [{ seed }, { seed: subjectSeed }] as const
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

const NEAR = [
  '2026-11-20T10:00:00.123456Z',
  '2026-11-20T10:00:00.123455999Z',
  '2026-11-20T10:00:00.123456001Z',
  '2026-11-20T10:01:00+00:01',
  '2026-11-20T09:59:60Z',
  '2026-11-20T10:00:60-00:00',
]
const TIMES = [
  ...NEAR,
  '0000-01-01T00:00:00+23:59',
  '0000-02-29T00:00:00Z',
  '9999-12-31T23:59:60-23:59',
  '2026-11-20T10:00:00',
]
const HOSTS = [
  ['edge-7'],
  ['edge-*'],
  ['*'],
  ['\\*'],
  ['Edge-7'],
  [],
  ['e*7', ''],
  ['**7'],
  ['edge-7*'],
  ['*edge-7-*'],
  ...[8, 9].map((stars) => [`edge${'*'.repeat(stars)}`]),
  ...[8, 9].map((searches) => [...Array<string>(searches).fill('e*7'), 'edge-*', '*7', '*']),
]
const KINDS = [['src'], ['tls', 's*c'], ['.rc'], ['s\\\\rc'], []]

const LOG = { run: '0'.repeat(32), size: 1, root: 'e'.repeat(64) }
const LOGS = [
  ...[LOG, LOG, { ...LOG, size: 2 ** 53 - 1 }, { ...LOG, size: 2 ** 32 + 1 }],
  ...[
    { ...LOG, size: 0 },
    { ...LOG, size: 2 ** 53 },
    { ...LOG, size: 1.5 },
    { ...LOG, size: '1' },
  ],
  ...[{ ...LOG, root: 'E'.repeat(64) }, { size: 1, run: LOG.run, root: LOG.root }, { ...LOG, more: 1 }, null],
]

/** Returns the golden leases, altered member by member, and signed again. */
function* alteredLeases(random: Random, count: number, times: readonly string[]): Generator<Uint8Array> {
  for (let made = 0; made < count; made++) {
    const { message } = random.pick(cases)
    yield resignedLease(
      utf8(message),
      ({ content }) => {
        const some = {
          from: random.pick(times),
          until: random.pick(times),
          hosts: random.pick(HOSTS),
          kinds: random.pick(KINDS),
        }
        for (const [name, value] of Object.entries(some)) if (random.below(2) === 0) content[name] = value
        if (random.below(3) === 0) delete content['layers']
        if (random.below(3) === 0) delete content['actions']
        // Put the members in their order, because another order is another spelling.
        content['log'] = random.pick([undefined, undefined, ...LOGS])
        const lists = ['hosts', 'layers', 'actions', 'kinds', 'tags', 'log'].map(
          (name) => [name, content[name]] as const,
        )
        for (const [name, value] of lists) {
          delete content[name]
          if (value !== undefined) content[name] = value
        }
      },
      random.below(8) === 0 ? [signers[1], signers[0]] : signers,
    )
  }
}

it('a Python implementation written from FORMAT.md alone reads the same leases as the SDK', async () => {
  const random = new Random(3)
  const leases = [...cases.map(({ message }) => utf8(message)), ...alteredLeases(random, 80, TIMES)]
  const damaged = leases.map((lease) => {
    const copy = lease.slice()
    const at = random.below(copy.length)
    copy[at] = (copy[at] as number) ^ (1 << random.below(8))
    return copy
  })
  const all = [...leases, ...damaged]
  const theirs = await verdictsOf(
    all.map((lease) => ({ lease: base64(lease) })),
    [publicKey],
  )
  for (const [at, lease] of all.entries()) {
    const said = theirs[at] as { readonly lease?: Record<string, unknown>; readonly code?: string }
    const { signature: _, subjectSignature: __, ...members } = said.lease ?? {}
    expect(said.code ?? members, Buffer.from(lease).toString()).toEqual(ours(lease))
  }
})

function ours(lease: Uint8Array): unknown {
  try {
    const { keyId: _, ...members } = readLease(lease)
    return members
  } catch (error) {
    return (error as { code: unknown }).code
  }
}

it('a Python implementation and the SDK agree on bundles under leases', async () => {
  const random = new Random(4)
  const trust = await readTrust({
    signers: [{ name: 'issuer', keys: [publicKey], maxLeaseMs: 3_155_760_000_000 }],
  })
  const counts: Record<string, number> = {}
  const asked = [...alteredLeases(random, 120, NEAR)].map((lease) => {
    const message = utf8(bundleAt(random.pick(NEAR)))
    const leases = random.below(4) === 0 ? [random.pick(cases).message, ''].map(utf8) : []
    return { message, leases: [...leases, lease] }
  })
  const questions = asked.map(({ message, leases }) => ({
    message: base64(message),
    cbor: false,
    leases: leases.map(base64),
  }))
  const theirs = await verdictsOf(questions, [publicKey])
  for (const [at, { message, leases }] of asked.entries()) {
    const said = theirs[at] as { readonly bundles?: { by: string }[]; readonly code?: string }
    const verdict = await verifyBatch(message, { keyring: trust, leases }).then(
      ([bundle]) => bundle?.signedBy?.lease?.serial,
      ({ code }) => code,
    )
    expect(
      said.code ?? said.bundles?.[0]?.by,
      `${leases.map((one) => Buffer.from(one))} ${Buffer.from(message)}`,
    ).toBe(verdict)
    const word = /^[A-Z_]+$/.test(verdict) ? verdict : 'verified'
    counts[word] = (counts[word] ?? 0) + 1
  }
  expect(Object.keys(counts).sort()).toEqual([
    'SIGNER_EXPIRED',
    'SIGNER_NOT_ALLOWED',
    'SIGNER_UNKNOWN',
    'verified',
  ])
})

it('a Python implementation and the SDK accept the same four of many simultaneous leases', async () => {
  const random = new Random(6)
  const trust = await readTrust({
    signers: [{ name: 'issuer', keys: [publicKey], maxLeaseMs: 3_155_760_000_000 }],
  })
  const leaseOf = (serial: number) =>
    resignedLease(
      utf8(random.pick(cases).message),
      ({ content }) => {
        const ends = { from: random.pick(NEAR), until: '2026-11-21T10:00:00Z' }
        Object.assign(content, ends, { serial: serial.toString(16).padStart(32, '0') })
        for (const name of ['hosts', 'layers', 'actions', 'kinds', 'tags', 'log']) delete content[name]
        if (random.below(4) > 0) content['hosts'] = ['another']
      },
      signers,
    )
  const asked = Array.from({ length: 60 }, () => {
    const serials = random.shuffled(Array.from({ length: 1 + random.below(9) }, (_, at) => at))
    return { message: utf8(bundleAt('2026-11-20T11:00:00Z')), leases: serials.map(leaseOf) }
  })
  const questions = asked.map(({ message, leases }) => ({
    message: base64(message),
    cbor: false,
    leases: leases.map(base64),
  }))
  const theirs = await verdictsOf(questions, [publicKey])
  const verdicts = new Set<string>()
  for (const [at, { message, leases }] of asked.entries()) {
    const one = theirs[at] as { readonly bundles?: { by: string }[]; readonly code?: string }
    const verdict = await verifyBatch(message, { keyring: trust, leases }).then(
      ([bundle]) => bundle?.signedBy?.lease?.serial ?? 'none',
      ({ code }) => String(code),
    )
    expect(one.code ?? one.bundles?.[0]?.by, leases.map((lease) => Buffer.from(lease)).join('\n')).toBe(
      verdict,
    )
    verdicts.add(/^[A-Z_]+$/.test(verdict) ? verdict : 'verified')
  }
  expect([...verdicts].sort()).toEqual(['SIGNER_NOT_ALLOWED', 'verified'])
})

// claim: format-40
it('a Python implementation and the SDK accept the same late messages under leases whose logs have checkpoints', async () => {
  const { publicKey: issuer, leases, checkpoints, messages } = goldenLeaseLogs()
  const trust = await readTrust({ signers: [{ name: 'gateway-1', keys: [issuer] }], acceptLateMs: 60_000 })
  const given = { leases: leases.map(utf8) }
  const own = await Promise.all(
    checkpoints.map((one) => verifyCheckpoint(utf8(one), { keyring: trust, ...given })),
  )
  const encoded = { leases: given.leases.map(base64), late: 60_000 }
  const serial = (at: number) => readLease(given.leases[at] as Uint8Array).serial
  const issuerId = readLease(given.leases[0] as Uint8Array).issuer
  // Each case, with the numbers of the messages that are good then.
  const cases: [
    asked: { received?: string; revoked?: Record<string, string>; from?: number; until?: string },
    good: string,
  ][] = [
    [{}, '0 1 2 3'],
    [{ received: '2027-11-20T10:00:00Z' }, '0 1 2'],
    [{ received: '2026-11-20T11:01:00Z' }, '0 1 2 3'],
    [{ received: '2027-11-20T10:00:00Z', from: 1 }, '2'],
    [{ received: '2027-11-20T10:00:00Z', from: 2 }, ''],
    [{ revoked: { [serial(0)]: '2026-11-20T10:46:00Z' } }, '0 1 2 3'],
    [{ received: '2027-11-20T10:00:00Z', revoked: { [serial(0)]: '2026-11-20T10:46:00Z' } }, '0 1 2'],
    [{ received: '2027-11-20T10:00:00Z', revoked: { [serial(0)]: '2026-11-20T10:44:00Z' } }, ''],
    [{ received: '2027-11-20T10:00:00Z', revoked: { [serial(1)]: '2028-11-20T10:44:00Z' } }, ''],
    // After the end of the issuer's own time, its statements prove nothing about later messages.
    [{ received: '2027-11-20T10:00:00Z', until: '2026-11-20T12:00:00Z' }, ''],
    [{ received: '2026-11-20T12:01:00Z', until: '2026-11-20T12:00:00Z' }, '0 1 2'],
    [{ received: '2026-11-20T12:01:01Z', until: '2026-11-20T12:00:00Z' }, ''],
    [{ until: '2026-11-20T12:00:00Z', revoked: { [serial(0)]: '2026-11-20T10:46:00Z' } }, '3'],
    [{ received: '2026-11-20T10:45:20Z', until: '2026-11-20T10:44:30Z' }, '0 1 2'],
  ]
  for (const [{ received, revoked = {}, from = 0, until }, good] of cases) {
    const revokedLeases = Object.entries(revoked).map(([one, since]) => ({ serial: one, since }))
    const keyring = await readTrust({
      signers: [{ name: 'gateway-1', keys: [issuer], revokedLeases, ...(until && { until }) }],
      acceptLateMs: 60_000,
    })
    const receivedAt = received === undefined ? undefined : new Date(received)
    const options = { keyring, ...given, checkpoints: own.slice(from), receivedAt }
    const ours = await verifyMessages(
      messages.map(({ message }) => utf8(message)),
      options,
    )
    const notes = checkpoints.slice(from).map((one) => base64(utf8(one)))
    const ends = until === undefined ? {} : { [issuerId]: until }
    const question = { cbor: false, ...encoded, received, revoked, checkpoints: notes, ends }
    const theirs = await verdictsOf(
      messages.map(({ message }) => ({ ...question, message: base64(utf8(message)) })),
      [issuer],
    )
    const isGood = (places: readonly boolean[]) => places.flatMap((is, at) => (is ? [at] : [])).join(' ')
    expect(
      isGood(ours.map(({ status }) => status === 'fulfilled')),
      JSON.stringify({ received, revoked, until }),
    ).toBe(good)
    expect(isGood(theirs.map((one) => 'bundles' in one)), JSON.stringify({ received, revoked, until })).toBe(
      good,
    )
    expect(theirs.map(theirWord)).toEqual(ours.map(ourWord))
  }
})

function ourWord(one: Verification): string {
  return one.status === 'fulfilled' ? (one.value[0]?.signedBy?.time as string) : 'refused'
}

function theirWord(one: object): string {
  const { bundles } = one as { readonly bundles?: readonly { readonly time: string }[] }
  return bundles?.[0]?.time ?? 'refused'
}

it('a Python implementation and the SDK determine the same trusted time for each message under leases of several issuers', async () => {
  const random = new Random(5)
  const [one, other, holder] = [generateKey(), generateKey(), generateKey()]
  const clock = (minute: number) => new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString()
  const asked: Asked[] = []
  const own: string[] = []
  for (let round = 0; round < 150; round++) {
    const stamp = () => clock(random.below(60)).replace('Z', '000Z')
    const log = Array.from({ length: 3 }, (_, at) =>
      bundleBy(holder, { payload: `${at}`, timestamp: stamp() }),
    )
    const run = 'e'.repeat(32)
    const times = { from: '2026-11-20T10:00:00.000000Z', at: '2026-11-20T11:00:00.000000Z' }
    const notes = [1, 2, 3].map((size) =>
      checkpointBy(holder, { run, number: size, log: log.slice(0, size), first: size - 1, ...times }),
    )
    const leases = await Promise.all(
      Array.from({ length: 2 + random.below(3) }, () => {
        const [begin, size] = [random.below(60), random.below(4)]
        const state = size > 0 ? { log: stateOf(run, log.slice(0, size)) } : {}
        return leaseBy(
          random.pick([one, other]),
          holder,
          clock(begin),
          clock(begin + 1 + random.below(30)),
          state,
        )
      }),
    )
    const ends = Object.fromEntries(
      [one, other].flatMap(({ keyId }) => (random.below(2) === 0 ? [[keyId, clock(random.below(90))]] : [])),
    )
    const signers = [one, other].map(({ keyId, verifyingKey }) => {
      const until = ends[keyId]
      return { name: keyId, keys: [toHex(verifyingKey)], ...(until !== undefined && { until }) }
    })
    const keyring = await readTrust({ signers, acceptLateMs: 60_000 })
    const received = random.below(4) === 0 ? undefined : clock(random.below(120))
    const checkpoints = await Promise.all(
      notes.map((note) => verifyCheckpoint(note, { keyring: [holder.verifyingKey] })),
    )
    const receivedAt = received === undefined ? {} : { receivedAt: new Date(received) }
    const messages = log.map(({ message }) => message)
    const ours = await verifyMessages(messages, { keyring, leases, checkpoints, ...receivedAt })
    const question = { cbor: false, leases: leases.map(base64), late: 60_000, received, ends }
    own.push(...ours.map(ourWord))
    for (const message of messages) {
      asked.push({ ...question, checkpoints: notes.map(base64), message: base64(message) })
    }
  }
  const keys = [one, other].map(({ verifyingKey }) => toHex(verifyingKey))
  const theirs = (await verdictsOf(asked, keys)).map(theirWord)
  for (const [at, word] of own.entries()) expect(theirs[at], JSON.stringify(asked[at])).toBe(word)
  expect([...new Set(own)].sort()).toEqual(['logged', 'received', 'refused', 'signed'])
})

/** Returns the golden bundle of the subject, signed at another time. */
function bundleAt(timestamp: string): string {
  const text = leased.replace(/"timestamp":"[^"]*"/, `"timestamp":"${timestamp}"`)
  const signature = toHex(signBytes({ seed: subjectSeed }, identityBytes(utf8(text))))
  return text.replace(/"signature":"[^"]*"/, `"signature":"${signature}"`)
}
