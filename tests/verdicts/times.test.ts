import { generateKey, toHex } from 'alvarium-sdk'
import { verifyCheckpoint } from 'alvarium-sdk/completeness'
import { type Policy, type PolicySigner, readLease, readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import {
  bundleBy,
  checkpointBy,
  type LoggedMessage,
  leaseBy,
  noteLine,
  type Party,
  stateOf,
} from '../support/by-hand.js'
import { textOf } from '../support/bytes.js'
import { noteOf } from '../support/checkpoints.js'
import { codeOf } from '../support/failure.js'
import { byCommand, byEachCall, byPack, type Delivery } from '../support/ways.js'

/*
 * Attacks on the time words `received`, `signed` and `logged`, by an outsider with the private keys that each test
 * names. The key of the issuer ends at noon of the last day of 2020; the key that it lends signs from 9:30 until
 * 10:30.
 */

const NOON = '2020-12-31T12:00:00Z'
const LATE = '2026-11-28T13:00:00Z'
const IN_TIME = '2020-12-31T11:30:00Z'
const RUN = 'ab'.repeat(16)
/** `acceptLateMs` of the policy. */
const MINUTE = 60_000

function cast() {
  const [issuer, other, subject, stranger] = [generateKey(), generateKey(), generateKey(), generateKey()]
  return { issuer, other, subject, stranger }
}

const entryOf = (name: string, party: Party, rules: Partial<PolicySigner> = {}): PolicySigner => ({
  name,
  keys: [toHex(party.verifyingKey)],
  ...rules,
})

const note = (party: Party, log: readonly LoggedMessage[], more: object = {}) =>
  checkpointBy(party, {
    run: RUN,
    number: 0,
    log,
    from: '2020-12-31T09:00:00.000000Z',
    at: '2020-12-31T10:20:00.000000Z',
    ...more,
  })

/** Makes a message of the subject, its lease, the checkpoint that lists it, and the lease of an issuer that states that log. */
async function scene(
  { issuer, subject }: ReturnType<typeof cast>,
  by: Party = issuer,
  { from = '2020-12-31T10:31:00Z', timestamp = '2020-12-31T10:00:00.000000Z' } = {},
) {
  const signed = bundleBy(subject, { payload: '21.4', timestamp })
  const until = new Date(Date.parse(from) + 1).toISOString()
  const lent = await leaseBy(issuer, subject, '2020-12-31T09:30:00Z', '2020-12-31T10:30:00Z')
  const stating = await leaseBy(by, subject, from, until, { log: stateOf(RUN, [signed]) })
  return {
    message: signed.message,
    signed,
    lent,
    stating,
    leases: [lent, stating],
    notes: [note(subject, [signed])],
  }
}

const WITH_END = { until: NOON } as const
const policyOf = (...signers: PolicySigner[]): Policy => ({ signers, acceptLateMs: MINUTE })

/** Returns the verdict that all calls share. */
async function verdictOf(delivery: Delivery): Promise<string | undefined> {
  const { alone, ...others } = await byEachCall(delivery)
  expect(others).toEqual({ batch: alone, together: alone })
  return alone
}

describe('an expired key of a trust policy', () => {
  it('proves no late message by issuing a lease with the root of the log of that message', async () => {
    const keys = cast()
    const { message, leases, notes } = await scene(keys)
    const delivery = { policy: policyOf(entryOf('gateway-1', keys.issuer, WITH_END)), message, leases, notes }
    expect(await verdictOf({ ...delivery, receivedAt: LATE })).toBe('SIGNER_EXPIRED')
    expect(await byPack({ ...delivery, receivedAt: LATE })).toBe('SIGNER_EXPIRED')
    expect(await byCommand({ ...delivery, receivedAt: LATE })).toEqual([
      'SIGNER_EXPIRED 1',
      'SIGNER_EXPIRED 1',
    ])
    const keyring = await readTrust(delivery.policy)
    const checkpoint = notes[0] as Uint8Array
    const receivedAt = new Date(LATE)
    expect(await codeOf(() => verifyCheckpoint(checkpoint, { keyring, leases, receivedAt }))).toBe(
      'SIGNER_EXPIRED',
    )
  })

  it('still proves messages that arrived after the end of their lease but before the end of that key', async () => {
    const keys = cast()
    const { message, leases, notes } = await scene(keys)
    const delivery = { policy: policyOf(entryOf('gateway-1', keys.issuer, WITH_END)), message, leases, notes }
    expect(await verdictOf({ ...delivery, receivedAt: IN_TIME })).toBe('logged')
    expect(await byPack({ ...delivery, receivedAt: IN_TIME })).toBe('logged')
    expect(await byCommand({ ...delivery, receivedAt: IN_TIME })).toEqual(['logged 0', 'logged 0'])
  })

  it('proves messages that arrive up to a minute after its end, and none that arrive a millisecond later', async () => {
    const keys = cast()
    const { message, leases, notes } = await scene(keys)
    const delivery = { policy: policyOf(entryOf('gateway-1', keys.issuer, WITH_END)), message, leases, notes }
    expect(await verdictOf({ ...delivery, receivedAt: '2020-12-31T12:01:00.000Z' })).toBe('logged')
    expect(await verdictOf({ ...delivery, receivedAt: '2020-12-31T12:01:00.001Z' })).toBe('SIGNER_EXPIRED')
  })

  it('does not make a revoked lease valid by issuing a later lease, even if no time of receipt is known', async () => {
    const keys = cast()
    const { message, leases, notes, lent } = await scene(keys)
    const revokedLeases = [{ serial: readLease(lent).serial, since: '2020-12-31T11:00:00Z' }]
    const delivery = { message, leases, notes, receivedAt: undefined }
    const ended = policyOf(entryOf('gateway-1', keys.issuer, { ...WITH_END, revokedLeases }))
    expect(await verdictOf({ ...delivery, policy: ended })).toBe('SIGNER_REVOKED')
    expect(await byPack({ ...delivery, policy: ended })).toBe('SIGNER_REVOKED')
    const endless = policyOf(entryOf('gateway-1', keys.issuer, { revokedLeases }))
    expect(await verdictOf({ ...delivery, policy: endless })).toBe('logged')
  })

  it('proves no late message by issuing a hundred more leases that contain the root of the log', async () => {
    const keys = cast()
    const { message, signed, lent, notes } = await scene(keys)
    const log = stateOf(RUN, [signed])
    const more = Array.from({ length: 100 }, (_, at) => {
      const from = new Date(Date.parse('2020-12-31T10:31:00Z') + at * 1000)
      return leaseBy(keys.issuer, keys.subject, from.toISOString(), '2020-12-31T11:50:00Z', { log })
    })
    const leases = [lent, ...(await Promise.all(more))]
    const policy = policyOf(entryOf('gateway-1', keys.issuer, WITH_END))
    expect(await verdictOf({ policy, message, leases, notes, receivedAt: LATE })).toBe('SIGNER_EXPIRED')
  })

  it('cannot be replaced by a leased key, because a leased key can issue no leases', async () => {
    const keys = cast()
    const { message, signed, lent, notes } = await scene(keys)
    const log = stateOf(RUN, [signed])
    const first = await leaseBy(keys.issuer, keys.stranger, '2020-12-31T09:30:00Z', '2020-12-31T11:30:00Z')
    const chained = await leaseBy(
      keys.stranger,
      keys.subject,
      '2020-12-31T10:31:00Z',
      '2020-12-31T11:00:00Z',
      { log },
    )
    const policy = policyOf(entryOf('gateway-1', keys.issuer))
    const leases = [lent, first, chained]
    expect(await verdictOf({ policy, message, leases, notes, receivedAt: LATE })).toBe('SIGNER_EXPIRED')
  })
})

describe('a lease by a second issuer, after the first issuer of the key has expired,', () => {
  it('proves late messages if the second issuer is in the policy and has not expired', async () => {
    const keys = cast()
    const { message, leases, notes } = await scene(keys, keys.other)
    const signers = [entryOf('gateway-1', keys.issuer, WITH_END), entryOf('office', keys.other)]
    expect(await verdictOf({ policy: policyOf(...signers), message, leases, notes, receivedAt: LATE })).toBe(
      'logged',
    )
  })

  it('proves no late message if the second issuer has expired, was revoked or may not issue the lease', async () => {
    const keys = cast()
    const { message, leases, notes } = await scene(keys, keys.other)
    const other = { message, leases, notes, receivedAt: LATE }
    for (const rules of [
      { until: '2021-12-31T12:00:00Z' },
      { revoked: { since: '2021-12-31T12:00:00Z' } },
      { from: '2021-01-01T00:00:00Z' },
      { maxLeaseMs: 0 },
    ]) {
      const signers = [entryOf('gateway-1', keys.issuer, WITH_END), entryOf('office', keys.other, rules)]
      expect(await verdictOf({ ...other, policy: policyOf(...signers) })).toBe('SIGNER_EXPIRED')
    }
  })

  it('proves late messages if the second issuer is a newer key of the same, unexpired signer', async () => {
    const keys = cast()
    const { message, leases, notes } = await scene(keys, keys.other)
    const [old, next] = [toHex(keys.issuer.verifyingKey), toHex(keys.other.verifyingKey)]
    const rotated = { name: 'gateway-1', keys: [{ key: old, until: NOON }, next] }
    const other = { message, leases, notes, receivedAt: LATE }
    expect(await verdictOf({ ...other, policy: policyOf(rotated) })).toBe('logged')
    expect(await verdictOf({ ...other, policy: policyOf({ ...rotated, until: NOON }) })).toBe(
      'SIGNER_EXPIRED',
    )
  })

  it('proves no late message if the second issuer is an expired, older key of the same signer', async () => {
    const keys = cast()
    const { message, leases, notes } = await scene(keys, keys.other)
    const [next, old] = [toHex(keys.issuer.verifyingKey), toHex(keys.other.verifyingKey)]
    const rotated = { name: 'gateway-1', keys: [{ key: old, until: NOON }, next] }
    expect(await verdictOf({ policy: policyOf(rotated), message, leases, notes, receivedAt: LATE })).toBe(
      'SIGNER_EXPIRED',
    )
  })

  it('proves no message that only a checkpoint of another key lists', async () => {
    const keys = cast()
    const { message, signed, lent } = await scene(keys)
    const log = stateOf(RUN, [signed])
    const stating = await leaseBy(keys.other, keys.stranger, '2020-12-31T10:31:00Z', '2020-12-31T11:00:00Z', {
      log,
    })
    const signers = [entryOf('gateway-1', keys.issuer, WITH_END), entryOf('office', keys.other)]
    const delivery = { policy: policyOf(...signers), message, leases: [lent, stating], receivedAt: LATE }
    expect(await verdictOf({ ...delivery, notes: [note(keys.stranger, [signed])] })).toBe('SIGNER_EXPIRED')
  })

  it('cannot be replaced by the signature of a witness on the checkpoint, because this signature is not verified', async () => {
    const keys = cast()
    const { signed, leases, message } = await scene(keys)
    const [text] = noteOf(note(keys.subject, [signed])).split('\n\n') as [string]
    const witness = noteLine(keys.other, 'witness.example/1', `${text}\n`)
    const cosigned = note(keys.subject, [signed], { lines: [witness] })
    expect(textOf(cosigned)).toContain('witness.example/1')
    const signers = [entryOf('gateway-1', keys.issuer, WITH_END), entryOf('witness.example/1', keys.other)]
    const policy = policyOf(...signers)
    expect(await verdictOf({ policy, message, leases, notes: [cosigned], receivedAt: LATE })).toBe(
      'SIGNER_EXPIRED',
    )
    const options = { keyring: await readTrust(policy), leases, receivedAt: new Date(LATE) }
    expect(await codeOf(() => verifyCheckpoint(cosigned, options))).toBe('SIGNER_EXPIRED')
  })
})

describe('a later lease of the same issuer with the root of a log', () => {
  const keys = cast()
  const endless = (rules: Partial<PolicySigner> = {}) => policyOf(entryOf('gateway-1', keys.issuer, rules))

  it('proves the messages in the log, however late they arrive, if its issuer never expires', async () => {
    const { message, leases, notes } = await scene(keys)
    expect(await verdictOf({ policy: endless(), message, leases, notes, receivedAt: LATE })).toBe('logged')
  })

  it.each<[string, Partial<PolicySigner>, string]>([
    [
      'its issuer has a date of revocation, even a later one',
      { revoked: { since: '2027-01-01T00:00:00Z' } },
      'SIGNER_EXPIRED',
    ],
    ['it begins before its issuer may sign', { from: '2020-12-31T10:31:01Z' }, 'SIGNER_EXPIRED'],
    ['its issuer may issue no leases', { maxLeaseMs: 0 }, 'SIGNER_NOT_ALLOWED'],
  ])('proves nothing if %s', async (_, rules, code) => {
    const { message, leases, notes } = await scene(keys)
    expect(await verdictOf({ policy: endless(rules), message, leases, notes, receivedAt: LATE })).toBe(code)
  })

  it('proves no message if it contains another root, or without the checkpoint that lists the message', async () => {
    const { message, lent, notes, signed, leases } = await scene(keys)
    const other = bundleBy(keys.subject, { payload: '99', timestamp: '2020-12-31T10:00:00.000000Z' })
    const wrong = await leaseBy(keys.issuer, keys.subject, '2020-12-31T10:31:00Z', '2020-12-31T10:32:00Z', {
      log: stateOf(RUN, [other]),
    })
    const delivery = { policy: endless(), message, receivedAt: LATE }
    expect(await verdictOf({ ...delivery, leases: [lent, wrong], notes })).toBe('SIGNER_EXPIRED')
    expect(await verdictOf({ ...delivery, leases, notes: [] })).toBe('SIGNER_EXPIRED')
    expect(
      await verdictOf({ ...delivery, leases, notes: [note(keys.subject, [signed], { peaks: false })] }),
    ).toBe('SIGNER_EXPIRED')
    const ofOtherRun = note(keys.subject, [signed], { run: 'cd'.repeat(16) })
    expect(await verdictOf({ ...delivery, leases, notes: [ofOtherRun] })).toBe('SIGNER_EXPIRED')
  })

  it('proves no message that was signed outside the time of the lease, even by a little', async () => {
    for (const timestamp of ['2020-12-31T09:29:59.999999Z', '2020-12-31T10:30:00.000001Z']) {
      const { message, leases, notes } = await scene(keys, keys.issuer, { timestamp })
      expect(await verdictOf({ policy: endless(), message, leases, notes, receivedAt: LATE })).toBe(
        'SIGNER_EXPIRED',
      )
      expect(await verdictOf({ policy: endless(), message, leases, notes, receivedAt: undefined })).toBe(
        'SIGNER_EXPIRED',
      )
    }
  })

  it('proves no message whose own lease was revoked before the later lease began', async () => {
    const back = await scene(keys, keys.issuer, { from: '2020-12-31T09:45:00Z' })
    const { message, leases, notes, lent } = back
    expect(await verdictOf({ policy: endless(), message, leases, notes, receivedAt: LATE })).toBe('logged')
    const since = '2020-12-31T09:40:00Z'
    const revokedLeases = [{ serial: readLease(lent).serial, since }]
    const policy = endless({ revokedLeases })
    expect(await verdictOf({ policy, message, leases, notes, receivedAt: LATE })).toBe('SIGNER_REVOKED')
  })

  it('does not extend what a key may sign if the policy itself lists the key', async () => {
    const { message, leases, notes } = await scene(keys, keys.other)
    const own = entryOf('edge-7', keys.subject, WITH_END)
    const signers = [entryOf('gateway-1', keys.issuer), entryOf('office', keys.other), own]
    expect(await verdictOf({ policy: policyOf(...signers), message, leases, notes, receivedAt: LATE })).toBe(
      'SIGNER_EXPIRED',
    )
    const twice = [entryOf('gateway-1', keys.issuer, WITH_END), entryOf('gateway-2', keys.issuer)]
    expect(await codeOf(() => readTrust(policyOf(...twice)))).toBe('CONFIG_INVALID')
  })
})

describe('a lease whose issuer has expired, or was revoked', () => {
  it('permits a message received before the issuer expired or was revoked, and none received later', async () => {
    const keys = cast()
    const { message, lent } = await scene(keys)
    const delivery = { message, leases: [lent], notes: [] }
    const ended = policyOf(entryOf('gateway-1', keys.issuer, WITH_END))
    expect(await verdictOf({ ...delivery, policy: ended, receivedAt: LATE })).toBe('SIGNER_EXPIRED')
    expect(await verdictOf({ ...delivery, policy: ended, receivedAt: '2020-12-31T10:10:00Z' })).toBe(
      'received',
    )
    expect(await verdictOf({ ...delivery, policy: ended, receivedAt: undefined })).toBe('signed')
    const revoked = policyOf(entryOf('gateway-1', keys.issuer, { revoked: { since: NOON } }))
    expect(await verdictOf({ ...delivery, policy: revoked, receivedAt: LATE })).toBe('SIGNER_REVOKED')
    expect(await verdictOf({ ...delivery, policy: revoked, receivedAt: undefined })).toBe('SIGNER_REVOKED')
    expect(await verdictOf({ ...delivery, policy: revoked, receivedAt: '2020-12-31T10:10:00Z' })).toBe(
      'received',
    )
  })
})
