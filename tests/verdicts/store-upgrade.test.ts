import { createHash } from 'node:crypto'
import { signBytes } from 'alvarium-sdk'
import type { Store } from 'alvarium-sdk/store'
import { describe, expect, it } from 'vitest'
import { onOneDatabase, type TestDatabase } from '../store/databases.js'
import { utf8 } from '../support/bytes.js'
import { undoSteps } from '../support/older-store.js'
import { pruningIdOf, recordOf } from '../support/owner-of-store.js'
import { key, opened, yes } from '../support/sdk.js'
import { classicMessages } from './kept-store.js'

const log = { origin: 'example.com/older', signingKey: key.signingKey, everyMs: 3_600_000 }

/** Makes a store of version 8 of the schema, pruned and with messages of another SDK. Returns a checkpoint of it. */
async function olderStore(database: TestDatabase): Promise<string> {
  const store = await database.open({ log, classic: true })
  const { sdk, stream } = await opened([yes('gone')], { host: 'edge-old', hash: 'none' })
  await sdk.create(utf8('pruned'))
  await sdk.mutate(utf8('pruned'), utf8('pruned too'))
  await sdk.close()
  await store.ingest(stream.messages.map((message) => ({ message, receivedAt: 1 })))
  await store.prune({ before: 2 })
  await store.ingest(await classicMessages())
  await store.close()
  const [pruning] = await database.query('select seq, at, before, messages from alvarium.pruning')
  const [seq, at, before, messages] = ['seq', 'at', 'before', 'messages'].map((name) =>
    Number(pruning?.[name]),
  )
  const record = recordOf({ at: at as number, before, messages: messages as number, ranges: [[0, 1]] })
  await database.query('update alvarium.pruning set record = $2 where seq = $1', [seq, record])
  await database.query('update alvarium.leaf set id = $2 where seq = $1', [seq, pruningIdOf(record)])
  for (const statement of [
    'delete from alvarium.leaf where seq in (select seq from alvarium.classic)',
    'update alvarium.head set leaves = leaves - classic',
    'delete from alvarium.checkpoint',
    'delete from alvarium.tile',
  ]) {
    await database.query(statement)
  }
  await undoSteps(database, 8)
  return signedAsItIs(database)
}

const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()

/** Signs the log by hand, as an older version did: a tile of its leaves, and a note. */
async function signedAsItIs({ query }: TestDatabase): Promise<string> {
  const leaves = (await query('select id from alvarium.leaf order by seq')).map(({ id }) =>
    sha256(Buffer.of(0), id as Uint8Array),
  )
  const text = `${log.origin}\n${leaves.length}\n${rootOf(leaves).toString('base64')}\n`
  const keyId = sha256(utf8(`${log.origin}\n`), Buffer.of(1), key.verifyingKey).subarray(0, 4)
  const signature = Buffer.concat([keyId, signBytes(key.signingKey, utf8(text))]).toString('base64')
  const note = `${text}\n\u2014 ${log.origin} ${signature}\n`
  await query('insert into alvarium.tile values (0, 0, $1)', [Buffer.concat(leaves)])
  await query('insert into alvarium.checkpoint values ($1, $2, 1)', [leaves.length, utf8(note)])
  return note
}

/** Computes the root of a tree (RFC 9162 §2.1.1). */
function rootOf(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0] as Buffer
  const left = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1)
  return sha256(Buffer.of(1), rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left)))
}

describe('a store that was created before its log had entries for messages of other SDKs', () => {
  onOneDatabase((database) => {
    const upgraded = async (): Promise<{ store: Store; note: string }> => {
      const note = await olderStore(database)
      return { store: await database.open({ log, classic: true }), note }
    }

    // claim: store-39
    it('is upgraded, and its audit counts the annotations that an older checkpoint does not protect', async () => {
      const { store, note } = await upgraded()
      const report = await store.audit({ checkpoint: note })
      expect(report).toMatchObject({
        verdict: 'unsigned',
        outcome: 'cannot tell',
        differences: [],
        classicUnsigned: 6,
        classicEarlier: 6,
        prunedEarlier: 0,
      })
      // Two pruned bundles, their pruning, six annotations, three messages, and the rows that the pruning has left.
      expect(report).toMatchObject({ size: 2 + 1 + 6 + 3 + 1, protected: 2 + 1 })
    })

    it('is proved by a checkpoint from after the upgrade, while the audit counts annotations from before the upgrade', async () => {
      const { store, note } = await upgraded()
      const { note: checkpoint } = await store.checkpoint()
      expect(await store.audit({ checkpoint })).toMatchObject({
        verdict: 'proved',
        classicUnsigned: 0,
        classicEarlier: 6,
        differences: [],
      })
      expect(await store.audit({ checkpoint: note })).toMatchObject({ verdict: 'proved', classicEarlier: 6 })
    })

    it('reports a message that the owner of the database has altered after the upgrade', async () => {
      const { store } = await upgraded()
      const { note: checkpoint } = await store.checkpoint()
      const where = 'where seq = (select max(evidence) from alvarium.bundle)'
      await database.query(
        `update alvarium.evidence set message = message || ' ', digest = sha256(message || ' ') ${where}`,
      )
      const { verdict, differences } = await store.audit({ checkpoint })
      expect(verdict).toBe('different')
      expect(differences).toContainEqual(expect.objectContaining({ table: 'bundle', what: 'message' }))
    })

    it('reports rows that were planted after the upgrade, but not rows that an earlier pruning has left', async () => {
      const { store } = await upgraded()
      await database.query(`insert into alvarium.word select words, 'planted' from alvarium.head`)
      await database.query('update alvarium.head set words = words + 1')
      expect((await store.audit()).differences).toMatchObject([{ table: 'word', what: 'row' }])
      const left = await database.query(`select from alvarium.word where word = 'edge-old'`)
      expect(left).toHaveLength(1)
    })

    it('proves later messages and prunings', async () => {
      const { store } = await upgraded()
      await store.ingest(await classicMessages())
      await store.prune({ before: Date.now() })
      const { note: checkpoint } = await store.checkpoint()
      expect(await store.audit({ checkpoint })).toMatchObject({
        verdict: 'proved',
        differences: [],
        classicEarlier: 0,
      })
      expect(await store.stats()).toMatchObject({ bundles: 2 + 6 + 6, pruned: 2 + 6 + 6 })
    })
  })
})
