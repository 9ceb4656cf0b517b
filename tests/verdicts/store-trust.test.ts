import { generateKey, keyIdOf, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { openStore } from 'alvarium-sdk/store'
import { type Policy, readTrust } from 'alvarium-sdk/trust'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { startOneConnection } from '../store/databases.js'
import { utf8 } from '../support/bytes.js'
import { openLeased } from '../support/leased.js'
import { key } from '../support/sdk.js'
import { policyOf } from '../support/trust.js'
import { emptyStore, keptStore } from './kept-store.js'

const trust = await readTrust(policyOf())
const fixture = keptStore({ keyring: trust })
const { query, auditAfter } = fixture
afterEach(() => trust.update(policyOf()))

const signer = keyIdOf(key.verifyingKey)
const FIRST = 'seq = (select min(seq) from alvarium.bundle where action is not null)'
const ANNOTATION = 'seq = (select min(seq) from alvarium.bundle where action is null)'

/** Policies that refuse the signer of all stored messages. */
const REFUSING: readonly (readonly [code: string, policy: Policy])[] = [
  ['SIGNER_REVOKED', policyOf({ revoked: { since: '2020-01-01T00:00:00Z' } })],
  ['SIGNER_EXPIRED', policyOf({ until: '2020-01-01T00:00:00Z' })],
  ['SIGNER_NOT_ALLOWED', policyOf({ kinds: ['another'] })],
]

describe.each(REFUSING)('an audit by a current policy that refuses a signer with %s', (code, policy) => {
  // claim: store-37
  it('reports the number of messages of that signer, and no differences', async () => {
    await trust.update(policy)
    const report = await fixture.store.audit(fixture.options)
    expect(report).toMatchObject({ verdict: 'proved', outcome: 'holds', count: 0, differences: [] })
    const listed = report.untrusted.filter((one) => one.code === code)
    expect(listed).toMatchObject([{ signer, name: 'gateway-1' }])
    expect(listed[0]?.messages).toBeGreaterThan(10)
    expect(report.says).toContain('of signers whom the trust policy refuses today')
  })

  it('still finds each real difference among the messages of that signer', async () => {
    await trust.update(policy)
    for (const [statement, what] of [
      [`update alvarium.bundle set ok = set_byte(ok, 0, 255 - get_byte(ok, 0)) where ${FIRST}`, 'answers'],
      [
        `update alvarium.bundle set ok = set_byte(ok, 0, 255 - get_byte(ok, 0)) where ${ANNOTATION}`,
        'answers',
      ],
      [`update alvarium.bundle set signed_by = host where ${FIRST}`, 'signer in the trust policy'],
      [`update alvarium.bundle set signed_by = null where ${ANNOTATION}`, 'signer in the trust policy'],
    ]) {
      const { differences } = await auditAfter(statement as string)
      expect(differences, statement).toMatchObject([{ table: 'bundle', what }])
    }
    const flipped = `convert_to(replace(convert_from(message, 'UTF8'), '"isSatisfied":true', '"isSatisfied":false'), 'UTF8')`
    const report = await auditAfter(
      `update alvarium.evidence set message = ${flipped}, digest = sha256(${flipped}) where seq = (select min(seq) from alvarium.evidence)`,
    )
    expect(report.differences).toContainEqual(expect.objectContaining({ table: 'evidence', what: 'message' }))
  })
})

describe('an audit by current keys, without the key of one signer', () => {
  async function auditedBy(keyring: readonly Uint8Array[], statements: string | readonly string[] = []) {
    await query('begin')
    try {
      // An audit reads this transaction once it has written something.
      for (const one of ['create table alteration ()', ...[statements].flat()]) await query(one)
      await using stranger = await openStore(
        { query: async (text, given) => ({ rows: await query(text, given) }) },
        { keyring },
      )
      return await stranger.audit(fixture.options)
    } finally {
      await query('rollback')
    }
  }

  it('has the outcome "cannot tell", and names the needed public keys', async () => {
    const report = await auditedBy([])
    expect(report).toMatchObject({ verdict: 'unknown signer', outcome: 'cannot tell', count: 0 })
    expect(report.needs).toContain('the public keys of the unknown signers')
    expect(report.untrusted).toMatchObject([{ signer, code: 'SIGNER_UNKNOWN' }])
  })

  it('still compares the rows with the log', async () => {
    for (const where of [FIRST, ANNOTATION]) {
      const flipped = `set ok = set_byte(ok, 0, 255 - get_byte(ok, 0)) where ${where}`
      const { verdict, differences } = await auditedBy([], `update alvarium.bundle ${flipped}`)
      expect([verdict, differences], where).toEqual([
        'different',
        [expect.objectContaining({ table: 'bundle', what: 'answers' })],
      ])
    }
  })

  it('has the verdict "different" if a stored message was replaced by a message of an unknown signer', async () => {
    const stream = memory()
    const sdk = await openSdk({ signingKey: generateKey().signingKey, annotators: [source()], stream })
    await sdk.create(utf8('a'))
    await sdk.close()
    const message = `'\\x${toHex(stream.messages[0] as Uint8Array)}'::bytea`
    const set = `set message = ${message}, digest = sha256(${message})`
    const { verdict } = await auditAfter(
      `update alvarium.evidence ${set} where seq = (select min(seq) from alvarium.evidence)`,
    )
    expect(verdict).toBe('different')
  })
})

describe('an audit of the messages of a leased key', () => {
  it('reports the number of messages of a revoked signer, and no differences', async () => {
    const policy = policyOf({ maxLeaseMs: 3_600_000 })
    const leasing = await readTrust(policy)
    const store = await emptyStore({ keyring: leasing })
    const stream = memory()
    const { sdk, leases } = await openLeased({}, { stream })
    for (const text of ['a', 'b', 'c']) await sdk.create(utf8(text))
    await sdk.close()
    expect(await store.ingest([...leases, ...stream.messages])).toMatchObject({ bundles: 3 })
    await leasing.update({
      signers: [{ ...policy.signers[0], revoked: { since: '2020-01-01T00:00:00Z' } }],
    } as Policy)
    const report = await store.audit({ itself: true })
    expect(report).toMatchObject({ verdict: 'consistent', outcome: 'holds', differences: [] })
    expect(report.untrusted).toMatchObject([{ name: 'gateway-1', code: 'SIGNER_REVOKED', messages: 3 }])
  })
})

describe('an audit by keys, of messages stored under a trust policy', () => {
  it('reports an altered row even after very many differences in names of signers', async () => {
    const naming = await readTrust(policyOf())
    const database = await startOneConnection()
    onTestFinished(() => database.stop())
    const store = await openStore(database.where, { keyring: naming })
    const stream = memory()
    const sdk = await openSdk({ signingKey: key.signingKey, annotators: [source()], stream })
    for (let at = 0; at < 1_100; at++) await sdk.create(utf8(`${at}`))
    await sdk.close()
    await store.ingest(stream.messages)
    await database.where.query(`update alvarium.bundle set ok = '\\x00' where seq = 1050`)
    const keys = await openStore(database.where, { keyring: [key.verifyingKey] })
    const { count, differences } = await keys.audit()
    expect(count).toBe(1_101)
    expect(differences.length).toBe(251)
    expect(differences.at(-1)).toMatchObject({ table: 'bundle', row: '1050', what: 'answers' })
    for (const one of [keys, store]) await one.close()
  })
})
