// @each-database

import { generateKey, Keyring, toHex } from 'alvarium-sdk'
import { isCheckpoint } from 'alvarium-sdk/completeness'
import { openStore } from 'alvarium-sdk/store'
import { readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { loggedSdk, messageOf, noteOf } from '../support/checkpoints.js'
import { codeOf } from '../support/failure.js'
import { openLeased, openLogged } from '../support/leased.js'
import { leaseFrom, resignedLease, subject } from '../support/leases.js'
import { messageFrom, policyOf, trustOf } from '../support/trust.js'
import { until } from '../support/until.js'
import { onEachDatabase } from './databases.js'
import { endingAt, pausingAtCommit } from './ending.js'

const HOUR_MS = 3_600_000

/** Returns a signer's messages, and its checkpoints: one for each two messages, and one at the end. */
async function logged(count = 4) {
  const { sdk, keyring, messages, notes } = await loggedSdk({}, { every: 2 })
  for (let at = 0; at < count; at++) await sdk.create(utf8(`payload ${at}`))
  await sdk.close()
  return { keyring, messages, notes: [...notes] }
}

async function leasedMessages(count: number) {
  const { sdk, leases } = await openLeased()
  const messages: Uint8Array[] = []
  for (let at = 0; at < count; at++) messages.push((await sdk.create(utf8(`leased ${at}`))).message)
  await sdk.close()
  return { leases, messages }
}

async function exported(store: { export(): AsyncIterable<{ message: Uint8Array }> }) {
  const texts: string[] = []
  for await (const { message } of store.export()) texts.push(textOf(message))
  return texts
}

describe('a control message (checkpoint or lease) in a store', () => {
  onEachDatabase((database, isServer) => {
    it('is stored once, and exported before the bundles', async () => {
      const { keyring, messages, notes } = await logged()
      const store = await database.open({ keyring })
      const done = await store.ingest([...messages, ...notes, ...notes])
      expect(done).toMatchObject({
        bundles: 4,
        controlMessages: notes.length,
        copies: notes.length,
        skipped: 0,
      })
      expect(await store.ingest(notes)).toMatchObject({ controlMessages: 0, copies: notes.length })
      expect(await exported(store)).toEqual([...notes, ...messages].map(textOf))
      expect((await store.audit()).verdict).toBe('consistent')
    })

    it('is stored even if it arrives a year late together with the messages whose age it proves', async () => {
      const { sdk, leases, messages, notes } = await openLogged({}, { every: 1 })
      for (const text of ['a', 'b', 'c']) await sdk.create(utf8(text))
      await sdk.close()
      const store = await database.open({ keyring: await trustOf() })
      const receivedAt = Date.now() + 365 * 24 * HOUR_MS
      const late = [...messages, ...notes, ...leases].map((message) => ({ message, receivedAt }))
      const counts = { bundles: 3, controlMessages: leases.length + notes.length, rejected: {} }
      expect(await store.ingest(late)).toMatchObject(counts)
    })

    it('makes ingest reject with STORE_FAILED if the database refuses the row of the message', async () => {
      const { keyring, notes } = await logged()
      const store = await database.open({ keyring })
      await database.query('alter table alvarium.beside add constraint odd check (seq < 0)')
      expect(await codeOf(() => store.ingest(notes))).toBe('STORE_FAILED')
    })

    // claim: store-5
    it('is stored once, even if a copy has additional spaces or the signature of another witness', async () => {
      const { keyring, notes } = await logged()
      const store = await database.open({ keyring })
      const around = notes.flatMap((note) => [1, 2, 3].map((count) => utf8(textOf(note) + ' '.repeat(count))))
      const witness = `\u2014 witness ${btoa('a'.repeat(68))}\n`
      const witnessed = notes.map((note) => messageOf(`${noteOf(note)}${witness}`))
      expect(await store.ingest([...notes, ...around])).toMatchObject({ controlMessages: notes.length })
      expect(await store.ingest([...around, ...witnessed])).toMatchObject({
        controlMessages: 0,
        rejected: {},
      })
      expect(await exported(store)).toEqual(notes.map(textOf))
    })

    it('keeps the time of receipt of its first copy', async () => {
      const { keyring, notes } = await logged()
      const [note] = notes as [Uint8Array]
      const store = await database.open({ keyring })
      const copy = utf8(`${textOf(note)} `)
      await store.ingest([
        { message: note, receivedAt: 1_000 },
        { message: copy, receivedAt: 2_000 },
      ])
      const times: unknown[] = []
      for await (const { receivedAt } of store.export()) times.push(receivedAt)
      expect(times).toEqual([1_000])
    })

    it('is verified by its own time of receipt, not by those of other messages in the same call of ingest', async () => {
      const { keyring, messages, notes } = await logged()
      const now = Date.now()
      const keys = keyring.map((one) => toHex(one))
      const ends = new Date(now + HOUR_MS).toISOString()
      const trust = await readTrust({ signers: [{ name: 'gateway-1', keys, until: ends }] })
      const store = await database.open({ keyring: trust })
      const [first, second] = notes as [Uint8Array, Uint8Array]
      const [message] = messages as [Uint8Array]
      const late = now + 2 * HOUR_MS
      const given = [
        { message: first, receivedAt: now },
        { message, receivedAt: late },
        { message: second, receivedAt: late },
      ]
      expect(await store.ingest(given)).toMatchObject({
        controlMessages: 1,
        bundles: 0,
        rejected: { SIGNER_EXPIRED: 2 },
      })
    })

    it('is stored before the bundles that arrive with it, so that a crash in between loses nothing', async () => {
      const { keyring, messages, notes } = await logged()
      const store = await database.open({ keyring })
      const dying = await openStore(endingAt(database, 'after'), { keyring })
      expect(await codeOf(() => dying.ingest([...messages, ...notes]))).toBe('STORE_FAILED')
      const next = await store.ingest([...messages, ...notes])
      expect(next).toMatchObject({ bundles: messages.length, controlMessages: 0, copies: notes.length })
    })

    it('is exported, and can be ingested by another store', async () => {
      const { keyring, messages, notes } = await logged()
      const store = await database.open({ keyring })
      await store.ingest(notes.map((message) => ({ message, receivedAt: Date.now() })))
      await store.ingest(messages)
      const all: { message: Uint8Array; receivedAt?: number }[] = []
      for await (const one of store.export()) all.push(one)
      expect(all.map(({ receivedAt }) => receivedAt !== undefined)).toEqual(
        all.map(({ message }) => isCheckpoint(message)),
      )
      await database.query('drop schema alvarium cascade')
      const next = await database.open({ keyring })
      expect(await next.ingest(all)).toMatchObject({
        bundles: messages.length,
        controlMessages: notes.length,
      })
    })

    it('is skipped if it is a lease and the store has a plain list of keys in place of a trust policy', async () => {
      const lease = await leaseFrom()
      const [keys, policy] = [await database.open(), await database.open({ keyring: await trustOf() })]
      expect(await keys.ingest([lease])).toMatchObject({ controlMessages: 0, skipped: 1 })
      expect(await policy.ingest([lease, await messageFrom()])).toMatchObject({
        controlMessages: 1,
        bundles: 1,
      })
      expect((await exported(policy))[0]).toBe(textOf(lease))
      expect((await policy.audit()).differences).toEqual([])
      expect((await keys.audit()).differences.map(({ table }) => table)).not.toContain('beside')
    })

    it('is used, if it is a lease, to verify messages that arrive before, with or after the lease', async () => {
      const { leases, messages } = await leasedMessages(3)
      const [first, second, third] = messages as [Uint8Array, Uint8Array, Uint8Array]
      const store = await database.open({ keyring: await trustOf() })
      expect(await store.ingest([first])).toMatchObject({ bundles: 0, quarantined: 1 })
      expect(await store.ingest([second, ...leases])).toMatchObject({
        bundles: 1,
        controlMessages: leases.length,
      })
      expect(await store.retryQuarantine()).toMatchObject({ bundles: 1 })
      const again = await database.open({ keyring: await trustOf() })
      expect(await again.ingest([third])).toMatchObject({ bundles: 1, quarantined: 0 })
      expect((await again.audit()).differences).toEqual([])
    })

    it('lets store.missing attribute a leased key without checkpoints to its issuer, if the message is the lease of that key', async () => {
      const { sdk, ...one } = await openLogged()
      await sdk.create(utf8('listed'))
      await sdk.close()
      const other = await leasedMessages(2)
      const store = await database.open({ keyring: await trustOf() })
      await store.ingest([...one.leases, ...other.leases, ...one.messages, ...other.messages, ...one.notes])
      expect((await store.missing()).signers).toMatchObject([{ messages: 3, missing: [] }])
    })

    it('is used at once by an ingest in progress if it is a lease that another process has stored', async () => {
      const { leases, messages } = await leasedMessages(2)
      const [first, second] = messages as [Uint8Array, Uint8Array]
      const store = await database.open({ keyring: await trustOf() })
      const other = await database.open({ keyring: await trustOf() })
      async function* coming() {
        yield first
        await until(async () => (await store.stats()).quarantined.size > 0)
        await other.ingest(leases)
        yield second
      }
      expect(await store.ingest(coming())).toMatchObject({ bundles: 1, quarantined: 1 })
    })

    it('is refused if it is a lease with a false signature, even if the genuine lease is already stored', async () => {
      const lease = await leaseFrom()
      const forged = resignedLease(lease, () => {}, [generateKey().signingKey, subject.signingKey])
      const store = await database.open({ keyring: await trustOf() })
      await store.ingest([lease])
      expect(await store.ingest([forged])).toMatchObject({ copies: 0, rejected: { SIGNATURE_INVALID: 1 } })
    })

    it('is quarantined if it is a lease whose issuer the trust policy does not name yet', async () => {
      // More messages than a store retries in one batch.
      const { leases, messages } = await leasedMessages(66)
      const trust = await readTrust({ signers: [] })
      const store = await database.open({ keyring: trust })
      expect(await store.ingest([...messages, ...leases])).toMatchObject({ controlMessages: 0, bundles: 0 })
      expect(await store.retryQuarantine()).toMatchObject({ controlMessages: 0, bundles: 0 })
      await trust.update(policyOf())
      expect(await store.retryQuarantine()).toMatchObject({ controlMessages: leases.length, bundles: 66 })
      expect((await store.stats()).quarantinedBytes).toBe(0)
    })

    it('verifies no messages if it is a stored lease whose issuer the trust policy does not name yet', async () => {
      const { leases, messages } = await leasedMessages(1)
      await (await database.open({ keyring: await trustOf() })).ingest(leases)
      const trust = await readTrust({ signers: [] })
      const store = await database.open({ keyring: trust })
      expect(await store.ingest(messages)).toMatchObject({ bundles: 0, quarantined: 1 })
      await trust.update(policyOf())
      expect(await store.retryQuarantine()).toMatchObject({ bundles: 1 })
    })

    it('is quarantined if its signer is unknown, and stored when its signer is known', async () => {
      const { keyring, notes } = await logged()
      const keys = new Keyring()
      const store = await database.open({ keyring: keys })
      expect(await store.ingest(notes)).toMatchObject({ controlMessages: 0, quarantined: notes.length })
      expect(await exported(store)).toEqual([])
      for (const one of keyring) keys.add(one)
      expect(await store.retryQuarantine()).toMatchObject({ controlMessages: notes.length })
      expect(await exported(store)).toEqual(notes.map(textOf))
      expect((await store.stats()).quarantinedBytes).toBe(0)
    })

    it('is rejected if it does not verify', async () => {
      const { keyring, notes } = await logged()
      const [note] = notes as [Uint8Array]
      const altered = utf8(textOf(note).replace('alvarium/1', 'alvarium/2'))
      const store = await database.open({ keyring })
      const rejected: string[] = []
      await store.ingest([altered], { onRejected: (_, { code }) => rejected.push(code) })
      expect(rejected).toEqual(['MESSAGE_MALFORMED'])
      expect(await exported(store)).toEqual([])
    })

    // claim: store-8
    it('is verified again by an audit', async () => {
      const { keyring, notes } = await logged()
      const store = await database.open({ keyring })
      await store.ingest(notes)
      await database.query(
        `update alvarium.beside set digest = sha256(message || ' '), message = message || ' ' where seq = 0`,
      )
      expect((await store.audit()).differences).toEqual([])
      await database.query(`update alvarium.beside set digest = sha256('{}'), message = '{}' where seq = 0`)
      await database.query(
        `update alvarium.beside set message = overlay(message placing 'x' from 300 for 1) where seq = 1`,
      )
      await database.query(`update alvarium.beside set digest = sha256(message) where seq = 1`)
      const { differences } = await store.audit()
      expect(differences.map(({ table, row, what }) => `${table} ${row} ${what}`)).toEqual([
        'beside 0 kind',
        'beside 1 identity',
        'beside 1 message',
      ])
      const stranger = await database.open({ keyring: [] })
      const { verdict, count, untrusted } = await stranger.audit()
      expect([verdict, count]).toEqual(['different', 2])
      expect(untrusted).toMatchObject([{ code: 'SIGNER_UNKNOWN', messages: notes.length - 1 }])
    })

    it.skipIf(!isServer)('gets its own number, even if two writers store at the same time', async () => {
      const { keyring, notes } = await logged()
      const [first, second] = notes as [Uint8Array, Uint8Array]
      const other = await database.open({ keyring })
      const { connection, isPaused, goOn } = pausingAtCommit(database, 'beside')
      const slow = await openStore(connection, { keyring })
      const slowly = slow.ingest([first])
      await until(isPaused)
      const meanwhile = other.ingest([second])
      await until(
        async () => (await database.query('select from pg_locks where not granted limit 1')).length > 0,
      )
      goOn()
      expect([await slowly, await meanwhile]).toMatchObject([{ controlMessages: 1 }, { controlMessages: 1 }])
      const rows = await database.query('select seq::integer as seq from alvarium.beside order by seq')
      expect(rows).toEqual([{ seq: 0 }, { seq: 1 }])
    })
  })
})
