// @each-database

import { generateKey, toHex } from 'alvarium-sdk'
import { issueLease, readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import { bundleBy, checkpointBy, leaseBy, type Party } from '../support/by-hand.js'
import { textOf, utf8 } from '../support/bytes.js'
import { undoSteps } from '../support/older-store.js'
import {
  clock,
  first,
  forkedNotes,
  holder,
  leases,
  messages,
  notes,
  owner,
  policy,
  reportOn,
  run,
  second,
} from '../support/two-issuers.js'
import { onEachDatabase, type TestDatabase } from './databases.js'

const YEARS_MS = 10 * 365 * 86_400_000
const keyring = await readTrust({ ...policy, acceptLateMs: YEARS_MS })
const [one, two] = notes as [Uint8Array, Uint8Array]
/** The issuer for whom the key does not count. */
const secondary = first.keyId === owner ? second : first

async function storeOf(database: TestDatabase, given: readonly Uint8Array[]) {
  const store = await database.open({ keyring })
  await store.ingest(given)
  return store
}

/** Returns a message of a key, and a checkpoint of its whole log. */
function loggedBy(party: Party): Uint8Array[] {
  const message = bundleBy(party, { payload: party.keyId, timestamp: clock(10) })
  const times = { from: clock(5), at: clock(15) }
  return [message.message, checkpointBy(party, { run, number: 0, log: [message], end: true, ...times })]
}

describe('a store with a key that has leases of two issuers', () => {
  onEachDatabase((database) => {
    // claim: store-45
    it("reports the key's log as complete, and attributes it to one of the issuers", async () => {
      const store = await storeOf(database, [...leases, ...messages, ...notes])
      const { signers } = await store.missing()
      expect(signers).toMatchObject([{ signer: owner, verdict: 'complete', messages: 4 }])
      expect((await store.missing({ signer: owner })).signers).toEqual(signers)
      expect((await store.missing({ signer: secondary.keyId })).signers).toEqual([])
      expect((await store.audit()).differences).toEqual([])
    })

    it('has no differences in an audit by a policy that refuses its leases but lists the key itself', async () => {
      await storeOf(database, leases)
      const own = { name: 'holder', keys: [toHex(holder.verifyingKey)] }
      const today = await readTrust({ signers: [...policy.signers, own], acceptLateMs: YEARS_MS })
      const store = await database.open({ keyring: today })
      const { differences, untrusted } = await store.audit()
      expect(differences).toEqual([])
      expect(untrusted.filter(({ code }) => code === 'SIGNER_NOT_ALLOWED').length).toBeGreaterThan(0)
      await today.close()
    })

    it.each([
      ['all messages and checkpoints', messages, notes],
      ['two checkpoints that fork', messages, forkedNotes],
      ['the last message missing', messages.slice(0, 3), notes],
      ['the first message missing', messages.slice(1), notes],
      ['the checkpoint of the first issuer alone', messages, [one]],
      ['the checkpoint of the second issuer alone', messages, [two]],
      ['the messages of the second issuer alone', messages.slice(2), notes],
    ])('has the same verdict as a completeness report with %s', async (_, some, given) => {
      const store = await storeOf(database, [...leases, ...some, ...given])
      const [report] = await reportOn(some, given)
      // A store does not know which issuer had the name of a message.
      const { name: _name, says: _says, ...judgement } = report as NonNullable<typeof report>
      expect((await store.missing()).signers).toMatchObject([judgement])
    })

    it('names in its report only the issuer to whom the key is attributed', async () => {
      const store = await storeOf(database, [...leases, ...messages, ...notes])
      for (const { name, says } of (await store.missing()).signers) {
        expect([name, says].join()).not.toContain(secondary.keyId)
      }
    })

    it('reports other keys of the second issuer separately', async () => {
      const key = generateKey()
      const lease = await leaseBy(secondary, key, clock(0), clock(30))
      const others = [lease, ...loggedBy(key), ...loggedBy(secondary)]
      const store = await storeOf(database, [...leases, ...messages, ...notes, ...others])
      const all = [
        { signer: owner, verdict: 'complete', messages: 4, runs: [{ keyId: holder.keyId }] },
        { signer: secondary.keyId, verdict: 'complete', messages: 2 },
      ]
      expect((await store.missing()).signers).toMatchObject(all)
      const { signers, next } = await store.missing({ limit: 1 })
      const rest = await store.missing({ limit: 1, after: next })
      expect([...signers, ...rest.signers]).toMatchObject(all)
      expect(rest.next).toBeUndefined()
    })

    it('reports each message of the key once, and not for each issuer, if the key has no checkpoint', async () => {
      const store = await storeOf(database, [...leases, ...messages, ...loggedBy(first), ...loggedBy(second)])
      const { signers } = await store.missing()
      expect(signers.map(({ signer, messages }) => [signer, messages])).toEqual([
        [owner, 5],
        [secondary.keyId, 1],
      ])
    })

    /** Stores messages of the second issuer while the policy has only the first one, which gave it a lease. Then the policy has both. */
    const storeOfLater = async (given: readonly Uint8Array[]) => {
      const [issuer] = policy.signers as [(typeof policy.signers)[number]]
      const earlier = await database.open({ keyring: await readTrust({ ...policy, signers: [issuer] }) })
      await earlier.ingest([await leaseBy(first, second, clock(0), clock(30)), ...given])
      const key = generateKey()
      return storeOf(database, [await leaseBy(second, key, clock(0), clock(30)), ...loggedBy(key)])
    }

    it('attributes a leased key without accepted checkpoints to the key itself if the trust policy now lists the key as an issuer', async () => {
      const store = await storeOfLater(loggedBy(second).slice(0, 1))
      expect((await store.missing()).signers).toMatchObject([{ signer: second.keyId, messages: 2 }])
    })

    it('attributes a leased key with accepted checkpoints to its issuer, even if the trust policy now lists the key as an issuer', async () => {
      const store = await storeOfLater(loggedBy(second))
      const found = (await store.missing()).signers.map(({ signer, messages }) => [signer, messages])
      const both = [first, second].map(({ keyId }) => [keyId, 1])
      expect(found).toEqual(both.sort())
    })

    it('is audited with a difference for each checkpoint and lease whose column `key` was altered', async () => {
      const store = await storeOf(database, [...leases, ...notes])
      await database.query('update alvarium.beside set key = signer')
      const { differences } = await store.audit()
      expect(differences.map(({ table, row, what }) => `${table} ${row} ${what}`)).toEqual(
        [0, 1, 2, 3].map((row) => `beside ${row} key`),
      )
    })
  })
})

describe('a store of a version in which checkpoints and leases had no column for their key', () => {
  onEachDatabase((database) => {
    /** Makes a store of version 10 of the schema, and closes it. */
    const older = async (given: readonly Uint8Array[]) => {
      await (await storeOf(database, given)).close()
      await undoSteps(database, 10)
    }

    it('gives the same answers after the upgrade as before', async () => {
      const p256 = await generateKey({ algorithm: 'P-256' })
      const terms = { from: new Date(clock(0)), ttlMs: 60_000, name: '"subject":"ab"' }
      const lease = await issueLease(first.signingKey, { subject: p256.signingKey, ...terms })
      const spaced = utf8(`${' '.repeat(2_000)}${textOf(two)}`)
      const given = [...leases, lease, ...messages, one, spaced]
      await older(given)
      const store = await database.open({ keyring })
      const { signers } = await store.missing()
      expect(signers).toMatchObject([{ signer: owner, verdict: 'complete', messages: 4 }])
      expect((await store.audit()).differences).toEqual([])
      const rows = await database.query("select encode(key, 'hex') as key from alvarium.beside order by seq")
      const keys = [holder, holder, p256, holder, holder].map(({ keyId }) => keyId)
      expect(rows.map(({ key }) => key)).toEqual(keys)
      expect(await store.ingest([...given, ...loggedBy(second)])).toMatchObject({
        bundles: 1,
        controlMessages: 1,
      })
    })

    it('is upgraded even if rows were altered, and an audit names these rows', async () => {
      await older([...leases, ...notes])
      await database.query(`update alvarium.beside set message = '\\xff00'`)
      const { differences } = await (await database.open({ keyring })).audit()
      const rows = differences.filter(({ what }) => what === 'kind').map(({ row }) => row)
      expect(rows).toEqual(['0', '1', '2', '3'])
    })
  })
})
