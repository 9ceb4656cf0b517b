import { verifyBatch } from 'alvarium-sdk'
import { Completeness, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { readLease } from 'alvarium-sdk/trust'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { openLogged } from '../support/leased.js'
import { key, keyring } from '../support/sdk.js'
import { trustOf } from '../support/trust.js'
import { until } from '../support/until.js'

const payload = utf8('21.4')
const HOUR = 3_600_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.UTC(2026, 10, 20, 10) })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the checkpoints of an SDK whose key is leased', () => {
  it('are signed by that key, and verify with its lease', async () => {
    const { sdk, notes, leases } = await openLogged()
    await sdk.create(payload)
    await sdk.close()
    const trust = await trustOf()
    for (const note of notes) {
      const { signedBy, signer } = await verifyCheckpoint(note, { keyring: trust, leases })
      expect(signedBy).toMatchObject({ id: key.keyId, name: 'gateway-1', time: 'signed' })
      expect(signer).toBe(readLease(leases[0] as Uint8Array).keyId)
      expect(await codeOf(() => verifyCheckpoint(note, { keyring: trust }))).toBe('SIGNER_UNKNOWN')
      expect(await codeOf(() => verifyCheckpoint(note, { keyring, leases }))).toBe('CONFIG_INVALID')
    }
  })

  it('are refused as bundles are: too late, by a lease that is revoked, or too long', async () => {
    const { sdk, notes, leases } = await openLogged()
    await sdk.close()
    const [note] = notes as [Uint8Array]
    const { serial } = readLease(leases[0] as Uint8Array)
    const verdict = async (policy: object, receivedAt = Date.now()) => {
      const trust = await trustOf(policy)
      return codeOf(() => verifyCheckpoint(note, { keyring: trust, leases, receivedAt }))
    }
    const since = new Date(Date.now()).toISOString()
    expect(await verdict({ revokedLeases: [{ serial, since }] })).toBe('SIGNER_REVOKED')
    expect(await verdict({ maxLeaseMs: 1000 })).toBe('SIGNER_NOT_ALLOWED')
    expect(await verdict({}, Date.now() + 2 * HOUR)).toBe('SIGNER_EXPIRED')
    expect(await verdict({ until: '2026-11-20T09:00:00Z' })).toBe('SIGNER_EXPIRED')
  })

  it('count by their issuer, however many keys it gives leases to', async () => {
    const [trust, completeness] = [await trustOf(), new Completeness()]
    for (let life = 0; life < 3; life++) {
      const { sdk, notes, leases, messages } = await openLogged({}, { every: 2 })
      for (let at = 0; at < 5; at++) await sdk.create(payload)
      await sdk.close()
      const options = { keyring: trust, leases }
      for (const note of notes) completeness.addCheckpoint(await verifyCheckpoint(note, options))
      const there = life === 1 ? messages.slice(1) : messages
      for (const message of there) completeness.addMessage(message, await verifyBatch(message, options))
    }
    const reports = completeness.report()
    expect(reports).toMatchObject([
      { signer: key.keyId, name: 'gateway-1', verdict: 'incomplete', messages: 14, unlisted: [], forks: [] },
    ])
    expect(reports[0]?.runs.map(({ size, hasEnded }) => [size, hasEnded])).toEqual(Array(3).fill([5, true]))
    expect(reports[0]?.missing).toMatchObject([{ first: 0, last: 0, run: reports[0]?.runs[1]?.run }])
  })

  it('say that a batch was refused that was sealed when the lease had ended', async () => {
    const { sdk, notes, leases, hsm, messages } = await openLogged()
    await sdk.createMany([payload])
    hsm.isAway = true
    await vi.advanceTimersByTimeAsync(HOUR)
    expect(await codeOf(() => sdk.createMany([payload, payload]))).toBe('SIGNER_FAILED')
    const told = notes.length
    await vi.advanceTimersByTimeAsync(HOUR)
    // Nobody would believe one that is signed without a lease.
    expect(notes).toHaveLength(told)
    hsm.isAway = false
    await vi.advanceTimersByTimeAsync(30_000)
    await until(() => leases.length === 2)
    await sdk.close()
    expect(messages).toHaveLength(1)
    const options = { keyring: await trustOf(), leases, receivedAt: Date.now() }
    const { size, refused, pending } = await verifyCheckpoint(notes.at(-1) as Uint8Array, options)
    expect({ size, refused, pending }).toEqual({ size: 2, refused: [{ first: 1, last: 1 }], pending: [] })
  })
})
