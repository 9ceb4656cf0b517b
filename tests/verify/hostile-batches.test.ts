// @alone
// @node-only: it is about limits, of which V8 has the lower ones: Node's engine, too

import { generateKey, Keyring, openSdk, verifyBatch, verifyMessages } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { coreMemory } from '../support/core-memory.js'
import { codeOf } from '../support/failure.js'
import { key, keyring } from '../support/sdk.js'

const MIB = 1024 * 1024
const LONGEST = 16 * MIB
const stranger = new Keyring([generateKey().verifyingKey])
const mixed = new Keyring([(await generateKey({ algorithm: 'P-256' })).verifyingKey])

/** Returns the parts of a genuine batch of one: its JSON before the bundle, the bundle, and the JSON behind it. */
async function pieces() {
  const sdk = await openSdk({
    signingKey: key.signingKey,
    annotators: [],
    stream: { publish: () => {} },
    batch: { maxBundles: 1 },
    host: 'h'.repeat(200),
  })
  const text = textOf((await sdk.create(utf8('hello'))).message)
  const [start = '', bundle = ''] = text.split(/(?<="bundles":\[)|(?=\]\}\}$)/)
  return { start, bundle, end: ']}}' }
}

/** Returns a batch with as many of these bundles as fit. */
async function batchOf(bundle?: string, longest = LONGEST): Promise<Uint8Array> {
  const { start, bundle: genuine, end } = await pieces()
  const one = bundle ?? genuine
  const count = Math.min(Math.floor((longest - start.length - end.length) / (one.length + 1)), 65_536)
  return utf8(start + Array(count).fill(one).join(',') + end)
}

// The order matters, and so does the separate file: the core's memory never shrinks, and holds the message itself, 16
// MiB.
describe('a batch of 16 MiB', () => {
  // claim: threats-28
  it('takes less than 24 MiB of memory with 256 empty annotations in each bundle', async () => {
    const bare = await batchOf(`{"annotations":[${Array(256).fill('{}').join(',')}]}`)
    expect(bare.length).toBeGreaterThan(LONGEST - 1024)
    expect(await codeOf(() => verifyBatch(bare, { keyring }))).toBe('MESSAGE_MALFORMED')
    const [outcome] = await verifyMessages([bare], { keyring })
    expect(outcome).toMatchObject({ reason: { code: 'MESSAGE_MALFORMED' } })
    expect(coreMemory().buffer.byteLength).toBeLessThan(24 * MIB)
  })

  // claim: threats-27
  it('is not hashed if its signer is not in the keyring', async () => {
    const strange = await batchOf()
    expect(strange.length).toBeGreaterThan(LONGEST - 1024)
    expect(await codeOf(() => verifyBatch(strange, { keyring: stranger }))).toBe('SIGNER_UNKNOWN')
    const [outcome] = await verifyMessages([strange], { keyring: stranger })
    expect(outcome).toMatchObject({ reason: { code: 'SIGNER_UNKNOWN' } })
    // A signer unknown to the core is looked up among the keys of other algorithms.
    expect(await codeOf(() => verifyBatch(strange, { keyring: mixed }))).toBe('SIGNER_UNKNOWN')
    const [another] = await verifyMessages([strange], { keyring: mixed })
    expect(another).toMatchObject({ reason: { code: 'SIGNER_UNKNOWN' } })
    expect(coreMemory().buffer.byteLength).toBeLessThan(24 * MIB)
  })

  it('is hashed if its signer is in the keyring', async () => {
    expect(await codeOf(async () => verifyBatch(await batchOf(), { keyring }))).toBe('SIGNATURE_INVALID')
  })

  // claim: threats-29
  it('takes less than 36 MiB of memory if it cannot be read in parts', async () => {
    const spaced = utf8(textOf(await batchOf(undefined, LONGEST / 2)).padStart(LONGEST))
    expect(await codeOf(() => verifyBatch(spaced, { keyring }))).toBe('SIGNATURE_INVALID')
    // The bytes to hash are first assembled, in another 16 MiB and more.
    expect(coreMemory().buffer.byteLength).toBeGreaterThan(24 * MIB)
    expect(coreMemory().buffer.byteLength).toBeLessThan(36 * MIB)
  })
})
