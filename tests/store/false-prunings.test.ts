import { source } from 'alvarium-sdk'
import type { AuditReport, Store } from 'alvarium-sdk/store'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { appendPruning, removeBundle } from '../support/owner-of-store.js'
import { opened } from '../support/sdk.js'
import { onOneDatabase, type TestDatabase } from './databases.js'
import { log } from './filled.js'

const OLD = Date.parse('2026-01-01T00:00:00Z')
const before = Date.parse('2026-03-01T00:00:00Z')

const named = ({ differences }: AuditReport) => differences.map(({ table, row }) => `${table} ${row}`)

/**
 * Returns a store of five bundles, of which the first two are pruned: their pruning is entry 5. The owner keeps a
 * checkpoint from before, and one with the pruning.
 */
async function pruned(database: TestDatabase) {
  const store = await database.open({ log })
  const { sdk, stream } = await opened([source()])
  for (const text of ['a', 'b', 'c', 'd', 'e']) await sdk.create(utf8(text))
  await sdk.close()
  const messages = [...stream.messages]
  await store.ingest(messages.map((message, at) => ({ message, receivedAt: at < 2 ? OLD : before + 1 })))
  const older = (await store.checkpoint()).note
  await copyTables(database)
  const kept = (await store.prune({ before })).checkpoint?.note as string
  return { store, messages, older, kept }
}

const TABLES = ['head', 'leaf', 'evidence', 'bundle', 'datum', 'pruning', 'pruned', 'tile', 'checkpoint']

async function copyTables(database: TestDatabase): Promise<void> {
  await database.query('drop schema if exists saved cascade')
  await database.query('create schema saved')
  for (const table of TABLES) await database.query(`create table saved.${table} as table alvarium.${table}`)
}

/** Restores tables from an earlier copy, as the owner can. */
async function restore(database: TestDatabase, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    await database.query(`delete from alvarium.${table}`)
    await database.query(`insert into alvarium.${table} select * from saved.${table}`)
  }
}

describe('the owner of a database with a pruned store', () => {
  onOneDatabase((database) => {
    it('cannot remove a pruning unnoticed: an audit names the pruning and the pruned bundles', async () => {
      const { store, kept } = await pruned(database)
      await database.query('delete from alvarium.pruning')
      expect(named(await store.audit({ checkpoint: kept }))).toEqual(
        expect.arrayContaining(['pruning 5', 'pruned 0', 'bundle 0', 'bundle 1']),
      )
    })

    it('cannot remove the rows with the pruned positions unnoticed: an audit names these rows', async () => {
      const { store, kept } = await pruned(database)
      await database.query('delete from alvarium.pruned')
      expect(named(await store.audit({ checkpoint: kept }))).toEqual(expect.arrayContaining(['pruned 0']))
    })

    it('cannot remove a bundle and claim that it was pruned, because an audit names the bundle', async () => {
      const { store, kept } = await pruned(database)
      await removeBundle(database, 3)
      await database.query('insert into alvarium.pruned values (3, 3, 5)')
      expect(named(await store.audit({ checkpoint: kept }))).toEqual(
        expect.arrayContaining(['pruned 3', 'bundle 3']),
      )
    })

    it('cannot hide the removal of a bundle by recording a second pruning of a bundle that was already pruned', async () => {
      const { store, kept } = await pruned(database)
      await removeBundle(database, 2)
      await appendPruning(database, { at: OLD, messages: 2, ranges: [[1, 2]] })
      await database.query('update alvarium.head set pruned = pruned + 1')
      expect(named(await store.audit({ checkpoint: kept }))).toContain('pruned 0')
      await store.checkpoint()
      expect(named(await store.audit({ checkpoint: kept }))).toContain('pruned 0')
    })

    it('cannot record a pruning of messages that the store has not yet received', async () => {
      const { store, messages, kept } = await pruned(database)
      await appendPruning(database, { at: OLD, messages: 1, ranges: [[7, 7]] })
      await database.query('update alvarium.head set pruned = pruned + 1')
      const { sdk, stream } = await opened([source()])
      await sdk.create(utf8('f'))
      await sdk.close()
      await store.ingest([...messages, ...stream.messages])
      expect(named(await store.audit({ checkpoint: kept }))).toEqual(expect.arrayContaining(['pruning 6']))
    })

    it('cannot restore a pruned bundle as if it had never been removed', async () => {
      const { store, kept } = await pruned(database)
      await restore(database, ['evidence', 'bundle'])
      expect(named(await store.audit({ checkpoint: kept }))).toContain('pruned 0')
    })

    it('cannot reset the store to a state before the newest checkpoint: an audit against that checkpoint reports the reset', async () => {
      const { store, older, kept } = await pruned(database)
      await restore(database, TABLES)
      expect((await store.audit({ checkpoint: older })).verdict).toBe('proved')
      expect(named(await store.audit({ checkpoint: kept }))).toEqual(
        expect.arrayContaining(['checkpoint kept elsewhere']),
      )
      const { sdk, stream } = await opened([source()])
      await sdk.create(utf8('in the place of the pruning'))
      await sdk.close()
      await store.ingest(stream.messages)
      await store.checkpoint()
      expect(named(await store.audit({ checkpoint: kept }))).toEqual(
        expect.arrayContaining(['checkpoint kept elsewhere']),
      )
    })

    it('cannot hide a pruning by restoring only the older checkpoints', async () => {
      const { store, older, kept } = await pruned(database)
      await restore(database, ['checkpoint'])
      expect(named(await store.audit({ checkpoint: kept }))).toContain('checkpoint 6')
      const report = await store.audit({ checkpoint: older })
      expect(report).toMatchObject({ verdict: 'different', prunings: [{ entry: 5, checkpoint: 'none' }] })
    })

    it('can ingest pruned messages again or forget payloads, and an audit then still proves the store', async () => {
      const { store, messages, older } = await pruned(database)
      expect(await store.ingest(messages)).toMatchObject({ bundles: 0, copies: 5 })
      await store.forget(utf8('c'))
      await store.forget(utf8('a'))
      expect(await store.ingest(messages)).toMatchObject({ bundles: 0, copies: 5 })
      const kept = (await store.checkpoint()).note
      for (const checkpoint of [older, kept]) {
        expect(await store.audit({ checkpoint })).toMatchObject({ verdict: 'proved', differences: [] })
      }
      expect(await count(store)).toBe(2)
    })
  })
})

async function count(store: Store): Promise<number> {
  let messages = 0
  for await (const _ of store.export()) messages++
  return messages
}
