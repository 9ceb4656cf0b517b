// @each-database

import { keyOf, source } from 'alvarium-sdk'
import { readPolicy } from 'alvarium-sdk/score'
import { type Store, verifyLogProof } from 'alvarium-sdk/store'
import { expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { opened, yes } from '../support/sdk.js'
import { onEachDatabase, type TestDatabase } from './databases.js'
import { log } from './filled.js'

const nameOf = (text: string) => ({ key: keyOf(utf8(text)), hash: 'sha256' }) as const

/** Signs messages about payloads, written as `from+from>to`. */
async function sign(steps: readonly string[], options: Parameters<typeof opened>[1] = {}) {
  const { sdk, stream } = await opened([source(), yes('tls')], options)
  for (const step of steps) {
    const [from = '', to] = step.split('>')
    if (to === undefined) await sdk.create(utf8(from))
    else await sdk.mutate(from.split('+').map(utf8), utf8(to))
  }
  await sdk.close()
  return stream.messages
}

/** Fills a store with letters of two people, and payloads that were made from them. */
async function letters(database: TestDatabase): Promise<Store> {
  const store = await database.open({ log })
  await store.ingest(await sign(['ann 1', 'ann 2'], { tag: 'person-17' }))
  await store.ingest(await sign(['bob 1'], { tag: 'person-18' }))
  await store.ingest(await sign(['ann 1', 'ann 1+bob 1>both', 'ann 2>summary', 'both>report', 'summary']))
  return store
}

async function left(store: Store) {
  const counts: [string, number][] = []
  for (const text of ['ann 1', 'ann 2', 'bob 1', 'both', 'summary', 'report']) {
    counts.push([text, (await store.about(utf8(text))).bundles])
  }
  return Object.fromEntries(counts)
}

onEachDatabase((database) => {
  // claim: store-operating-14
  it.each([
    ['a list', { payloads: ['ann 1', 'ann 2', 'nobody'].map(utf8) }],
    ['a tag', { tag: 'person-17' }],
  ])(
    'a store forgets the payloads of %s in one transaction, with one entry in the log',
    async (_, selection) => {
      const store = await letters(database)
      const before = Date.now()
      const { note } = await store.checkpoint()
      const done = await store.forget(selection)
      expect(done).toMatchObject({ payloads: 2, bundles: 5, messages: 5, prunings: [expect.any(String)] })
      expect(await left(store)).toEqual({
        'ann 1': 0,
        'ann 2': 0,
        'bob 1': 1,
        both: 0,
        summary: 1,
        report: 1,
      })
      const [id = ''] = done.prunings
      const proof = (await store.prove(id)) as string
      expect(verifyLogProof(proof, { id, vkey: store.vkey as string }).index).toBe(8)
      const audit = await store.audit({ checkpoint: note })
      expect(audit).toMatchObject({
        verdict: 'proved',
        differences: [],
        prunings: [{ id, bundles: 5, messages: 5 }],
      })
      expect(audit.prunings[0]?.at).toBeGreaterThanOrEqual(before)
      expect(await store.forget(selection)).toMatchObject({ payloads: 0, bundles: 0, prunings: [] })
    },
  )

  it('store.forget with inputsOf removes the direct inputs of a payload, but not the payload itself', async () => {
    const store = await letters(database)
    expect(await store.forget({ inputsOf: utf8('both') })).toMatchObject({ payloads: 2, bundles: 4 })
    expect(await left(store)).toEqual({ 'ann 1': 0, 'ann 2': 1, 'bob 1': 0, both: 0, summary: 2, report: 1 })
    expect((await store.audit({ itself: true })).differences).toEqual([])
  })

  it('store.forget with inputsOf refuses bytes of a payload that the store knows only by another hash', async () => {
    const store = await database.open()
    await store.ingest(await sign(['source>result'], { hash: 'md5' }))
    expect(await codeOf(() => store.forget({ inputsOf: utf8('result') }))).toBe('CONFIG_INVALID')
    const named = { key: keyOf(utf8('result'), 'md5'), hash: 'md5' } as const
    expect(await store.forget({ inputsOf: named })).toMatchObject({ payloads: 1 })
  })

  // claim: store-operating-15
  it('store.about and store.lineage report that an input of a payload was forgotten', async () => {
    const store = await letters(database)
    const before = Date.now()
    await store.forget({ tag: 'person-17' })
    const { pruned, forgottenAt = 0, madeFrom } = await store.about(utf8('summary'))
    expect([pruned, madeFrom, forgottenAt >= before]).toEqual([1, [], true])
    const { payloads } = await store.lineage(utf8('report'))
    expect(payloads.map(({ key, pruned, forgottenAt: at }) => [key, pruned, at === forgottenAt])).toEqual([
      [nameOf('report').key, undefined, false],
      [nameOf('both').key, 1, true],
    ])
    expect(await store.about(utf8('bob 1'))).not.toHaveProperty('forgottenAt')
    const { score, why } = await store.why(utf8('summary'), {
      policy: readPolicy({ version: 1, ancestors: 'min' }),
    })
    expect([score, why.gaps]).toEqual(['unknown', [{ ...nameOf('summary'), gap: 'pruned' }]])
    await store.prune({ before: Date.now() })
    expect((await store.about(utf8('summary'))).forgottenAt).toBe(forgottenAt)
  })

  it('store.forget keeps the other bundles of a batch, each in a separate message that verifies', async () => {
    const store = await database.open({ log })
    const { sdk, stream } = await opened([source()])
    await sdk.createMany(Array.from({ length: 40 }, (_, at) => utf8(`${at}`)))
    await sdk.close()
    await store.ingest(stream.messages)
    const some = Array.from({ length: 20 }, (_, at) => utf8(`${2 * at}`))
    expect(await store.forget({ payloads: some })).toMatchObject({ payloads: 20, bundles: 20, messages: 1 })
    expect(await store.audit()).toMatchObject({ pruned: 20, evidence: 20, differences: [] })
  })

  it('store.forget removes thousands of payloads in one transaction', async () => {
    const store = await database.open({ log })
    const all = Array.from({ length: 2_100 }, (_, at) => utf8(`${at}`))
    const { sdk, stream } = await opened([source()])
    await sdk.createMany(all)
    await sdk.close()
    await store.ingest(stream.messages)
    expect(await store.forget({ payloads: all })).toMatchObject({ payloads: 2_100, bundles: 2_100 })
    expect((await store.audit({ itself: true })).differences).toEqual([])
  })

  it.each([
    ['nothing', {}, 'forget: expected a payload, or one of payloads, tag and inputsOf'],
    ['two selections', { tag: 'a', inputsOf: utf8('b') }, 'one of payloads, tag and inputsOf'],
    ['a tag that is no text', { tag: 17 }, 'forget.tag: expected a text'],
    ['an unknown option', { tags: 'a' }, 'forget.tags'],
    ['an invalid payload key', { payloads: [{ key: 1, hash: 'md5' }] }, 'payload.key'],
  ])('store.forget refuses %s', async (_, selection, text) => {
    const store = await database.open()
    await expect(store.forget(selection as never)).rejects.toThrow(text)
  })
})
