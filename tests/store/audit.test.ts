// @each-database

import { source } from 'alvarium-sdk'
import { type AuditProgress, openStore } from 'alvarium-sdk/store'
import { expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { keyring, opened } from '../support/sdk.js'
import { onEachDatabase } from './databases.js'
import { filled, log, messages } from './filled.js'

onEachDatabase((database, isServer) => {
  // claim: threats-77
  it('an audit proves a store against an earlier checkpoint, and counts later entries', async () => {
    const store = await filled(database)
    const { note, size } = await store.checkpoint()
    expect(await store.audit({ checkpoint: note })).toMatchObject({
      verdict: 'proved',
      size,
      protected: size,
      unprotected: 0,
      differences: [],
    })
    const { sdk, stream } = await opened([source()])
    await sdk.create(utf8('later'))
    await sdk.close()
    await store.ingest(stream.messages)
    expect(await store.audit({ checkpoint: note })).toMatchObject({
      verdict: 'proved',
      protected: size,
      unprotected: 1,
      signed: size,
    })
  })

  it('an audit without an earlier checkpoint calls a store "consistent"', async () => {
    const store = await filled(database)
    expect(await store.audit()).toMatchObject({ verdict: 'consistent', protected: 0, signed: 0, count: 0 })
    expect((await (await database.open({ classic: true })).audit()).verdict).toBe('consistent')
  })

  it('an audit reports its progress up to the last entry of the log, and continues if `onProgress` throws', async () => {
    const store = await filled(database)
    const { size } = await store.checkpoint()
    const progress: AuditProgress[] = []
    const onProgress = (now: AuditProgress) => {
      progress.push(now)
      throw new Error('the progress bar')
    }
    expect(await store.audit({ itself: true, onProgress })).toMatchObject({ verdict: 'consistent', size })
    expect(progress.at(-1)).toEqual({ entries: size, size })
    const rejecting = () => Promise.reject(new Error('the progress bar'))
    expect((await store.audit({ itself: true, onProgress: rejecting })).verdict).toBe('consistent')
    expect(await codeOf(() => store.audit({ onProgress: 1 as never }))).toBe('CONFIG_INVALID')
  })

  it('an audit names altered rows', async () => {
    const store = await filled(database)
    const { note } = await store.checkpoint()
    await database.query(
      'update alvarium.bundle set host = (select id from alvarium.word where word = $1) where seq = 0',
      [utf8('edge-8')],
    )
    const { verdict, protected: covered, differences } = await store.audit({ checkpoint: note })
    expect({ verdict, covered, differences }).toEqual({
      verdict: 'different',
      covered: 0,
      differences: [{ table: 'bundle', row: '0', what: 'host', expected: 'edge-7', got: 'edge-8' }],
    })
  })

  it('an audit names an altered row of the table word, list, datum or tile, but not the rows that refer to that row', async () => {
    for (const [table, altered] of [
      ['word', "word = '\\x2121' where word = 'edge-7'"],
      ['list', 'words = words || words[1] where id = 0'],
      ['datum', "text = 'other' where text = 'text'"],
      ['tile', 'hashes = set_byte(hashes, 0, 255 - get_byte(hashes, 0))'],
    ] as const) {
      await database.query('drop schema if exists alvarium cascade')
      const store = await filled(database)
      const { note } = await store.checkpoint()
      await database.query(`update alvarium.${table} set ${altered}`)
      const { differences } = await store.audit({ checkpoint: note })
      expect(differences, table).toMatchObject([{ table }])
    }
  })

  it('an audit names a bundle whose reference to a text was altered, but not the text', async () => {
    const store = await filled(database)
    await database.query('update alvarium.bundle set layer = host, tags = kinds where seq = 1')
    const { differences } = await store.audit()
    expect(differences.map(({ table, row, what }) => `${table} ${row} ${what}`)).toEqual([
      'bundle 1 layer',
      'bundle 1 tags',
    ])
  })

  it('an audit names inputs that were omitted, reordered or renamed, and their edges', async () => {
    const given = await messages()
    const ofMany = 'inputs is not null'
    const all = `(select unnest(inputs) from alvarium.bundle where ${ofMany})`
    for (const [altered, tables] of [
      [`update alvarium.bundle set inputs = inputs[1:2] where ${ofMany}`, ['bundle', 'edge']],
      [`update alvarium.bundle set inputs = null where ${ofMany}`, ['bundle', 'edge']],
      [
        `update alvarium.bundle set inputs = array[inputs[2], inputs[1], inputs[3]] where ${ofMany}`,
        ['bundle'],
      ],
      [`update alvarium.datum set text = 'other' where text = 'text' and id in ${all}`, ['datum']],
      [
        `delete from alvarium.edge where parent in ${all} and child in (select datum from alvarium.bundle where ${ofMany})`,
        ['edge'],
      ],
      [
        `insert into alvarium.edge select distinct datum, datum, true from alvarium.bundle where ${ofMany}`,
        ['edge'],
      ],
    ] as const) {
      await database.query('drop schema if exists alvarium cascade')
      const store = await database.open({ classic: true })
      await store.ingest(given)
      await database.query(altered)
      const { differences } = await store.audit()
      expect(new Set(differences.map(({ table }) => table)), altered).toEqual(new Set(tables))
    }
  })

  it('an audit names duplicate rows if the owner has removed the unique indexes', async () => {
    const store = await filled(database)
    const { note } = await store.checkpoint()
    const tables = [
      'leaf',
      'tile',
      'checkpoint',
      'evidence',
      'beside',
      'bundle',
      'edge',
      'datum',
      'word',
      'list',
    ]
    for (const table of tables) {
      const constraints = await database.query(
        `select conname as name from pg_constraint where conrelid = 'alvarium.${table}'::regclass and contype in ('p', 'u')`,
      )
      for (const { name } of constraints) {
        await database.query(`alter table alvarium.${table} drop constraint ${name}`)
      }
      const added = `insert into alvarium.${table} select * from alvarium.${table} limit 1 returning ctid`
      const [row] = await database.query(added)
      const { differences } = await store.audit({ checkpoint: note })
      expect(new Set(differences.map((one) => `${one.table}, ${one.got}`)), table).toEqual(
        new Set([`${table}, more`]),
      )
      await database.query(`delete from alvarium.${table} where ctid = $1`, [row?.['ctid']])
    }
    // A second id for a payload: questions about the payload do not find its bundles.
    await database.query(
      'insert into alvarium.datum select 1000, hash, digest, text from alvarium.datum where id = 0',
    )
    await database.query('update alvarium.bundle set datum = 1000 where seq = 0 and datum = 0')
    const { differences } = await store.audit({ checkpoint: note })
    expect(differences).toContainEqual(expect.objectContaining({ table: 'datum', row: '1000', got: 'more' }))
    await database.query('delete from alvarium.head')
    expect((await store.audit({ checkpoint: note })).differences).toMatchObject([
      { table: 'head', row: 'all', what: 'rows', got: 'no row' },
    ])
  })

  it('an audit names a list with a NULL among its `words`, and a control message of an invalid kind', async () => {
    const store = await filled(database)
    await database.query('update alvarium.list set words = array_replace(words, 0, null) where id = 0')
    const bogus = "'\\x00', 1, sha256('q'), sha256('abc'), 'abc', '\\x00'"
    await database.query(`insert into alvarium.beside select beside, 9, ${bogus} from alvarium.head`)
    await database.query('update alvarium.head set beside = beside + 1')
    const { differences } = await store.audit()
    expect(differences.map(({ table, what }) => [table, what])).toEqual([
      ['beside', 'kind'],
      ['list', 'words'],
    ])
  })

  // claim: threats-76
  it('an audit detects a store that was rebuilt without one message and signed again', async () => {
    const store = await filled(database)
    const { note, size } = await store.checkpoint()
    await store.close()
    await database.query('drop schema alvarium cascade')
    const again = await database.open({ log, classic: true })
    await again.ingest((await messages()).slice(1))
    await again.checkpoint()
    expect((await again.audit()).verdict).toBe('consistent')
    const { verdict, differences } = await again.audit({ checkpoint: note })
    expect([verdict, differences.map(({ table, row }) => `${table} ${row}`)]).toEqual([
      'different',
      [`checkpoint ${size}`, 'checkpoint kept elsewhere'],
    ])
  })

  it('an audit refuses a checkpoint of another log or by another signer', async () => {
    const store = await filled(database)
    const { note } = await store.checkpoint()
    expect(await codeOf(() => store.audit({ checkpoint: note.replace('store-1\n', 'store-2\n') }))).toBe(
      'MESSAGE_MALFORMED',
    )
    expect(await codeOf(() => store.audit({ checkpoint: note.replace(/\n(\d+)\n/, '\n1$1\n') }))).toBe(
      'SIGNATURE_INVALID',
    )
    expect(await codeOf(() => store.audit({ vkey: 'example.com/store-1+00000000+AA==' }))).toBe(
      'CONFIG_INVALID',
    )
  })

  if (!isServer) return

  it('an audit during a pruning finds no difference, because it sees a single state of the store', async () => {
    const store = await filled(database)
    let isPruned = false
    const query = async (text: string, params?: unknown[]) => {
      const rows = await database.query(text, params)
      if (!isPruned && text.includes('from alvarium.evidence')) {
        isPruned = true
        await store.prune({ before: Date.now() })
      }
      return { rows }
    }
    const auditor = await openStore({ query }, { keyring, classic: true })
    expect(await auditor.audit()).toMatchObject({ verdict: 'consistent', pruned: 0, differences: [] })
    const { pruned, size } = await auditor.audit()
    // Without the pruning itself, and the message of another SDK.
    expect([isPruned, pruned]).toEqual([true, size - 2])
    await auditor.close()
  })
})
