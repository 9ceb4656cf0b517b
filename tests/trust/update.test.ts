import { generateKey, memory, openSdk, toHex, verifyBatch, verifyMessage, verifyMessages } from 'alvarium-sdk'
import { readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { key } from '../support/sdk.js'
import { keyText, messageFrom, policyOf, told, trustOf } from '../support/trust.js'

describe('a policy that is updated', () => {
  it('holds for what begins later, and tells once which signers differ', async () => {
    const trust = await readTrust({
      signers: [...policyOf().signers, { name: 'old', keys: [toHex(generateKey().verifyingKey)] }],
    })
    const told1: unknown[] = []
    trust.addEventListener('updated', ({ added, removed, changed }) =>
      told1.push({ added, removed, changed }),
    )
    const next = { name: 'new', keys: [toHex(generateKey().verifyingKey)] }
    await trust.update({ signers: [...policyOf({ hosts: ['edge-8'] }).signers, next] })
    expect(await told(await messageFrom(), trust)).toBe('SIGNER_NOT_ALLOWED')
    expect(trust.signers).toEqual(['gateway-1', 'new'])
    expect(told1).toEqual([{ added: ['new'], removed: ['old'], changed: ['gateway-1'] }])
  })

  it('that says the same tells nothing', async () => {
    const trust = await trustOf()
    let events = 0
    trust.addEventListener('updated', () => events++)
    await trust.update(JSON.stringify(policyOf()))
    expect(events).toBe(0)
  })

  it('that cannot work changes nothing', async () => {
    const trust = await trustOf()
    expect(await codeOf(() => trust.update({ signers: [{ name: 'a', keys: ['x'] }] }))).toBe('CONFIG_INVALID')
    expect(await told(await messageFrom(), trust)).toBe('gateway-1')
  })

  it('is taken in the order of the updates', async () => {
    const trust = await trustOf()
    const many = Array.from({ length: 50 }, (_, at) => ({
      name: `${at}`,
      keys: [toHex(generateKey().verifyingKey)],
    }))
    await Promise.all([trust.update({ signers: many }), trust.update(policyOf({ name: 'last' }))])
    expect(trust.signers).toEqual(['last'])
  })

  it('does not touch what is under way: a batch of thousands, and hundreds of messages', async () => {
    const trust = await trustOf()
    const stream = memory()
    const sdk = await openSdk({
      signingKey: key.signingKey,
      annotators: [],
      batch: { maxBundles: 4000 },
      stream,
    })
    await sdk.createMany(Array.from({ length: 4000 }, (_, at) => utf8(`${at}`)))
    await sdk.close()
    const [batch] = stream.messages as [Uint8Array]
    const message = await messageFrom()
    const large = verifyBatch(batch, { keyring: trust })
    const many = verifyMessages(
      Array.from({ length: 300 }, () => message),
      { keyring: trust },
    )
    await trust.update(policyOf({ name: 'later', hosts: [] }))
    expect((await large).at(-1)?.signedBy?.name).toBe('gateway-1')
    const names = (await many).map((one) =>
      one.status === 'fulfilled' ? one.value[0]?.signedBy?.name : one.reason.code,
    )
    expect(new Set(names)).toEqual(new Set(['gateway-1']))
    expect(await told(message, trust)).toBe('SIGNER_NOT_ALLOWED')
  })

  it('can be used when it is closed', async () => {
    await using trust = await trustOf()
    await trust.close()
    expect(await verifyMessage(await messageFrom(), { keyring: trust })).toMatchObject({ host: 'edge-7' })
    expect(await codeOf(() => readTrust(policyOf(), { watch: true }))).toBe('CONFIG_INVALID')
    expect(keyText).toHaveLength(64)
  })
})
