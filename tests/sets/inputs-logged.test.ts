// @own-process: it stops the clock
// @node-only: it stops timers

import { verifyCheckpoint } from 'alvarium-sdk/completeness'
import { proveInput, verifyInput } from 'alvarium-sdk/sets'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { openLogged } from '../support/leased.js'
import { trustOf } from '../support/trust.js'

const HOUR = 3_600_000
const [one, other, made] = ['one', 'other', 'made of both'].map(utf8) as [Uint8Array, Uint8Array, Uint8Array]

describe('a proof of an input', () => {
  it("is accepted long after its signer's lease ended if checkpoints show that its bundle was logged in time", async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.UTC(2026, 10, 20, 10) })
    onTestFinished(() => void vi.useRealTimers())
    const { sdk, notes, leases, messages } = await openLogged()
    await sdk.mutate([one, other], made)
    // The next lease states the log with this bundle.
    vi.setSystemTime(Date.now() + 0.7 * HOUR)
    await sdk.create(made)
    await sdk.close()
    const trust = await trustOf()
    const checkpoints = []
    for (const note of notes) checkpoints.push(await verifyCheckpoint(note, { keyring: trust, leases }))
    const options = { keyring: trust, leases, receivedAt: Date.now() + 5 * HOUR }
    const proof = await proveInput(messages[0] as Uint8Array, 0)
    expect((await verifyInput(proof, { ...options, checkpoints })).bundle.signedBy?.time).toBe('logged')
    expect(await codeOf(() => verifyInput(proof, options))).toBe('SIGNER_EXPIRED')
  })
})
