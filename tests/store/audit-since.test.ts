// @each-database

import { generateKey, source } from 'alvarium-sdk'
import { openStore, type Store } from 'alvarium-sdk/store'
import { expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { keyring, opened } from '../support/sdk.js'
import { onEachDatabase, type TestDatabase } from './databases.js'
import { log, messages } from './filled.js'

async function bundles(count: number, name: string): Promise<Uint8Array[]> {
  const { sdk, stream } = await opened([source()])
  await sdk.createMany(Array.from({ length: count }, (_, at) => utf8(`${name} ${at}`)))
  await sdk.close()
  return [...stream.messages]
}

/** Opens a store with bundles, and keeps a checkpoint of them; then more messages of every kind come. */
async function grown(
  database: TestDatabase,
  count = 5,
): Promise<{ store: Store; note: string; from: number }> {
  const store = await database.open({ log, classic: true })
  await store.ingest(await bundles(count, 'first'))
  const { note, size } = await store.checkpoint()
  await store.ingest(await messages())
  return { store, note, from: size }
}

onEachDatabase((database) => {
  // claim: store-53
  it('an audit that starts at a checkpoint reads and reports only the later entries of the log', async () => {
    const { store, note, from } = await grown(database)
    const { note: newest, size } = await store.checkpoint()
    const whole = await store.audit({ checkpoint: note })
    const report = await store.audit({ since: note })
    expect(report).toMatchObject({ verdict: 'grown', outcome: 'holds', from, size, differences: [] })
    expect(report).toMatchObject({ checkpoint: newest, evidence: whole.evidence - 1, protected: 0 })
    expect(report.says).toBe(
      `the log has only grown since ${log.origin} signed its first ${from} entries, and what came since is as its messages say; ` +
        `only the rows of entries ${from} to ${size - 1} were read, and the earlier ones were not read again`,
    )
    const next = await store.audit({ since: newest })
    expect(next).toMatchObject({ verdict: 'grown', evidence: 0, from: size, checkpoint: newest })
    expect(next.says).toContain('nothing came since, so no rows were read')
  })

  it.each([255, 256, 257, 512])(
    'an audit that starts at a checkpoint of %i entries does not read these entries',
    async (count) => {
      const { store, note } = await grown(database, count)
      await store.checkpoint()
      await store.ingest(await bundles(300, 'later'))
      await store.checkpoint()
      expect(await store.audit({ since: note })).toMatchObject({ verdict: 'grown', from: count, count: 0 })
    },
  )

  it.each([
    ['bundle', (from: number) => `update alvarium.bundle set at = at + 1 where seq = ${from}`],
    ['bundle', (from: number) => `delete from alvarium.bundle where seq = ${from}`],
    ['leaf', (from: number) => `update alvarium.leaf set id = sha256(id) where seq = ${from}`],
    ['leaf', (from: number) => `delete from alvarium.leaf where seq = ${from}`],
    ['evidence', () => 'update alvarium.evidence set digest = sha256(digest) where seq > 1'],
    ['edge', () => 'delete from alvarium.edge where signed'],
    ['classic', () => 'update alvarium.classic set record = sha256(record)'],
    ['arrival', () => 'insert into alvarium.arrival values (7, null, null, 0)'],
    ['tile', () => 'update alvarium.tile set hashes = substring(hashes from 1 for 33)'],
    ['tile', () => 'delete from alvarium.tile'],
    ['checkpoint', (from: number) => `delete from alvarium.checkpoint where size = ${from}`],
  ] as const)(
    'an audit that starts at a checkpoint reports changes to newer rows of the table %s',
    async (table, act) => {
      const { store, note, from } = await grown(database)
      await store.checkpoint()
      await database.query(act(from))
      const { outcome, differences, checkpoint } = await store.audit({ since: note })
      expect(outcome).toBe('does not hold')
      expect(differences.map((one) => one.table)).toContain(table)
      expect(checkpoint).toBeUndefined()
    },
  )

  // claim: store-54
  it('an audit that starts at a checkpoint misses an altered row that is older than the checkpoint', async () => {
    const { store, note } = await grown(database)
    await database.query('update alvarium.bundle set at = at + 1 where seq = 0')
    expect(await store.audit({ since: note })).toMatchObject({ verdict: 'grown', outcome: 'holds' })
    expect(await store.audit({ checkpoint: note })).toMatchObject({ verdict: 'different', count: 1 })
  })

  // claim: store-55
  it('an audit that starts at a checkpoint reports a difference if the log was replaced, even by a longer one', async () => {
    const { store, note, from } = await grown(database, 300)
    await store.close()
    await database.query('drop schema alvarium cascade')
    const short = await database.open({ log })
    await short.ingest(await bundles(20, 'another'))
    await short.checkpoint()
    expect((await short.audit({ since: note })).differences).toMatchObject([
      { table: 'checkpoint', what: 'row' },
      { table: 'checkpoint', what: 'size', expected: `at least ${from} entries`, got: '20' },
    ])
    await short.ingest(await bundles(400, 'more'))
    await short.checkpoint()
    const { outcome, differences } = await short.audit({ since: note })
    expect([outcome, differences.map(({ what }) => what)]).toEqual([
      'does not hold',
      ['row', `root of ${from} entries`],
    ])
  })

  it('an audit that starts at a checkpoint reports a later pruning as "unsigned" until the next checkpoint', async () => {
    const store = await database.open({ log })
    await store.ingest((await bundles(5, 'first')).map((message) => ({ message, receivedAt: 1 })))
    const { note } = await store.checkpoint()
    const pruner = await database.open()
    await pruner.prune({ before: 2 })
    const unsigned = await store.audit({ since: note })
    expect(unsigned).toMatchObject({ verdict: 'unsigned', outcome: 'cannot tell', prunedUnsigned: 5 })
    await store.checkpoint()
    expect(await store.audit({ since: note })).toMatchObject({
      verdict: 'grown',
      pruned: 5,
      prunedUnsigned: 0,
    })
  })

  it('an audit has the outcome "cannot tell" without the public key of the log or of a signer', async () => {
    const { note } = await grown(database)
    const unkeyed = await database.open({ classic: true })
    const report = await unkeyed.audit({ since: note })
    expect(report).toMatchObject({ outcome: 'cannot tell', needs: "give the log's public key: --vkey" })
    expect(report).not.toHaveProperty('checkpoint')
    const stranger = await openStore(database.where, {
      keyring: [generateKey().verifyingKey],
      log,
      classic: true,
    })
    expect(await stranger.audit({ since: note })).toMatchObject({ verdict: 'unknown signer' })
    await stranger.close()
  })

  it('an audit refuses `since` together with `checkpoint` or `itself`, and refuses an invalid note', async () => {
    const store = await database.open({ keyring, log })
    const { note } = await store.checkpoint()
    for (const other of [{ checkpoint: note }, { itself: true }]) {
      expect(await codeOf(() => store.audit({ since: note, ...other }))).toBe('CONFIG_INVALID')
    }
    expect(await codeOf(() => store.audit({ since: 'no note' }))).toBe('MESSAGE_MALFORMED')
  })
})
