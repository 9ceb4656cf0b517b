import { identityBytes, memory, openSdk, verifyMessage } from 'alvarium-sdk'
import { verifyCheckpoint } from 'alvarium-sdk/completeness'
import { proveInput, verifyInput } from 'alvarium-sdk/sets'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { openLogged } from '../support/leased.js'
import { key, keyring } from '../support/sdk.js'
import { trustOf } from '../support/trust.js'

const HOUR = 3_600_000
const [one, other, made] = ['one', 'other', 'made of both'].map(utf8) as [Uint8Array, Uint8Array, Uint8Array]

describe('a proof of an input', () => {
  it('that came long after the lease of its signer had ended is accepted, if it was in a log that a lease states', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.UTC(2026, 10, 20, 10) })
    onTestFinished(() => void vi.useRealTimers())
    const { sdk, notes, leases, messages } = await openLogged()
    await sdk.mutate([one, other], made)
    // The next lease states what was signed.
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

  it('whose bundle nests too deep to be written again is malformed', async () => {
    const depth = 100_000
    const [index, input, bundle] = [0, { set: '0'.repeat(64) }, 'here']
    const content = { index, input, path: '', bundle: { [bundle]: bundle } }
    const text = JSON.stringify({ messageType: 'alvarium.InputProof/1', content })
    const deep = text.replace('"here":"here"', `"a":${'['.repeat(depth)}${']'.repeat(depth)}`)
    expect(await codeOf(() => verifyInput(utf8(deep), { keyring }))).toBe('MESSAGE_MALFORMED')
  })

  it('has a bundle in short form, which is malformed everywhere else', async () => {
    const sdk = await openSdk({ signingKey: key.signingKey, annotators: [], stream: memory() })
    const { message } = await sdk.mutate([one, other], made)
    const proof = JSON.parse(textOf(await proveInput(message, 0)))
    const short = utf8(JSON.stringify(proof.content.bundle))
    const uses = [
      () => identityBytes(short),
      () => proveInput(short, 0),
      () => verifyMessage(short, { keyring }),
    ]
    for (const use of uses) expect(await codeOf(use)).toBe('MESSAGE_MALFORMED')
    await expect(proveInput(short, 0)).rejects.toThrow('inputs: expected an array, got an object')
  })
})
