// @each-database

import { classic, generateKey, keyOf, memory, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { readPolicy } from 'alvarium-sdk/score'
import { type Connection, openStore, type Store, verifyLogProof } from 'alvarium-sdk/store'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { genuineMessages } from '../support/messages.js'
import { key, keyring, opened, yes } from '../support/sdk.js'
import { onEachDatabase, type TestDatabase } from './databases.js'
import { log } from './filled.js'

const [OLD, NEW] = [Date.parse('2026-01-01T00:00:00Z'), Date.parse('2026-06-01T00:00:00Z')]
const before = Date.parse('2026-03-01T00:00:00Z')

type Call = Parameters<typeof opened>[1]

/** Returns messages about payloads, written as `from>to`. */
async function said(steps: readonly string[], options: Call = {}): Promise<Uint8Array[]> {
  const { sdk, stream } = await opened([source()], options)
  for (const step of steps) {
    const [from = '', to] = step.split('>')
    await (to === undefined ? sdk.create(utf8(from)) : sdk.mutate(utf8(from), utf8(to)))
  }
  await sdk.close()
  return stream.messages
}

function receive(store: Store, messages: readonly Uint8Array[], receivedAt: number | undefined) {
  return store.ingest(messages.map((message) => ({ message, receivedAt })))
}

async function filled(database: TestDatabase): Promise<Store> {
  const store = await database.open({ log })
  await receive(store, await said(['a', 'a>b', 'b>c']), OLD)
  await receive(store, await said(['a', 'c>d']), NEW)
  return store
}

onEachDatabase((database, isServer) => {
  it('store.prune removes bundles received before a time, and proofs of them still verify', async () => {
    const store = await filled(database)
    const [{ id } = { id: '' }] = (await store.history(utf8('a'))).bundles
    const { note } = await store.checkpoint()
    expect(await store.prune({ before })).toMatchObject({ bundles: 3, messages: 3, quarantined: 0 })
    expect((await store.history(utf8('a'))).bundles.map(({ receivedAt }) => receivedAt)).toEqual([NEW])
    expect(verifyLogProof((await store.prove(id)) as string, { id, vkey: store.vkey as string }).index).toBe(
      0,
    )
    expect(await store.audit({ checkpoint: note })).toMatchObject({
      verdict: 'proved',
      size: 6,
      pruned: 3,
      differences: [],
      prunings: [{ entry: 5, before, bundles: 3, messages: 3, at: expect.any(Number) }],
    })
    expect(await store.stats()).toMatchObject({ bundles: 5, pruned: 3 })
  })

  it('store.prune keeps only positions and ids of bundles, and adds an entry to the log', async () => {
    const store = await filled(database)
    await store.prune({ before: NEW + 1 })
    for (const table of ['bundle', 'evidence', 'edge']) {
      expect(await database.query(`select * from alvarium.${table}`), table).toEqual([])
    }
    expect((await database.query('select * from alvarium.leaf')).length).toBe(6)
  })

  it('a store counts pruned bundles in each answer about a payload', async () => {
    const store = await filled(database)
    await store.prune({ before })
    expect(await store.about(utf8('a'))).toMatchObject({ bundles: 1, pruned: 1, madeInto: [] })
    expect(await store.about(utf8('b'))).toMatchObject({ bundles: 0, pruned: 1, madeFrom: [], madeInto: [] })
    const { payloads } = await store.lineage(utf8('d'))
    expect(payloads.map(({ key, pruned }) => [key, pruned])).toEqual([
      [keyOf(utf8('d')), undefined],
      [keyOf(utf8('c')), 1],
    ])
    const policy = readPolicy({ version: 1, ancestors: 'min' })
    const { score, log: position, why } = await store.why(utf8('d'), { policy })
    expect({ score, pruned: position?.pruned }).toEqual({ score: 0, pruned: 3 })
    expect(why.gaps).toMatchObject([{ key: keyOf(utf8('c')), gap: 'pruned' }])
  })

  it('store.score is unknown if bundles about an ancestor were pruned, even if the remaining ones are satisfied', async () => {
    const store = await database.open()
    await receive(store, await said(['a>b']), OLD)
    await receive(store, await said(['b', 'b>c']), NEW)
    await store.prune({ before })
    const policy = readPolicy({ version: 1, ancestors: 'min' })
    expect((await store.score(utf8('c'), { policy })).score).toBe('unknown')
  })

  it('store.prune keeps an edge as long as a bundle states that edge', async () => {
    const store = await database.open()
    await receive(store, await said(['a>b']), OLD)
    await receive(store, await said(['a>b']), NEW)
    await store.prune({ before })
    expect((await store.about(utf8('b'))).madeFrom).toMatchObject([{ key: keyOf(utf8('a')) }])
    expect((await store.audit()).differences).toEqual([])
    await store.prune({ before: NEW + 1 })
    expect((await store.about(utf8('b'))).madeFrom).toEqual([])
    expect((await store.audit()).differences).toEqual([])
  })

  it('store.prune removes an edge that only classic messages imply when it removes the last of these messages', async () => {
    const stream = memory()
    const codec = classic({ signingKey: key.signingKey, dialect: 'go' })
    const sdk = await openSdk({ signingKey: key.signingKey, annotators: [source()], stream, codec })
    await sdk.mutate(utf8('a'), utf8('b'))
    await sdk.mutate(utf8('a'), utf8('b'))
    await sdk.close()
    const [first, second] = stream.messages as [Uint8Array, Uint8Array]
    const store = await database.open({ classic: true })
    await receive(store, [first], OLD)
    await receive(store, [second], NEW)
    const related = async () => (await store.lineage(utf8('b'), { implied: true })).payloads.length
    await store.prune({ before })
    expect([await related(), (await store.audit()).differences]).toEqual([2, []])
    await store.prune({ before: NEW + 1 })
    expect([await related(), (await store.audit()).differences]).toEqual([1, []])
  })

  it('store.prune keeps bundles that were received exactly at the given time or later', async () => {
    const store = await database.open()
    await receive(store, await said(['a']), OLD)
    expect(await store.prune({ before: OLD })).toMatchObject({ bundles: 0 })
    expect(await store.prune({ before: OLD + 1 })).toMatchObject({ bundles: 1 })
  })

  it('store.prune keeps the text of a payload with hash "none" as long as a stored bundle has the payload as an input', async () => {
    const store = await database.open()
    await receive(store, await said(['a text'], { hash: 'none' }), OLD)
    await receive(store, await said(['a text>b'], { hash: 'none' }), NEW)
    await store.prune({ before })
    expect(await store.about({ key: 'b', hash: 'none' })).toMatchObject({
      madeFrom: [{ key: 'a text', hash: 'none' }],
    })
    expect((await store.audit()).differences).toEqual([])
  })

  // claim: store-operating-11
  it('store.prune keeps the names of hosts, kinds and tags, even those that no bundle has any more', async () => {
    const store = await database.open()
    const { sdk, stream } = await opened([yes('kind-1')], { host: 'host-1', tag: 'tag-1', hash: 'none' })
    await sdk.create(utf8('a'))
    await sdk.create(utf8('b'))
    await sdk.close()
    const [pruned, forgotten] = stream.messages as [Uint8Array, Uint8Array]
    await store.ingest([
      { message: pruned, receivedAt: OLD },
      { message: forgotten, receivedAt: NEW },
    ])
    await store.prune({ before })
    await store.forget({ key: 'b', hash: 'none' })
    const rows = await database.query("select convert_from(word, 'UTF8') as word from alvarium.word")
    expect(rows.map(({ word }) => word)).toEqual(expect.arrayContaining(['host-1', 'kind-1', 'tag-1']))
    expect(await database.query('select from alvarium.bundle')).toHaveLength(0)
  })

  it('store.prune uses the time of the signature if the time of receipt is unknown', async () => {
    const store = await database.open()
    await receive(store, await said(['a', 'b']), undefined)
    expect(await store.prune({ before: OLD })).toMatchObject({ bundles: 0 })
    expect(await store.prune({ before: Date.now() })).toMatchObject({ bundles: 2, messages: 2 })
  })

  // claim: store-operating-6
  it('store.prune keeps a message until its last bundle is removed', async () => {
    const store = await database.open()
    const { sdk, stream } = await opened([source()])
    await sdk.createMany(['a', 'b', 'c'].map(utf8))
    await sdk.close()
    await receive(store, stream.messages, undefined)
    await database.query('update alvarium.bundle set at = $1 where seq = 1', [`${OLD * 1000}`])
    expect(await store.prune({ before })).toMatchObject({ bundles: 1, messages: 0 })
    expect((await store.about(utf8('c'))).bundles).toBe(1)
    expect((await store.audit()).differences).toEqual([])
    expect(await store.prune({ before: Date.now() })).toMatchObject({ bundles: 2, messages: 1 })
    expect((await store.audit()).differences).toEqual([])
  })

  // claim: store-operating-5
  it('store.prune removes the text of a payload that no bundle uses any more', async () => {
    const store = await database.open()
    const name = { key: 'a text', hash: 'none' } as const
    await receive(store, await said(['a text'], { hash: 'none' }), OLD)
    await store.prune({ before })
    const texts = () => database.query('select text from alvarium.datum where text is not null')
    expect(await texts()).toEqual([])
    expect(await store.about(name)).toMatchObject({ bundles: 0, pruned: 1 })
    await receive(store, await said(['a text'], { hash: 'none' }), NEW)
    expect(await store.about(name)).toMatchObject({ ...name, bundles: 1, pruned: 1 })
    expect((await texts()).length).toBe(1)
    expect((await store.audit()).differences).toEqual([])
  })

  // claim: store-operating-7
  it('a store recognizes a redelivered message that was pruned', async () => {
    const store = await database.open()
    const messages = await said(['a'])
    await receive(store, messages, OLD)
    await store.prune({ before })
    expect(await receive(store, messages, NEW)).toMatchObject({ bundles: 0, copies: 1 })
    expect((await store.about(utf8('a'))).bundles).toBe(0)
  })

  // claim: store-operating-8
  it('an audit names rows that were removed but not pruned', async () => {
    const store = await filled(database)
    const { note } = await store.checkpoint()
    await store.prune({ before })
    const rowsOf = async () =>
      (await store.audit({ checkpoint: note })).differences.map(
        ({ table, row, what }) => `${table} ${row} ${what}`,
      )
    for (const [altered, found] of [
      ['delete from alvarium.bundle where seq = 4', 'bundle 4 row'],
      ['delete from alvarium.pruned where first = 0', 'bundle 0 row'],
      ['update alvarium.pruned set last = last + 1', 'pruned 0 bundles'],
      ['update alvarium.pruned set last = last - 1', 'pruned 0 last'],
      ['insert into alvarium.pruned values (4, 4, 5)', 'pruned 4 row'],
      ['delete from alvarium.pruning', 'pruning 5 row'],
      ['delete from alvarium.pruning; delete from alvarium.pruned', 'bundle 5 row'],
      ['update alvarium.pruning set bundles = bundles + 1', 'pruning 5 bundles'],
      ['update alvarium.pruning set at = at - 1', 'pruning 5 when'],
      ['update alvarium.pruning set before = null', 'pruning 5 before'],
      ['update alvarium.pruning set record = record || record', 'pruning 5 record'],
      [
        'update alvarium.pruning set messages = messages - 1',
        'head evidence rows, and those that were pruned',
      ],
      ['update alvarium.pruned set pruning = 7', 'pruned 0 pruning'],
      ['update alvarium.pruned set last = 99', 'pruned 0 range'],
      ['update alvarium.datum set pruned = 0', 'head all pruned'],
    ] as const) {
      const tables = ['bundle', 'pruned', 'pruning', 'datum']
      for (const table of tables)
        await database.query(`create table copy_of_${table} as table alvarium.${table}`)
      for (const statement of altered.split('; ')) await database.query(statement)
      expect(await rowsOf(), altered).toContain(found)
      for (const table of tables) {
        await database.query(`delete from alvarium.${table}`)
        await database.query(`insert into alvarium.${table} select * from copy_of_${table}`)
        await database.query(`drop table copy_of_${table}`)
      }
    }
    expect(await rowsOf()).toEqual([])
  })

  it('store.prune rejects with the error of onProgress if onProgress rejects', async () => {
    const store = await database.open()
    await receive(store, Object.values(await genuineMessages()), OLD)
    const onProgress = async () => {
      throw new Error('the progress bar')
    }
    await expect(store.prune({ before, onProgress })).rejects.toThrow('the progress bar')
  })

  it('store.prune ends when its signal aborts, and continues when it is called again', async () => {
    const store = await database.open()
    const { sdk, stream } = await opened([source()])
    await sdk.createMany(Array.from({ length: 4_500 }, (_, at) => utf8(`${at}`)))
    await sdk.close()
    await receive(store, stream.messages, OLD)
    const ending = new AbortController()
    const told: number[] = []
    const pruning = store.prune({
      before,
      signal: ending.signal,
      onProgress: ({ bundles }) => {
        told.push(bundles)
        ending.abort(new Error('enough'))
      },
    })
    await expect(pruning).rejects.toThrow('enough')
    expect(told).toEqual([2_000])
    expect(await store.prune({ before })).toMatchObject({ bundles: 2_500 })
    expect(await store.prune({ before })).toEqual({ bundles: 0, messages: 0, quarantined: 0 })
    const { differences, pruned, prunings } = await store.audit()
    expect({ differences, pruned, prunings: prunings.length }).toEqual({
      differences: [],
      pruned: 4_500,
      prunings: 3,
    })
  })

  it.skipIf(!isServer)(
    'store.prune removes all old rows and no new ones while another process stores messages',
    async () => {
      const [store, other] = [await database.open(), await database.open()]
      const many = async (name: string) => {
        const { sdk, stream } = await opened([source()])
        for (let from = 0; from < 5_000; from += 500) {
          await sdk.createMany(Array.from({ length: 500 }, (_, at) => utf8(`${name} ${from + at}`)))
        }
        await sdk.close()
        return stream.messages
      }
      await receive(store, await many('old'), OLD)
      const later = await many('new')
      const [pruned, stored] = await Promise.all([store.prune({ before }), receive(other, later, NEW)])
      expect([pruned.bundles, stored.bundles]).toEqual([5_000, 5_000])
      expect((await store.audit()).differences).toEqual([])
      expect((await store.about(utf8('new 4999'))).bundles).toBe(1)
    },
  )

  it('store.prune also removes quarantined messages that were received before the given time', async () => {
    const strangers = generateKey()
    const store = await database.open({ keyring: [strangers.verifyingKey] })
    await receive(store, await said(['a']), OLD)
    await receive(store, await said(['b']), NEW)
    expect(await store.prune({ before })).toEqual({ bundles: 0, messages: 0, quarantined: 1 })
    const { quarantined, quarantinedBytes } = await store.stats()
    expect([...quarantined]).toEqual([['SIGNER_UNKNOWN', 1]])
    expect(quarantinedBytes).toBeGreaterThan(0)
  })

  it('store.prune refuses a time that has not passed', async () => {
    const store = await filled(database)
    const far = Date.now() + 86_400_000
    expect(await codeOf(() => store.prune({ before: far }))).toBe('CONFIG_INVALID')
    expect((await store.stats()).pruned).toBe(0)
  })

  describe('store.forget of a payload', () => {
    const name = { key: 'ann@example.com', hash: 'none' } as const
    const rowsWith = async (text: string) => {
      const found: string[] = []
      for (const [table, column] of [
        ['evidence', 'message'],
        ['datum', 'text'],
        ['datum', 'digest'],
        ['quarantine', 'message'],
      ]) {
        const rows = await database.query(
          `select 1 from alvarium.${table} where position($1::bytea in ${column}) > 0 or position($2::bytea in ${column}) > 0`,
          [utf8(text), Buffer.from(keyOf(utf8(text)), 'hex')],
        )
        if (rows.length > 0) found.push(`${table}.${column}`)
      }
      return found
    }

    // claim: store-operating-9
    it('removes the payload and its digest everywhere, and other bundles of its batch verify', async () => {
      const store = await database.open({ log })
      const { sdk, stream } = await opened([source()], { hash: 'none' })
      await sdk.createMany(['b', name.key, 'c', 'd'].map(utf8))
      await sdk.mutate(utf8(name.key), utf8('e'))
      await sdk.mutate(utf8('b'), utf8(name.key))
      await sdk.close()
      await receive(store, stream.messages, OLD)
      const { note } = await store.checkpoint()
      expect(await rowsWith(name.key)).toEqual(['evidence.message', 'datum.text', 'datum.digest'])
      expect(await store.forget(name)).toMatchObject({ bundles: 3, messages: 3, quarantined: 0 })
      expect(await rowsWith(name.key)).toEqual([])
      expect(await store.audit({ checkpoint: note })).toMatchObject({
        verdict: 'proved',
        pruned: 3,
        differences: [],
        evidence: 3,
        prunings: [{ bundles: 3, messages: 3 }],
      })
      const exported: number[] = []
      for await (const { message, receivedAt } of store.export()) {
        expect((await verifyMessage(message, { keyring })).key).not.toBe(name.key)
        exported.push(receivedAt ?? 0)
      }
      expect(exported).toEqual([OLD, OLD, OLD])
      expect(await store.about(name)).toMatchObject({ bundles: 0, pruned: 0 })
      expect(await store.about({ key: 'e', hash: 'none' })).toMatchObject({
        bundles: 0,
        pruned: 1,
        madeFrom: [],
      })
      expect((await store.about({ key: 'c', hash: 'none' })).bundles).toBe(1)
    })

    // claim: threats-80, store-operating-10
    it('removes the payload key from all rows if the payload is named by its SHA-256', async () => {
      const store = await database.open({ log })
      const { sdk, stream } = await opened([source()])
      await sdk.createMany([name.key, 'b'].map(utf8))
      await sdk.close()
      await receive(store, stream.messages, OLD)
      const key = keyOf(utf8(name.key))
      expect(await store.forget({ key, hash: 'sha256' })).toMatchObject({ bundles: 1 })
      expect(await rowsWith(name.key)).toEqual([])
      expect(await rowsWith(key)).toEqual([])
      expect(await store.audit()).toMatchObject({ pruned: 1, differences: [] })
    })

    it('removes both annotations of a classic mutate if one of them is about the payload', async () => {
      const stream = memory()
      const codec = classic({ signingKey: key.signingKey, dialect: 'go' })
      const sdk = await openSdk({
        signingKey: key.signingKey,
        annotators: [source()],
        stream,
        codec,
        hash: 'none',
      })
      await sdk.mutate(utf8(name.key), utf8('b'))
      await sdk.create(utf8('b'))
      await sdk.close()
      const store = await database.open({ classic: true })
      await receive(store, stream.messages, OLD)
      // Go writes all keys in upper case.
      expect(await store.forget({ ...name, key: name.key.toUpperCase() })).toMatchObject({
        bundles: 2,
        messages: 1,
      })
      expect(await rowsWith(name.key.toUpperCase())).toEqual([])
      expect((await store.about({ key: 'B', hash: 'none' })).bundles).toBe(1)
      expect((await store.audit()).differences).toEqual([])
    })

    it('removes all annotations of a classic message, even about other payloads, if one annotation is about the payload', async () => {
      const stream = memory()
      const codec = classic({ signingKey: key.signingKey, dialect: 'rust' })
      const annotators = [source()]
      const sdk = await openSdk({ signingKey: key.signingKey, annotators, stream, codec, hash: 'none' })
      for (const text of [name.key, 'other']) await sdk.create(utf8(text))
      await sdk.close()
      const both = stream.messages.map((message) => JSON.parse(Buffer.from(message).toString()))
      const items = both.map(
        ({ content }) => /\[(.*)\]/s.exec(Buffer.from(content, 'base64').toString())?.[1],
      )
      const content = Buffer.from(`{"items":[${items}]}`).toString('base64')
      const store = await database.open({ classic: true })
      expect(await store.ingest([utf8(JSON.stringify({ ...both[0], content }))])).toMatchObject({
        bundles: 2,
      })
      expect(await store.forget(name)).toMatchObject({ bundles: 2, messages: 1 })
      expect(await rowsWith(name.key)).toEqual([])
    })

    it('applies to a redelivered message about the payload, but not to a new message about that payload', async () => {
      const store = await database.open()
      const messages = await said([name.key], { hash: 'none' })
      await receive(store, messages, OLD)
      await store.forget(name)
      expect(await receive(store, messages, NEW)).toMatchObject({ bundles: 0, copies: 1 })
      expect(await rowsWith(name.key)).toEqual([])
      await receive(store, await said([name.key], { hash: 'none' }), NEW)
      expect(await store.about(name)).toMatchObject({ bundles: 1, pruned: 0 })
      expect((await store.audit()).differences).toEqual([])
    })

    it.skipIf(isServer)('lets other writers store between its batches', async () => {
      const { sdk, stream } = await opened([source()], { hash: 'none' })
      for (const batch of ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh']) {
        const long = Array.from({ length: 20 }, (_, at) => `${batch} ${at} ${'.'.repeat(60_000)}`)
        await sdk.createMany([name.key, ...long].map(utf8))
      }
      await sdk.close()
      await receive(await database.open(), stream.messages, OLD)
      const connection = database.where as Connection
      const begun: string[] = []
      const watched: Connection = {
        query: (text, params) => {
          if (text.startsWith('begin') && !text.includes('read only')) begun.push(text)
          return connection.query(text, params)
        },
      }
      const store = await openStore(watched, { keyring })
      expect(await store.forget(name)).toMatchObject({ bundles: 7, messages: 7, payloads: 1 })
      expect(begun.length).toBeGreaterThan(1)
      expect(await rowsWith(name.key)).toEqual([])
      expect((await store.audit()).differences).toEqual([])
    })

    it('changes nothing if no bundle is about the payload', async () => {
      const store = await filled(database)
      expect(await store.forget(name)).toMatchObject({ bundles: 0, messages: 0, payloads: 0, prunings: [] })
      expect((await store.audit()).prunings).toEqual([])
    })
  })
})
