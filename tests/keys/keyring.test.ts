import {
  generateKey,
  Keyring,
  keyIdOf,
  openSdk,
  source,
  toHex,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { countedTurns } from '../support/turns.js'

const payload = utf8('hello')
const [a, b, c] = [generateKey(), generateKey(), generateKey()]
const messageBy = async ({ signingKey }: { signingKey: Uint8Array }) => {
  await using sdk = await openSdk({ signingKey, annotators: [source()], stream: { publish: () => {} } })
  return (await sdk.create(payload)).message
}

describe('a keyring', () => {
  it('returns the ids of its keys', () => {
    const keyring = new Keyring([a.verifyingKey, toHex(b.verifyingKey)])
    expect(keyring.keyIds).toEqual([a.keyId, b.keyId])
    expect(keyring.add(c.verifyingKey)).toBe(c.keyId)
    expect(keyring.keyIds).toEqual([a.keyId, b.keyId, c.keyId])
  })

  it('contains each key once, in whatever forms it is added', async () => {
    const keyring = new Keyring([a.verifyingKey, toHex(a.verifyingKey), `${toHex(a.verifyingKey)}\n`])
    expect(keyring.keyIds).toEqual([a.keyId])
    expect(keyring.delete(a.keyId)).toBe(true)
    expect(await codeOf(async () => verifyMessage(await messageBy(a), { keyring }))).toBe('SIGNER_UNKNOWN')
  })

  it("still trusts a key after the caller has overwritten the key's bytes", async () => {
    const bytes = Uint8Array.from(a.verifyingKey)
    const keyring = new Keyring([bytes])
    bytes.fill(0)
    expect((await verifyMessage(await messageBy(a), { keyring })).signer).toBe(a.keyId)
  })

  it('can be created from any iterable, and without keys', async () => {
    expect(new Keyring(new Set([a.verifyingKey, b.verifyingKey])).keyIds).toHaveLength(2)
    const error = await failure(async () => verifyMessage(await messageBy(a), { keyring: new Keyring() }))
    expect(error).toMatchObject({ code: 'SIGNER_UNKNOWN', message: expect.stringContaining(a.keyId) })
  })

  it.each([a.verifyingKey, toHex(a.verifyingKey)])('refuses a single key in place of a list', (key) => {
    expect(() => new Keyring(key as never)).toThrow(
      new TypeError(
        `keys: expected an array of public keys, got a ${typeof key === 'string' ? 'string' : 'Uint8Array'}`,
      ),
    )
  })

  it('refuses an invalid key, and keeps its other keys', async () => {
    const keyring = new Keyring([a.verifyingKey])
    expect(await codeOf(() => keyring.add('abc'))).toBe('KEY_INVALID')
    expect(await codeOf(() => new Keyring([a.verifyingKey, 'abc']))).toBe('KEY_INVALID')
    expect(keyring.keyIds).toEqual([a.keyId])
  })

  it('can be used again after close()', async () => {
    const keyring = new Keyring([a.verifyingKey])
    keyring.close()
    const message = await messageBy(a)
    expect((await verifyMessage(message, { keyring })).signer).toBe(a.keyId)
    keyring.close()
    keyring.close()
    expect((await verifyMessage(message, { keyring })).signer).toBe(a.keyId)
  })
})

describe('when a signer changes its key', () => {
  it('both keys verify until the old key is deleted', async () => {
    const [before, after] = [await messageBy(a), await messageBy(b)]
    const keyring = new Keyring([a.verifyingKey])
    expect(await codeOf(() => verifyMessage(after, { keyring }))).toBe('SIGNER_UNKNOWN')
    keyring.add(b.verifyingKey)
    expect((await verifyMessage(before, { keyring })).signer).toBe(a.keyId)
    expect((await verifyMessage(after, { keyring })).signer).toBe(b.keyId)
    expect(keyring.delete(a.keyId)).toBe(true)
    expect(keyring.delete(a.keyId)).toBe(false)
    expect(await codeOf(() => verifyMessage(before, { keyring }))).toBe('SIGNER_UNKNOWN')
    expect((await verifyMessage(after, { keyring })).signer).toBe(b.keyId)
  })
})

interface Internals {
  readonly keys: readonly Uint8Array[]
  readonly maxTableBytes: number
  ready(): Promise<void>
}
const inside = (keyring: Keyring) => keyring as unknown as Internals

describe('a keyring with many keys', () => {
  it('verifies each message with the key of its signer', async () => {
    const keys = Array.from({ length: 200 }, () => generateKey())
    const keyring = new Keyring(keys.map(({ verifyingKey }) => verifyingKey))
    for (const key of keys.filter((_, at) => at % 10 === 0)) {
      expect((await verifyMessage(await messageBy(key), { keyring })).signer).toBe(key.keyId)
    }
    expect(await codeOf(async () => verifyMessage(await messageBy(a), { keyring }))).toBe('SIGNER_UNKNOWN')
  })

  it('trusts no removed key, however often it was used', async () => {
    const keys = Array.from({ length: 100 }, () => generateKey())
    const messages = await Promise.all(keys.map(messageBy))
    const keyring = new Keyring(keys.map(({ verifyingKey }) => verifyingKey))
    // Often enough for tables of some keys.
    for (let round = 0; round < 12; round++) await verifyMessages(messages, { keyring })
    const gone = keys.map((_, at) => at % 3 === 0)
    for (const [at, { keyId }] of keys.entries()) if (gone[at]) keyring.delete(keyId)
    const codes = async () =>
      (await verifyMessages(messages, { keyring })).map((one) =>
        one.status === 'fulfilled' ? one.value[0]?.signer : one.reason.code,
      )
    expect(await codes()).toEqual(keys.map(({ keyId }, at) => (gone[at] ? 'SIGNER_UNKNOWN' : keyId)))
    for (const { verifyingKey } of keys) keyring.add(verifyingKey)
    expect(await codes()).toEqual(keys.map(({ keyId }) => keyId))
  })

  it('removes a key without parsing the remaining keys again', async () => {
    const keyring = await Keyring.from(Array.from({ length: 100 }, () => generateKey().verifyingKey))
    keyring.add(a.verifyingKey)
    const message = await messageBy(a)
    await verifyMessage(message, { keyring })
    const read = vi.spyOn(inside(keyring), 'keys', 'get')
    for (const keyId of keyring.keyIds.slice(0, 50)) keyring.delete(keyId)
    expect((await verifyMessage(message, { keyring })).signer).toBe(a.keyId)
    expect(read).not.toHaveBeenCalled()
  })

  it('returns its keys in the order of their ids, whatever was added and removed', () => {
    const keyring = new Keyring(Array.from({ length: 50 }, () => generateKey().verifyingKey))
    const inOrder = () => {
      const ids = inside(keyring).keys.map((bytes) => keyIdOf(bytes))
      expect(ids).toEqual([...keyring.keyIds].sort())
    }
    inOrder()
    for (const keyId of keyring.keyIds.slice(10, 20)) keyring.delete(keyId)
    inOrder()
    keyring.add(a.verifyingKey)
    inOrder()
    keyring.delete(a.keyId)
    keyring.add(b.verifyingKey)
    inOrder()
  })

  it('is parsed in steps, between which the event loop runs', async () => {
    const keys = [...Array.from({ length: 200 }, () => generateKey().verifyingKey), a.verifyingKey]
    const message = await messageBy(a)
    const turns = await countedTurns(1)
    const keyring = await Keyring.from(keys, { maxTableBytes: 0 })
    expect(turns.count).toBeGreaterThan(10)
    const before = turns.count
    expect((await verifyMessage(message, { keyring: keys })).signer).toBe(a.keyId)
    expect(turns.count).toBeGreaterThan(before + 10)
    turns.end()
    expect(inside(keyring).maxTableBytes).toBe(0)
    expect((await verifyMessage(message, { keyring })).signer).toBe(a.keyId)
    await expect(Keyring.from([...keys, 'abc'])).rejects.toMatchObject({ code: 'KEY_INVALID' })
    await expect(Keyring.from('abc' as unknown as string[])).rejects.toThrow(
      'keys: expected an array of public keys',
    )
  })

  it('trusts keys that are added while it is being parsed', async () => {
    const keyring = new Keyring(Array.from({ length: 200 }, () => generateKey().verifyingKey))
    const messages = [await messageBy(a), await messageBy(b)] as const
    const reading = inside(keyring).ready()
    keyring.add(a.verifyingKey)
    await reading
    expect((await verifyMessage(messages[0], { keyring })).signer).toBe(a.keyId)
    keyring.add(b.verifyingKey)
    expect((await verifyMessage(messages[1], { keyring })).signer).toBe(b.keyId)
  })

  it('is equivalent to an array of the same keys in verifyMessage', async () => {
    const keyring = [a.verifyingKey, toHex(b.verifyingKey)]
    expect((await verifyMessage(await messageBy(b), { keyring, payload })).signer).toBe(b.keyId)
    expect(await codeOf(async () => verifyMessage(await messageBy(c), { keyring }))).toBe('SIGNER_UNKNOWN')
    expect(await codeOf(async () => verifyMessage(await messageBy(c), { keyring: ['abc'] }))).toBe(
      'KEY_INVALID',
    )
  })
})
