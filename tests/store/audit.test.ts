import { classic, memory, openSdk, source } from 'alvarium-sdk'
import type { Store } from 'alvarium-sdk/store'
import { expect, it } from 'vitest'
import { randomAlteration, randomFrom } from '../support/alterations-of-store.js'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { key, opened, yes } from '../support/sdk.js'
import { onEachDatabase, type TestDatabase } from './databases.js'

const log = { origin: 'example.com/store-1', signingKey: key.signingKey }

/** Messages of every kind: alone and in batches, mutates, keys that are texts, and those of another SDK. */
async function messages(): Promise<Uint8Array[]> {
  const made: Uint8Array[] = []
  for (const options of [{}, { hash: 'none' }, { host: 'edge-8', tag: 'v2', layer: 'os' }] as const) {
    const { sdk, stream } = await opened(
      [source(), yes('tls'), { kind: 'no', isSatisfied: () => false }],
      options,
    )
    await sdk.createMany(['a', 'b', 'c'].map(utf8))
    await sdk.mutate(utf8('a'), utf8('d'))
    await sdk.mutate(utf8('d'), utf8('e'))
    await sdk.mutate([utf8('b'), { hash: 'none', key: 'text' }, { set: 'ab'.repeat(32) }], utf8('g'))
    await sdk.close()
    made.push(...stream.messages)
  }
  const stream = memory()
  const codec = classic({ signingKey: key.signingKey, dialect: 'go' })
  const go = await openSdk({ signingKey: key.signingKey, annotators: [source(), yes('tls')], stream, codec })
  await go.mutate(utf8('a'), utf8('f'))
  await go.close()
  return [...made, ...stream.messages]
}

async function filled(database: TestDatabase): Promise<Store> {
  const store = await database.open({ log, classic: true })
  await store.ingest(await messages())
  return store
}

onEachDatabase((database, isServer) => {
  it('proves a store against a checkpoint that was kept, and tells what came after it', async () => {
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

  it('calls a store consistent with itself where no checkpoint was kept', async () => {
    const store = await filled(database)
    expect(await store.audit()).toMatchObject({ verdict: 'consistent', protected: 0, signed: 0, count: 0 })
    expect((await (await database.open({ classic: true })).audit()).verdict).toBe('consistent')
  })

  it('names what was altered', async () => {
    const store = await filled(database)
    const { note } = await store.checkpoint()
    await database.query(
      'update alvarium.bundle set host = (select id from alvarium.word where word = $1) where seq = 0',
      [utf8('edge-8')],
    )
    const { verdict, protected: covered, differences } = await store.audit({ checkpoint: note })
    expect({ verdict, covered, differences }).toEqual({
      ...{ verdict: 'different', covered: 0 },
      differences: [{ table: 'bundle', row: '0', what: 'host', expected: 'edge-7', got: 'edge-8' }],
    })
  })

  it('names inputs that were left out, put in another order or named otherwise, and their edges', async () => {
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
      [`update alvarium.datum set text = 'other' where text = 'text' and id in ${all}`, ['bundle']],
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

  it('names a store that was made anew without one of its messages, and signed again', async () => {
    const store = await filled(database)
    const { note } = await store.checkpoint()
    await store.close()
    await database.query('drop schema alvarium cascade')
    const again = await database.open({ log, classic: true })
    await again.ingest((await messages()).slice(1))
    await again.checkpoint()
    expect((await again.audit()).verdict).toBe('consistent')
    const { verdict, differences } = await again.audit({ checkpoint: note })
    expect([verdict, differences.map(({ table, row }) => `${table} ${row}`)]).toEqual([
      'different',
      ['checkpoint kept elsewhere'],
    ])
  })

  it('signs no checkpoint over tiles that were altered', async () => {
    const store = await filled(database)
    await store.checkpoint()
    await database.query(`update alvarium.tile set hashes = set_byte(hashes, 0, 255 - get_byte(hashes, 0))`)
    expect(await codeOf(() => store.checkpoint())).toBe('STORE_DAMAGED')
  })

  it('takes no checkpoint of another log, or that somebody else has signed', async () => {
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

  it.skipIf(isServer)(
    'finds differences after each of 60 random alterations by the owner of the database',
    async () => {
      const store = await filled(database)
      const checkpoint = (await store.checkpoint()).note
      const random = randomFrom(28)
      const unnoticed: string[] = []
      const before = await dump(database)
      for (let done = 0; done < 60; ) {
        await database.query('begin')
        const { what, statements } = await randomAlteration(database, random)
        const isDone = await statements.reduce(
          async (all, one) =>
            (await all) &&
            database.query(one).then(
              () => true,
              () => false,
            ),
          Promise.resolve(true),
        )
        if (isDone && (await dump(database)) !== before) {
          done++
          if ((await store.audit({ checkpoint })).count === 0) unnoticed.push(what)
        }
        await database.query('rollback')
      }
      expect(unnoticed).toEqual([])
      expect((await store.audit({ checkpoint })).verdict).toBe('proved')
    },
    300_000,
  )
})

const TABLES = ['head', 'leaf', 'tile', 'checkpoint', 'evidence', 'bundle', 'edge', 'datum', 'word', 'list']

/** Everything that an audit looks at, as one text: some alterations change nothing. */
async function dump(database: TestDatabase): Promise<unknown> {
  const all = TABLES.map(
    (table) => `(select string_agg(t::text, ' ' order by t::text) from alvarium.${table} as t)`,
  )
  const [row] = await database.query(`select concat_ws('/', ${all.join(', ')}) as rows`)
  return row?.['rows']
}
