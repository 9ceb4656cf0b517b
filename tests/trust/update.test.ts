import {
  generateKey,
  Keyring,
  memory,
  openSdk,
  toHex,
  verifyBatch,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { key } from '../support/sdk.js'
import { keyText, messageFrom, policyOf, told, trustOf } from '../support/trust.js'

const W1 = 'w1+d3358a8c+BI5puC+usq5vTs2plYU69HBnRZSEz3DeFqYt+i15r9jI'
const W2 = 'w2+fb7f6a53+BJ4pUqZjpUxZS1Pg6H40KiHznszysbUNVnEIzwCffLLe'

describe('a trust policy that is updated', () => {
  it('applies to calls that begin later, and reports in one event which signers have changed', async () => {
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

  it.each([
    ['its witnesses', { witnesses: [W1] }],
    ['the quorum of its witnesses', { quorum: 1 }],
  ])('reports an update that changes only %s', async (_, change) => {
    const policy = { ...policyOf(), witnesses: [W1, W2] }
    const trust = await readTrust(policy)
    const events: unknown[] = []
    trust.addEventListener('updated', ({ added, removed, changed }) => events.push([added, removed, changed]))
    await trust.update({ ...policy, ...change })
    expect(events).toEqual([[[], [], []]])
  })

  it('reports nothing if it is unchanged', async () => {
    const trust = await trustOf()
    let events = 0
    trust.addEventListener('updated', () => events++)
    await trust.update(JSON.stringify(policyOf()))
    expect(events).toBe(0)
  })

  // claim: threats-89
  it('changes nothing if it is invalid', async () => {
    const trust = await trustOf()
    expect(await codeOf(() => trust.update({ signers: [{ name: 'a', keys: ['x'] }] }))).toBe('CONFIG_INVALID')
    expect(await told(await messageFrom(), trust)).toBe('gateway-1')
  })

  it('has the content of the last update, even if an earlier update takes longer', async () => {
    const trust = await trustOf()
    const many = Array.from({ length: 50 }, (_, at) => ({
      name: `${at}`,
      keys: [toHex(generateKey().verifyingKey)],
    }))
    await Promise.all([trust.update({ signers: many }), trust.update(policyOf({ name: 'last' }))])
    expect(trust.signers).toEqual(['last'])
  })

  // claim: trust-50
  it('does not affect calls in progress, such as those about a large batch or hundreds of messages', async () => {
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

  it('applies soon even if messages are verified without a pause', async () => {
    const devices = Array.from({ length: 100 }, (_, at) => ({
      name: `${at}`,
      keys: [toHex(generateKey().verifyingKey)],
    }))
    const trust = await readTrust({ signers: [...policyOf().signers, ...devices] })
    const message = await messageFrom()
    let [now, verified, isOver] = [performance.now(), 0, false]
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    const verifying = async () => {
      while (!isOver) {
        await verifyMessages([message], { keyring: trust })
        verified++
        // Each verification seems to take a whole turn.
        now += 10
      }
    }
    const busy = Array.from({ length: 20 }, verifying)
    await trust.update({ signers: devices })
    isOver = true
    await Promise.all(busy)
    clock.mockRestore()
    expect(await told(message, trust)).toBe('SIGNER_UNKNOWN')
    expect(verified).toBeLessThan(300)
  })

  it('is read with the content at the time of the call, even if the object changes meanwhile', async () => {
    const trust = await trustOf()
    const rules = { hosts: ['edge-7'] }
    const policy = policyOf(rules)
    const updated = trust.update(policy)
    rules.hosts.push('edge-8')
    Object.assign(policy.signers[0] as object, { hosts: [] })
    await updated
    expect(await told(await messageFrom(), trust)).toBe('gateway-1')
    expect(await told(await messageFrom({ host: 'edge-8' }), trust)).toBe('SIGNER_NOT_ALLOWED')
    const unreadable = {
      get signers(): never {
        throw new Error('none here')
      },
    }
    expect((await failure(() => trust.update(unreadable))).message).toBe(
      'trust: expected a policy that can be read, got: none here',
    )
  })

  it('does not read a known key again, and forgets removed keys', async () => {
    const trust = await trustOf()
    const message = await messageFrom()
    const other = generateKey()
    const reads = vi.spyOn(Keyring.prototype, 'add')
    await trust.update(policyOf({ hosts: ['edge-7'] }))
    expect(await told(message, trust)).toBe('gateway-1')
    expect(reads).toHaveBeenCalledTimes(0)
    await trust.update(policyOf({ keys: [keyText, toHex(other.verifyingKey)] }))
    expect(reads).toHaveBeenCalledTimes(1)
    const next = await messageFrom({ signingKey: other.signingKey })
    expect([await told(message, trust), await told(next, trust)]).toEqual(['gateway-1', 'gateway-1'])
    await trust.update(policyOf({ keys: [toHex(other.verifyingKey)] }))
    expect([await told(message, trust), await told(next, trust)]).toEqual(['SIGNER_UNKNOWN', 'gateway-1'])
    await trust.update(policyOf())
    expect([await told(message, trust), await told(next, trust)]).toEqual(['gateway-1', 'SIGNER_UNKNOWN'])
    expect(reads).toHaveBeenCalledTimes(2)
    reads.mockRestore()
  })

  it('can still be used after it was closed', async () => {
    await using trust = await trustOf()
    await trust.close()
    expect(await verifyMessage(await messageFrom(), { keyring: trust })).toMatchObject({ host: 'edge-7' })
    expect(await codeOf(() => readTrust(policyOf(), { watch: true }))).toBe('CONFIG_INVALID')
    expect(keyText).toHaveLength(64)
  })
})
