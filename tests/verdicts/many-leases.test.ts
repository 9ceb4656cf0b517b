// Many leases of one key that hold at the same time: which of them count, whatever their order.

import { verifyMessage } from 'alvarium-sdk'
import type { IssueLeaseOptions } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import { HOUR, leaseFrom, subject } from '../support/leases.js'
import { resigned } from '../support/messages.js'
import { messageFrom, trustOf } from '../support/trust.js'

async function leasedMessage(): Promise<Uint8Array> {
  const given = await messageFrom({ signingKey: subject.signingKey })
  const timestamp = '2026-11-20T10:30:00Z'
  return resigned(given, ({ content }) => Object.assign(content, { timestamp }), subject.signingKey)
}

const NONE = { hosts: ['none'] }
const serial = (at: number) => at.toString(16).padStart(32, '0')
/** Returns leases that begin so many seconds after ten, each with its permissions. */
const leasesAt = (all: readonly (readonly [second: number, Partial<IssueLeaseOptions>])[]) =>
  Promise.all(
    all.map(([second, more], at) =>
      leaseFrom({ serial: serial(at), ...more, from: HOUR.from + 1000 * second, ttlMs: 3_600_000 }),
    ),
  )

async function verdictOf(leases: readonly Uint8Array[]): Promise<string | undefined> {
  const verified = verifyMessage(await leasedMessage(), { keyring: await trustOf(), leases })
  return verified.then(
    ({ signedBy }) => signedBy?.lease?.serial,
    ({ code }) => code,
  )
}

describe.each([
  ['in the order of their serials', (leases: readonly Uint8Array[]) => leases],
  ['in the reverse order', (leases: readonly Uint8Array[]) => leases.toReversed()],
])('leases that are valid at the time of a message, passed %s,', (_, ordered) => {
  // claim: format-62
  it('are used if they are among the four that begin last', async () => {
    const refusing = [1, 2, 3].map((second) => [second, NONE] as const)
    expect(await verdictOf(ordered(await leasesAt([[0, {}], ...refusing])))).toBe(serial(0))
    const four = [1, 2, 3, 4].map((second) => [second, NONE] as const)
    expect(await verdictOf(ordered(await leasesAt([[0, {}], ...four])))).toBe('SIGNER_NOT_ALLOWED')
    expect(await verdictOf(ordered(await leasesAt([...four, [5, {}]])))).toBe(serial(4))
  })

  it('are used if they begin at the same time and have the four greatest serials', async () => {
    const four = [1, 2, 3, 4].map((at) => [0, { ...NONE, serial: serial(at) }] as const)
    const low = [0, { serial: serial(0) }] as const
    expect(await verdictOf(ordered(await leasesAt([low, ...four])))).toBe('SIGNER_NOT_ALLOWED')
    const high = [0, { serial: serial(9) }] as const
    expect(await verdictOf(ordered(await leasesAt([high, ...four])))).toBe(serial(9))
  })

  it('are used even if five expired leases are passed, too', async () => {
    const ended = [-3600, -3500, -3000, -2000, -1801].map((second) => [second, NONE] as const)
    expect(await verdictOf(ordered(await leasesAt([[-1799, {}], ...ended])))).toBe(serial(0))
  })
})
