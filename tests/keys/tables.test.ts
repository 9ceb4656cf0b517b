// @alone
// @node-only: the core's memory grows alike everywhere

import { generateKey, Keyring, memory, openSdk, source, verifyMessage, verifyMessages } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { coreMemory } from '../support/core-memory.js'
import { failure } from '../support/failure.js'

/** Returns a message of each of this many signers, and their keys. */
async function signers(count: number) {
  const keys = Array.from({ length: count }, generateKey)
  const messages = keys.map(async ({ signingKey }, at) => {
    await using sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
    return (await sdk.create(utf8(`payload ${at}`))).message
  })
  return { keys: keys.map(({ verifyingKey }) => verifyingKey), messages: await Promise.all(messages) }
}

function altered(message: Uint8Array): Uint8Array {
  return utf8(new TextDecoder().decode(message).replace('"isSatisfied":true', '"isSatisfied":false'))
}

describe('a keyring', () => {
  it.each([0, 60_000, 8 * 1024 * 1024])(
    'gives the same verdicts, however often its keys are used, with a maxTableBytes of %i',
    async (maxTableBytes) => {
      const { keys, messages } = await signers(4)
      const keyring = new Keyring(keys, { maxTableBytes })
      const all = messages.flatMap((message) => [message, altered(message)])
      for (let round = 0; round < 15; round++) {
        const outcomes = await verifyMessages(all, { keyring })
        const verdicts = outcomes.map((one) => (one.status === 'fulfilled' ? 'genuine' : one.reason.code))
        expect(verdicts).toEqual(messages.flatMap(() => ['genuine', 'SIGNATURE_INVALID']))
      }
    },
  )

  it('accepts a new key while it is in use, and still verifies with the other keys', async () => {
    const { keys, messages } = await signers(2)
    const keyring = new Keyring(keys.slice(0, 1))
    const [first, second] = messages as [Uint8Array, Uint8Array]
    for (let round = 0; round < 20; round++) await verifyMessage(first, { keyring })
    expect((await failure(() => verifyMessage(second, { keyring }))).code).toBe('SIGNER_UNKNOWN')
    keyring.add(keys[1] as Uint8Array)
    expect(await verifyMessage(second, { keyring })).toMatchObject({ action: 'create' })
    expect(await verifyMessage(first, { keyring })).toMatchObject({ action: 'create' })
  })

  it('does not spend memory on precomputed tables for keys that are used only once', async () => {
    const { keys, messages } = await signers(400)
    const keyring = new Keyring(keys)
    await verifyMessages(messages.slice(0, 1), { keyring })
    const before = coreMemory().buffer.byteLength
    const outcomes = await verifyMessages(messages, { keyring })
    expect(outcomes.every(({ status }) => status === 'fulfilled')).toBe(true)
    // Four hundred tables would be 21 MB.
    expect(coreMemory().buffer.byteLength - before).toBeLessThan(2 * 1024 * 1024)
  })

  // claim: threats-16
  it('limits the memory of the tables that it precomputes for its keys to maxTableBytes', async () => {
    const { keys, messages } = await signers(64)
    const keyring = new Keyring(keys, { maxTableBytes: 10 * 53_248 })
    await verifyMessages(messages, { keyring })
    const before = coreMemory().buffer.byteLength
    for (let round = 0; round < 30; round++) await verifyMessages(messages, { keyring })
    // Sixty-four would be 3.4 MB.
    expect(coreMemory().buffer.byteLength - before).toBeLessThan(1.5 * 1024 * 1024)
  })

  it.each([-1, 1.5, Number.NaN, 2 ** 31])('refuses a maxTableBytes of %d', async (maxTableBytes) => {
    const { code, message } = await failure(() => new Keyring([], { maxTableBytes }))
    expect(code).toBe('CONFIG_INVALID')
    expect(message).toContain('keyring.maxTableBytes: expected an integer from 0 to')
  })
})
