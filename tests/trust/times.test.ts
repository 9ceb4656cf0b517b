import { classic, generateKey, toHex, verifyClassic, verifyMessage } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { failure, typeError } from '../support/failure.js'
import { key } from '../support/sdk.js'
import { keyText, messageAt, messageFrom, told, trustOf } from '../support/trust.js'

const TEN = Date.UTC(2026, 10, 20, 10)
const MINUTE = 60_000

describe('the time in which a signer may sign', () => {
  // claim: trust-1
  it.each([
    ['2026-11-20T10:00:00Z', 'gateway-1'],
    ['2026-11-20T11:00:00+01:00', 'gateway-1'],
    ['2026-11-20T11:00:00Z', 'gateway-1'],
    ['2026-11-20T10:59:60Z', 'gateway-1'],
    ['2026-11-20T10:30:00.123456789Z', 'gateway-1'],
    ['2026-11-20T09:59:59.999999999Z', 'SIGNER_EXPIRED'],
    ['2026-11-20T11:00:00.000000001Z', 'SIGNER_EXPIRED'],
    ['2026-11-20T10:59:60.1Z', 'SIGNER_EXPIRED'],
    ['2026-11-20T10:30:00+02:00', 'SIGNER_EXPIRED'],
  ])('includes its first and its last instant: at %s the verdict is %s', async (timestamp, expected) => {
    const trust = await trustOf({ from: '2026-11-20T10:00:00Z', until: '2026-11-20T11:00:00Z' })
    expect(await told(await messageAt(timestamp), trust)).toBe(expected)
  })

  it('includes its end, with fractions of a second of any number of digits', async () => {
    const fractions = ['', '.000000001', '.000999', '.09', '.1', '.10000001', '.5', '.999999999']
    const timestamps = fractions.map((one) => `2026-11-20T10:00:00${one}Z`)
    const messages = await Promise.all(timestamps.map((one) => messageAt(one)))
    for (const [end, until] of timestamps.entries()) {
      const trust = await trustOf({ until })
      const verdicts = await Promise.all(messages.map((message) => told(message, trust)))
      expect(verdicts).toEqual(messages.map((_, at) => (at <= end ? 'gateway-1' : 'SIGNER_EXPIRED')))
    }
  })

  it.each([
    [{ from: '9999-12-31T23:59:60Z' }, 'SIGNER_EXPIRED'],
    [{ from: '9999-12-31T23:59:59-23:59' }, 'SIGNER_EXPIRED'],
    [{ until: '9999-12-31T23:59:60Z' }, 'gateway-1'],
    [{ from: '0000-01-01T00:00:00+23:59' }, 'gateway-1'],
    [{ until: '0000-01-01T00:00:00+23:59' }, 'SIGNER_EXPIRED'],
  ])('may have the extreme values of its format: with %j the verdict is %s', async (times, expected) => {
    expect(await told(await messageFrom(), await trustOf(times))).toBe(expected)
  })

  it('is compared with second 0 of the minute if a message of the Java SDK has no seconds', async () => {
    const java = classic({ signingKey: key.signingKey, dialect: 'java' })
    const message = await java.encode(await messageAt('2026-11-20T10:00:00Z', { tag: '' }))
    const { annotations } = await verifyClassic(message as Uint8Array, {
      keyring: await trustOf({ from: '2026-11-20T10:00:30Z' }),
    })
    expect(annotations).toMatchObject([{ reason: { code: 'SIGNER_EXPIRED' } }])
  })

  // claim: trust-46
  it.each([
    [undefined, 'gateway-1'],
    [TEN, 'gateway-1'],
    [TEN + 5 * MINUTE, 'gateway-1'],
    [TEN + 5 * MINUTE + 1, 'SIGNER_EXPIRED'],
    [TEN + 400 * 24 * 60 * MINUTE, 'SIGNER_EXPIRED'],
  ])(
    'is over for messages received more than acceptLateMs after its end: received at %s, the verdict is %s',
    async (at, expected) => {
      const trust = await trustOf({ until: '2026-11-20T10:00:00Z', acceptLateMs: 5 * MINUTE })
      expect(await told(await messageAt('2026-11-20T09:59:59Z'), trust, at)).toBe(expected)
    },
  )

  // claim: trust-2
  it('ends a minute late for messages in transit, unless the policy sets another value', async () => {
    const trust = await trustOf({ until: '2026-11-20T10:00:00Z' })
    const message = await messageAt('2026-11-20T09:59:59Z')
    expect(await told(message, trust, TEN + MINUTE)).toBe('gateway-1')
    expect(await told(message, trust, TEN + MINUTE + 1)).toBe('SIGNER_EXPIRED')
  })

  it('is over at the next full millisecond after its end', async () => {
    const trust = await trustOf({ until: '2026-11-20T09:59:59.999999999Z', acceptLateMs: 0 })
    const message = await messageAt('2026-11-20T09:59:59Z')
    expect(await told(message, trust, TEN - 1)).toBe('gateway-1')
    expect(await told(message, trust, TEN)).toBe('SIGNER_EXPIRED')
  })

  it('is over at the next full millisecond after its end, even if it ends before 1970', async () => {
    const trust = await trustOf({ until: '1969-12-31T23:59:59.9999Z', acceptLateMs: 0 })
    const message = await messageAt('1969-12-31T23:59:59Z')
    expect(await told(message, trust, -1)).toBe('gateway-1')
    expect(await told(message, trust, 0)).toBe('SIGNER_EXPIRED')
  })

  it('is compared with the time of receipt, or with the signed time if no time of receipt is known', async () => {
    const trust = await trustOf()
    const message = await messageFrom()
    const times = [undefined, new Date(), Date.now()]
    const said = times.map(
      async (receivedAt) => (await verifyMessage(message, { keyring: trust, receivedAt })).signedBy?.time,
    )
    expect(await Promise.all(said)).toEqual(['signed', 'received', 'received'])
  })

  it('is named in the error, with the time of the message', async () => {
    const trust = await trustOf({ from: '2026-11-20T10:00:00Z', until: '2026-11-20T11:00:00Z' })
    const early = await failure(async () =>
      verifyMessage(await messageAt('2026-11-20T09:00:00Z'), { keyring: trust }),
    )
    expect(early.message).toBe(
      `timestamp: expected a time from 2026-11-20T10:00:00Z until 2026-11-20T11:00:00Z (when gateway-1, key ${key.keyId}, may sign), got 2026-11-20T09:00:00Z`,
    )
    const receivedAt = new Date('2026-11-20T12:00:00Z')
    const late = await failure(async () =>
      verifyMessage(await messageAt('2026-11-20T10:30:00Z'), { keyring: trust, receivedAt }),
    )
    expect(late.message).toBe(
      `signer: expected a message received by 2026-11-20T11:01:00.000Z (the time of gateway-1, key ${key.keyId}, ended at 2026-11-20T11:00:00Z), got 2026-11-20T12:00:00.000Z`,
    )
  })

  it('is limited by the times of the key and of its signer, so that keys can be replaced', async () => {
    const next = generateKey()
    const trust = await trustOf({
      until: '2026-12-01T00:00:00Z',
      keys: [
        { key: keyText, until: '2026-11-20T12:00:00Z' },
        { key: toHex(next.verifyingKey), from: '2026-11-20T10:00:00Z', until: '2027-01-01T00:00:00Z' },
      ],
    })
    expect(await told(await messageAt('2026-11-20T11:00:00Z'), trust)).toBe('gateway-1')
    expect(await told(await messageAt('2026-11-20T13:00:00Z'), trust)).toBe('SIGNER_EXPIRED')
    expect(await told(await messageAt('2026-12-02T00:00:00Z'), trust)).toBe('SIGNER_EXPIRED')
  })
})

describe('a revoked signer of a trust policy', () => {
  const revoked = { since: '2026-11-20T10:00:00Z', why: 'stolen with the van' }

  // claim: trust-47
  it.each([
    [TEN - 1, 'gateway-1'],
    [TEN, 'SIGNER_REVOKED'],
    [TEN + 1, 'SIGNER_REVOKED'],
    [undefined, 'SIGNER_REVOKED'],
  ])(
    'is refused only by the time of receipt, because a thief can sign any time: received at %s, the verdict is %s',
    async (at, expected) => {
      const trust = await trustOf({ revoked })
      for (const timestamp of ['2020-01-01T00:00:00Z', '2026-11-20T09:59:59Z', '2026-11-20T10:00:01Z']) {
        expect(await told(await messageAt(timestamp), trust, at)).toBe(expected)
      }
    },
  )

  it('can still sign with its other keys if only one key was revoked', async () => {
    const next = generateKey()
    const trust = await trustOf({ keys: [{ key: keyText, revoked }, toHex(next.verifyingKey)] })
    expect(await told(await messageFrom(), trust)).toBe('SIGNER_REVOKED')
    expect(await told(await messageFrom({ signingKey: next.signingKey }), trust)).toBe('gateway-1')
  })

  // claim: threats-82
  it('is refused with the reason, before any statement is checked', async () => {
    const trust = await trustOf({ revoked, hosts: [], until: '2020-01-01T00:00:00Z' })
    const error = await failure(async () =>
      verifyMessage(await messageFrom(), { keyring: trust, receivedAt: TEN }),
    )
    expect(error.message).toBe(
      `signer: expected a message received before 2026-11-20T10:00:00Z, when gateway-1, key ${key.keyId}, was revoked (stolen with the van), got 2026-11-20T10:00:00.000Z`,
    )
    const unknown = await failure(async () => verifyMessage(await messageFrom(), { keyring: trust }))
    expect(unknown.message).toContain(
      'got one whose time of receipt is unknown: give it as receivedAt (command: --received-at)',
    )
  })
})

it.each([
  ['a string', '2026-11-20'],
  ['a Date', new Date(Number.NaN)],
  ['a number', Number.NaN],
  ['null', null],
  ['a number', 8.64e15 + 2],
  ['a number', -1e300],
])(
  'verifyMessage refuses a time of receipt that is no valid Date or number: the error calls it %s',
  async (got, receivedAt) => {
    const trust = await trustOf()
    const error = await typeError(async () =>
      verifyMessage(await messageFrom(), { keyring: trust, receivedAt: receivedAt as Date }),
    )
    expect(error.message).toBe(`receivedAt: expected a Date or milliseconds, got ${got}`)
  },
)
