// @each-database

import { source } from 'alvarium-sdk'
import { type AuditReport, type Store, verifyLogConsistency, verifyLogProof } from 'alvarium-sdk/store'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { undoSteps } from '../support/older-store.js'
import {
  appendPruning,
  leftBy,
  pruningIdOf,
  putPruning,
  recordOf,
  removeBundle,
} from '../support/owner-of-store.js'
import { key, opened } from '../support/sdk.js'
import { onEachDatabase, onOneDatabase, type TestDatabase } from './databases.js'
import { log } from './filled.js'

const [OLD, NEW] = [Date.parse('2026-01-01T00:00:00Z'), Date.parse('2026-06-01T00:00:00Z')]
const before = Date.parse('2026-03-01T00:00:00Z')

async function receive(store: Store, texts: readonly string[], receivedAt: number): Promise<void> {
  const { sdk, stream } = await opened([source()])
  for (const text of texts) await sdk.create(utf8(text))
  await sdk.close()
  await store.ingest(stream.messages.map((message) => ({ message, receivedAt })))
}

/** Fills a store with two old bundles and two new ones. */
async function filled(database: TestDatabase): Promise<Store> {
  const store = await database.open({ log })
  await receive(store, ['a', 'b'], OLD)
  await receive(store, ['c', 'd'], NEW)
  return store
}

function namesOf({ differences }: AuditReport): string[] {
  return differences.map(({ table, row }) => `${table} ${row}`)
}

describe('a pruning', () => {
  onEachDatabase((database) => {
    it('is an entry of the log, which the next checkpoint covers and which can be proved like a bundle', async () => {
      const store = await filled(database)
      const { note: older } = await store.checkpoint()
      const left = await leftBy(database, [0, 1])
      const { bundles, checkpoint } = await store.prune({ before })
      expect({ bundles, size: checkpoint?.size }).toEqual({ bundles: 2, size: 5 })
      const kept = checkpoint?.note as string
      const report = await store.audit({ checkpoint: kept })
      const at = report.prunings[0]?.at as number
      const id = pruningIdOf(recordOf({ at, before, messages: 2, ranges: [[0, 1]], left })).toString('hex')
      expect(report).toMatchObject({
        verdict: 'proved',
        size: 5,
        protected: 5,
        pruned: 2,
        prunedUnsigned: 0,
        prunedEarlier: 0,
        prunings: [{ entry: 4, id, checkpoint: 'kept', isEarlier: false, before, bundles: 2, messages: 2 }],
      })
      const vkey = store.vkey as string
      expect(verifyLogProof((await store.prove(id)) as string, { id, vkey }).index).toBe(4)
      const { path = [] } = (await store.proveGrowth(older)) ?? {}
      verifyLogConsistency({ older, newer: kept, path, vkey })
    })

    it("that was signed after the audit's checkpoint counts as signed only if the audit has the public key of the log", async () => {
      const store = await filled(database)
      const { note } = await store.checkpoint()
      await store.prune({ before })
      const vkey = store.vkey as string
      expect(await store.audit({ checkpoint: note, vkey })).toMatchObject({
        verdict: 'proved',
        protected: 4,
        unprotected: 1,
        prunedUnsigned: 0,
        prunings: [{ checkpoint: 'stored' }],
      })
      await using anybody = await database.open()
      expect(await anybody.audit({ checkpoint: note })).toMatchObject({
        verdict: 'consistent',
        protected: 0,
        unprotected: 5,
        prunedUnsigned: 2,
        differences: [],
        prunings: [{ checkpoint: 'none' }],
      })
    })

    // claim: threats-79
    it('by a process without the signing key is unsigned until the next checkpoint', async () => {
      const store = await filled(database)
      const { note } = await store.checkpoint()
      const pruner = await database.open()
      expect(await pruner.prune({ before })).toEqual({ bundles: 2, messages: 2, quarantined: 0 })
      expect(await store.audit({ checkpoint: note })).toMatchObject({
        verdict: 'unsigned',
        protected: 2,
        unprotected: 3,
        pruned: 2,
        prunedUnsigned: 2,
        prunings: [{ checkpoint: 'none' }],
      })
      expect((await store.audit()).verdict).toBe('consistent')
      await store.checkpoint()
      expect((await store.audit({ checkpoint: note })).verdict).toBe('proved')
    })

    it("leaves the remaining bundles protected by the audit's checkpoint", async () => {
      const store = await filled(database)
      const { note } = await store.checkpoint()
      await receive(store, ['e'], OLD)
      const pruner = await database.open()
      await pruner.prune({ before: OLD + 1 })
      expect(await store.audit({ checkpoint: note })).toMatchObject({ verdict: 'unsigned', protected: 2 })
    })

    it(`of bundles before and after the audit's checkpoint gives the audit the verdict "unsigned"`, async () => {
      const store = await database.open({ log })
      await receive(store, ['a', 'b'], NEW)
      await receive(store, ['c', 'd'], OLD)
      const { note } = await store.checkpoint()
      await receive(store, ['e'], OLD)
      const pruner = await database.open()
      expect(await pruner.prune({ before })).toMatchObject({ bundles: 3 })
      expect(await store.audit({ checkpoint: note })).toMatchObject({
        verdict: 'unsigned',
        protected: 2,
        unprotected: 4,
        prunedUnsigned: 3,
      })
    })
  })

  onOneDatabase((database) => {
    it('that a process without the key has made is signed by the next process that opens the store with the key', async () => {
      const pruner = await filled(database)
      await pruner.close()
      const unkeyed = await database.open()
      await unkeyed.prune({ before })
      const store = await database.open({ log: { ...log, everyMs: 100 } })
      await expect.poll(async () => (await store.audit()).prunings[0]?.checkpoint).toBe('stored')
    })

    it('is completed even if the signer fails, and is signed by the next process that can sign', async () => {
      const sign = () => Promise.reject(new Error('the key store is away'))
      const unable = { ...log, signingKey: { verifyingKey: key.verifyingKey, sign } }
      const store = await database.open({ log: unable })
      await receive(store, ['a', 'b'], OLD)
      expect(await store.prune({ before })).toEqual({ bundles: 2, messages: 2, quarantined: 0 })
      const { sdk, stream } = await opened([source()])
      await sdk.createMany(Array.from({ length: 2_001 }, (_, at) => utf8(`${at}`)))
      await sdk.close()
      const able = await database.open({ log })
      await able.ingest(stream.messages.map((message) => ({ message, receivedAt: OLD })))
      const ending = new AbortController()
      const pruning = able.prune({ before, signal: ending.signal, onProgress: () => ending.abort() })
      await expect(pruning).rejects.toThrow()
      expect((await able.audit()).prunings.map(({ bundles, checkpoint }) => [bundles, checkpoint])).toEqual([
        [2_000, 'stored'],
        [2, 'stored'],
      ])
    })

    it('by an earlier version, which did not log prunings, is reported with `isEarlier`, and not as an alteration', async () => {
      const store = await filled(database)
      await receive(store, ['e'], OLD)
      const { note } = await store.checkpoint()
      await store.prune({ before: OLD + 1 })
      await store.close()
      await olderSchema(database)
      const upgraded = await database.open({ log })
      expect(await upgraded.audit({ checkpoint: note })).toMatchObject({
        verdict: 'unsigned',
        differences: [],
        pruned: 3,
        prunedUnsigned: 3,
        prunedEarlier: 3,
        prunings: [
          // Entry 7 records the rows that both prunings have left.
          { entry: 7, checkpoint: 'none', isEarlier: true, bundles: 0, messages: 0 },
          { entry: 6, checkpoint: 'none', isEarlier: true, bundles: 1, messages: 1 },
          { entry: 5, checkpoint: 'none', isEarlier: true, bundles: 2, messages: 2, before: OLD + 1 },
        ],
      })
      await upgraded.checkpoint()
      expect(await upgraded.audit({ checkpoint: note })).toMatchObject({
        verdict: 'proved',
        differences: [],
        prunedUnsigned: 0,
        prunedEarlier: 3,
      })
      expect(await upgraded.prune({ before: NEW + 1 })).toMatchObject({ bundles: 2, checkpoint: { size: 9 } })
      expect(await upgraded.stats()).toMatchObject({ bundles: 5, pruned: 5 })
    })

    describe('that the owner of the database has forged', () => {
      /** Returns a store whose pruning is signed; the owner kept the checkpoint. */
      async function prunedStore() {
        const store = await filled(database)
        const { note: older } = await store.checkpoint()
        const { checkpoint } = await store.prune({ before })
        return { store, older, kept: checkpoint?.note as string }
      }
      const genuine = { at: OLD, before, messages: 2, ranges: [[0, 1]] } as const

      it('gives an audit the verdict "unsigned", even if the pruning states an earlier time', async () => {
        const { store, older, kept } = await prunedStore()
        const left = await leftBy(database, [2])
        await removeBundle(database, 2)
        await appendPruning(database, { isEarlier: true, at: OLD, messages: 1, ranges: [[2, 2]], left })
        for (const [checkpoint, safe] of [
          [older, 3],
          [kept, 4],
        ] as const) {
          const report = await store.audit({ checkpoint })
          expect(report).toMatchObject({ verdict: 'unsigned', protected: safe, differences: [] })
          expect(report.prunings[0]).toMatchObject({ entry: 5, checkpoint: 'none', bundles: 1 })
        }
      })

      it('is found by an audit if it has the log entry of one bundle and claims to have removed another', async () => {
        const { store, kept } = await prunedStore()
        await removeBundle(database, 2)
        await removeBundle(database, 3)
        const said = { at: OLD, messages: 2, ranges: [[2, 2]] } as const
        await putPruning(database, 3, said)
        await database.query('update alvarium.leaf set id = $1 where seq = 3', [pruningIdOf(recordOf(said))])
        await database.query('update alvarium.head set pruned = pruned - 1')
        const named = namesOf(await store.audit({ checkpoint: kept }))
        expect(named).toEqual(expect.arrayContaining(['leaf 3', 'bundle 2']))
      })

      it('is named by an audit, together with the removed bundle, if the pruning replaces the log entry of that bundle', async () => {
        const { store, kept } = await prunedStore()
        await removeBundle(database, 2)
        await putPruning(database, 2, { at: OLD, messages: 1, ranges: [[2, 2]] })
        const named = namesOf(await store.audit({ checkpoint: kept }))
        expect(named).toEqual(expect.arrayContaining(['pruning 2', 'bundle 2']))
      })

      // claim: threats-78
      it('is named by an audit if the owner altered or widened a genuine pruning', async () => {
        const { store, kept } = await prunedStore()
        for (const [said, names] of [
          [{ ...genuine, at: OLD + 1 }, ['pruning 4', 'bundle 0', 'bundle 1']],
          [{ ...genuine, before: before + 1 }, ['pruning 4']],
          [{ ...genuine, ranges: [[0, 2]] }, ['pruning 4', 'bundle 0', 'bundle 1', 'bundle 2']],
          [{ ...genuine, ranges: [[0, 0]] }, ['pruning 4', 'bundle 1']],
          [
            {
              ...genuine,
              ranges: [
                [1, 1],
                [0, 0],
              ],
            },
            ['pruning 4'],
          ],
          [{ ...genuine, ranges: [[0, 4]] }, ['pruning 4']],
        ] as const) {
          await database.query('begin')
          if (said.ranges[0]?.[1] === 2) await removeBundle(database, 2)
          await putPruning(database, 4, said)
          const report = await store.audit({ checkpoint: kept })
          expect(report.verdict).toBe('different')
          expect(namesOf(report), JSON.stringify(said)).toEqual(expect.arrayContaining([...names]))
          await database.query('rollback')
        }
        await database.query('delete from alvarium.pruning')
        await database.query('delete from alvarium.pruned')
        expect(namesOf(await store.audit({ checkpoint: kept }))).toEqual(
          expect.arrayContaining(['bundle 0', 'bundle 1', 'bundle 4']),
        )
      })

      it('is found by an audit even if the owner wrote the id of the pruning into the log', async () => {
        const { store, kept } = await prunedStore()
        await removeBundle(database, 2)
        const said = { ...genuine, messages: 3, ranges: [[0, 2]] } as const
        await putPruning(database, 4, said)
        await database.query('update alvarium.leaf set id = $1 where seq = 4', [pruningIdOf(recordOf(said))])
        const named = namesOf(await store.audit({ checkpoint: kept }))
        expect(named).toEqual(expect.arrayContaining(['leaf 4', 'bundle 0', 'bundle 1', 'bundle 2']))
      })
    })
  })
})

/** Restores the older tables, with one more pruning: its ids are in no log. */
async function olderSchema(database: TestDatabase): Promise<void> {
  for (const statement of [
    'delete from alvarium.leaf where seq >= 5',
    'delete from alvarium.checkpoint where size > 5',
    'update alvarium.tile set hashes = substring(hashes from 1 for 160)',
    'update alvarium.head set leaves = 5',
    'alter table alvarium.pruning drop column seq, drop column record, add column id bigint',
    'update alvarium.pruning set id = 0, bundles = 2, messages = 2',
    'insert into alvarium.pruning (id, at, before, bundles, messages) select 1, at, null, 1, 1 from alvarium.pruning',
    'update alvarium.pruned set pruning = first / 4',
    'alter table alvarium.pruning add primary key (id)',
  ]) {
    await database.query(statement)
  }
  await undoSteps(database, 5)
}
