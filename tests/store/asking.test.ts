// @each-database

import { Keyring, keyOf, source, verifyBatch } from 'alvarium-sdk'
import { BundleGraph } from 'alvarium-sdk/score'
import type { BundleFilter, Store } from 'alvarium-sdk/store'
import { readTrust } from 'alvarium-sdk/trust'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { patient } from '../support/batches.js'
import { utf8 } from '../support/bytes.js'
import { codeOf, typeError } from '../support/failure.js'
import { genuineMessages, payload, previousPayload } from '../support/messages.js'
import { runs } from '../support/runs.js'
import { key, keyring, opened, yes } from '../support/sdk.js'
import { until } from '../support/until.js'
import { onEachDatabase } from './databases.js'

const named = (name: string) => ({ key: keyOf(utf8(name)), hash: 'sha256' }) as const
const NAMES = 'abcdef'.split('')
const nameOfKey = (names: readonly string[]) => new Map(names.map((name) => [keyOf(utf8(name)), name]))

/** Signs mutates, written as `from>to`; a name alone is a create. */
async function fabric(...steps: string[]): Promise<Uint8Array[]> {
  const { sdk, stream } = await opened([source(), { ...yes('no'), isSatisfied: () => false }])
  for (const step of steps) {
    const [from = '', to] = step.split('>')
    await (to === undefined ? sdk.create(utf8(from)) : sdk.mutate(utf8(from), utf8(to)))
  }
  await sdk.close()
  return [...stream.messages]
}

/** Returns a lineage: each payload as `name depth`, with the names of its inputs. */
async function told(store: Store, name: string, options: object = {}, names = 'abcdefgh'.split('')) {
  const { payloads, isWhole } = await store.lineage(named(name), options)
  const nameOf = nameOfKey(names)
  const lines = payloads.map(({ key: one, depth, madeFrom }) => {
    const from = madeFrom.map((at) => nameOf.get(payloads[at]?.key ?? '')).sort()
    return `${nameOf.get(one)} ${depth}${from.length > 0 ? ` < ${from.join()}` : ''}`
  })
  return { lines, isWhole }
}

onEachDatabase((database) => {
  // claim: store-46
  it('a query about a payload that was stored with a hash other than SHA-256 requires the payload key, not the bytes', async () => {
    const messages: Uint8Array[] = []
    for (const hash of ['none', 'md5'] as const) {
      const { sdk, stream } = await opened([source()], { hash })
      await sdk.create(utf8(`by ${hash}`))
      await sdk.close()
      messages.push(...stream.messages)
    }
    const store = await database.open()
    await store.ingest(messages)
    for (const hash of ['none', 'md5'] as const) {
      const bytes = utf8(`by ${hash}`)
      const ways = {
        about: () => store.about(bytes),
        history: () => store.history(bytes),
        lineage: () => store.lineage(bytes),
        forget: () => store.forget(bytes),
        score: () => store.score(bytes),
        why: () => store.why(bytes),
        export: () => store.export(bytes).next(),
      }
      for (const [name, ask] of Object.entries(ways)) {
        await expect(ask(), name).rejects.toMatchObject({
          code: 'CONFIG_INVALID',
          message: `payload: expected { key, hash } of a payload that this store knows by hash ${hash}, got bytes, which are looked for by their SHA-256`,
        })
      }
      expect(await store.score({ key: keyOf(bytes, hash), hash })).toMatchObject({ score: 1 })
    }
    expect(await store.score(utf8('never heard of'))).toMatchObject({ score: 0 })
    expect(await store.forget(utf8('never heard of'))).toMatchObject({ bundles: 0 })
  })

  it('store.lineage and store.about find each input by its hash algorithm and payload key, sets included', async () => {
    const set = 'ab'.repeat(32)
    const { sdk, stream } = await opened([source()])
    const text = { key: 'a', hash: 'none' } as const
    await sdk.mutate([utf8('a'), text, utf8('b'), utf8('a'), { set }], utf8('c'))
    await sdk.mutate(utf8('c'), utf8('d'))
    await sdk.close()
    const store = await database.open()
    await store.ingest(stream.messages)
    const { payloads, isWhole } = await store.lineage(named('d'))
    expect(isWhole).toBe(true)
    expect(
      payloads.map(({ key: one, hash, depth, madeFromSets }) => [one, hash, depth, madeFromSets]),
    ).toEqual([
      [named('d').key, 'sha256', 0, undefined],
      [named('c').key, 'sha256', 1, [set]],
      [named('a').key, 'sha256', 2, undefined],
      ['a', 'none', 2, undefined],
      [named('b').key, 'sha256', 2, undefined],
    ])
    expect(payloads[1]?.madeFrom).toEqual([2, 3, 4])
    const down = await store.lineage(text, { direction: 'down' })
    expect(down.payloads.map(({ key: one }) => one)).toEqual(['a', named('c').key, named('d').key])
    expect(await store.about(named('c'))).toMatchObject({
      madeFrom: [named('a'), text, named('b')],
      madeFromSets: [set],
      madeInto: [named('d')],
    })
    const { bundles } = await store.history(named('c'))
    expect(bundles.map(({ inputCount, previousKey }) => [inputCount, previousKey])).toEqual([[5, undefined]])
    expect((await store.why(named('d'))).why.gaps).toEqual([{ ...named('c'), gap: 'set' }])
  })

  it('store.score is unknown for a payload with a sealed set among its inputs, even if another input has a score', async () => {
    const { sdk, stream } = await opened([source()])
    await sdk.create(utf8('a'))
    await sdk.mutate([utf8('a')], utf8('b'))
    await sdk.mutate([utf8('a'), { set: 'ab'.repeat(32) }], utf8('c'))
    await sdk.mutate(utf8('c'), utf8('d'))
    await sdk.close()
    const store = await database.open()
    await store.ingest(stream.messages)
    const scores = await Promise.all(['a', 'b', 'c', 'd'].map((name) => store.score(utf8(name))))
    expect(scores.map((one) => Object(one).score ?? one)).toEqual([1, 1, 'unknown', 'unknown'])
  })

  it('store.about returns the answers, signers, hosts, inputs and outputs of a payload', async () => {
    const store = await database.open()
    await store.ingest(Object.values(await genuineMessages()))
    const about = await store.about(payload)
    expect(about).toEqual({
      key: keyOf(payload),
      hash: 'sha256',
      bundles: 4,
      pruned: 0,
      answers: new Map([
        ['src', { yes: 4, no: 0 }],
        ['no', { yes: 0, no: 4 }],
      ]),
      signers: new Map([[key.keyId, 4]]),
      hosts: new Map([['edge-7', 4]]),
      madeFrom: [{ key: keyOf(previousPayload), hash: 'sha256' }],
      madeFromSets: [],
      madeInto: [],
    })
    expect((await store.about(previousPayload)).madeInto).toEqual([{ key: keyOf(payload), hash: 'sha256' }])
    expect(await store.about({ key: keyOf(payload).toLowerCase(), hash: 'sha256' })).toMatchObject({
      bundles: 4,
    })
  })

  it('a store without bundles about a payload returns empty answers', async () => {
    const store = await database.open()
    const name = named('unheard of')
    expect(await store.about(name)).toMatchObject({ ...name, bundles: 0, madeFrom: [], madeInto: [] })
    expect(await store.history(name)).toEqual({ bundles: [] })
    expect(await store.lineage(name)).toEqual({
      payloads: [{ ...name, depth: 0, madeFrom: [] }],
      isWhole: true,
    })
    const messages = []
    for await (const one of store.export(name)) messages.push(one)
    expect(messages).toEqual([])
  })

  it('store.history returns bundles as they were signed, except for the ids of annotations', async () => {
    const store = await database.open()
    const { mutate } = await genuineMessages()
    const receivedAt = Date.now()
    await store.ingest([{ message: mutate, receivedAt }])
    const [bundle] = await verifyBatch(mutate, { keyring })
    const { payloadChecked, annotations, ...rest } = bundle as NonNullable<typeof bundle>
    expect(payloadChecked).toBe(false)
    const shown = { ...rest, seq: 0, receivedAt, annotations: annotations.map(({ id, ...more }) => more) }
    expect(await store.history(payload)).toEqual({ bundles: [shown] })
  })

  it('store.by finds bundles by host, tag, kind, signer and time', async () => {
    const keys = { signers: [{ name: 'gateway', keys: [Buffer.from(key.verifyingKey).toString('hex')] }] }
    const store = await database.open({ keyring: await readTrust(keys) })
    for (const [host, tag, kind] of [
      ['one', 'x', 'src'],
      ['one', 'y', 'tls'],
      ['two', 'x', 'tls'],
    ] as const) {
      const { sdk, stream } = await opened([yes(kind), yes('any')], { host, tag })
      await sdk.create(utf8('a'))
      await sdk.close()
      await store.ingest([...stream.messages])
    }
    const found = async (filter: BundleFilter) => (await store.by(filter)).bundles.map(({ seq }) => seq)
    expect(await found({ host: 'one' })).toEqual([0, 1])
    expect(await found({ kind: 'tls' })).toEqual([1, 2])
    expect(await found({ kind: 'any' })).toEqual([0, 1, 2])
    expect(await found({ tag: 'x' })).toEqual([0, 2])
    expect(await found({ tag: 'x', host: 'two', kind: 'tls', signer: 'gateway' })).toEqual([2])
    expect(await found({ signer: key.keyId })).toEqual([0, 1, 2])
    expect(await found({ signer: 'nobody' })).toEqual([])
    expect(await found({ kind: 'x' })).toEqual([])
    expect(await found({ at: { from: Date.now() - 60_000 } })).toEqual([0, 1, 2])
    expect(await found({ at: { until: Date.now() - 60_000 } })).toEqual([])
    const { bundles, next } = await store.by({ kind: 'any' }, { limit: 2 })
    expect(bundles).toHaveLength(2)
    expect(
      (await store.by({ kind: 'any' }, { after: next })).bundles.map(({ signedBy }) => signedBy),
    ).toEqual(['gateway'])
  })

  it('store.by finds the only bundle signed since a given time, even if 10,050 earlier bundles are stored', async () => {
    const store = await database.open()
    const { sdk, stream } = await opened([yes('src')], { batch: { maxBundles: 10_050, ...patient } })
    await sdk.createMany(Array.from({ length: 10_050 }, () => utf8('early')))
    const before = Date.now()
    await until(() => Date.now() > before)
    await sdk.createMany([utf8('late')])
    await sdk.close()
    expect(await store.ingest([...stream.messages])).toMatchObject({ bundles: 10_051 })
    const { bundles } = await store.by({ kind: 'src' }, { after: '10049' })
    const late = Date.parse(bundles[0]?.timestamp ?? '')
    expect((await store.by({ at: { from: late } })).bundles.map(({ seq }) => seq)).toEqual([10_050])
    expect((await store.by({ at: { from: late + 60_000 } })).bundles).toEqual([])
  })

  it("a store's query functions name an invalid option", async () => {
    const store = await database.open()
    expect(await codeOf(() => store.by({}))).toBe('CONFIG_INVALID')
    expect(await codeOf(() => store.by({ hots: 'a' } as never))).toBe('CONFIG_INVALID')
    expect(await codeOf(() => store.by({ host: 'a' }, { after: 'x' }))).toBe('CONFIG_INVALID')
    expect(await codeOf(() => store.lineage(payload, { limit: 0 }))).toBe('CONFIG_INVALID')
    expect(await codeOf(() => store.about({ key: 'A', hash: 'sha1' } as never))).toBe('CONFIG_INVALID')
    expect((await typeError(() => store.about('A' as never))).message).toContain('payload')
    expect((await typeError(() => store.by({ at: { from: 'now' as never } }))).message).toContain('filter.at')
  })

  it('store.lineage follows a payload to its inputs, by the shortest path', async () => {
    const store = await database.open()
    await store.ingest(await fabric('a', 'a>b', 'a>c', 'b>d', 'c>d', 'a>d'))
    expect(await told(store, 'd')).toEqual({
      lines: ['d 0 < a,b,c', 'a 1', 'b 1 < a', 'c 1 < a'],
      isWhole: true,
    })
    expect(await told(store, 'a')).toEqual({ lines: ['a 0'], isWhole: true })
  })

  it('a store stores each lineage edge once, even if several bundles state the edge', async () => {
    const store = await database.open()
    for (const said of [
      ['a>b', 'a>b'],
      ['a>b', 'c>b', 'b>d'],
      ['c>b', 'b>d'],
    ]) {
      const messages = await fabric(...said)
      expect(await store.ingest(messages)).toMatchObject({ bundles: said.length, quarantined: 0 })
    }
    expect((await told(store, 'd')).lines).toEqual(['d 0 < b', 'b 1 < a,c', 'a 2', 'c 2'])
    const edges = await database.query('select child, parent from alvarium.edge')
    expect(edges).toHaveLength(3)
    expect((await store.audit()).verdict).toBe('consistent')
  })

  it('store.lineage with direction "down" returns the payloads that were made from a payload, with their depth', async () => {
    const store = await database.open()
    await store.ingest(await fabric('a', 'a>b', 'b>c', 'x>c'))
    const down = await told(store, 'a', { direction: 'down' })
    expect(down).toEqual({ lines: ['a 0', 'b 1 < a', 'c 2 < b'], isWhole: true })
  })

  it('store.lineage returns each payload once if signers state that payloads were made from each other', async () => {
    const store = await database.open()
    await store.ingest(await fabric('a>b', 'b>c', 'c>a', 'd>d'))
    expect((await told(store, 'a')).lines).toEqual(['a 0 < c', 'c 1 < b', 'b 2 < a'])
    expect((await told(store, 'd')).lines).toEqual(['d 0 < d'])
  })

  // claim: store-26
  it('store.lineage returns each payload of a lattice once, nearest first, and states whether more follow', async () => {
    const layers = Array.from({ length: 12 }, (_, layer) => [0, 1, 2].map((at) => `${layer}.${at}`))
    const steps = layers
      .slice(1)
      .flatMap((layer, at) => layer.flatMap((to) => (layers[at] as string[]).map((from) => `${from}>${to}`)))
    const store = await database.open()
    await store.ingest(await fabric(...steps))
    const all = await store.lineage(named('11.0'))
    expect(all.payloads.map(({ depth }) => depth)).toEqual([
      0,
      ...layers.slice(1).flatMap((_, at) => [at + 1, at + 1, at + 1]),
    ])
    expect(all.isWhole).toBe(true)
    const some = await store.lineage(named('11.0'), { limit: 9 })
    expect(some.payloads.map(({ depth }) => depth)).toEqual([0, 1, 1, 1, 2, 2, 2, 3, 3, 3])
    expect(some.isWhole).toBe(false)
    expect((await store.lineage(named('11.0'), { limit: 33 })).isWhole).toBe(true)
    expect((await store.lineage(named('11.0'), { limit: 32 })).isWhole).toBe(false)
  })

  // claim: store-25
  it('store.export yields messages that verify elsewhere', async () => {
    const store = await database.open()
    const receivedAt = 1_700_000_000_000
    const messages = await fabric('a', 'a', 'b', 'a>b')
    await store.ingest(messages.map((message) => ({ message, receivedAt })))
    const actions: string[] = []
    for await (const one of store.export(utf8('b'))) {
      expect(one.receivedAt).toBe(receivedAt)
      const [bundle] = await verifyBatch(one.message, { keyring: new Keyring([key.verifyingKey]) })
      actions.push(bundle?.action ?? '')
    }
    expect(actions).toEqual(['create', 'mutate'])
    let count = 0
    for await (const _ of store.export()) count++
    expect(count).toBe(4)
  })

  it('a store has the same bundles and lineage as a BundleGraph of the same bundles', async () => {
    const store = await database.open()
    const step = fc.oneof(
      fc.constantFrom(...NAMES),
      fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES)).map((pair) => pair.join('>')),
    )
    let fabrics = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
        const own = `${++fabrics} `
        const messages = await fabric(...steps.map((one) => own + one.replace('>', `>${own}`)))
        await store.ingest(messages)
        const graph = new BundleGraph()
        for (const message of messages) {
          for (const bundle of await verifyBatch(message, { keyring })) graph.add(bundle)
        }
        for (const name of NAMES.map((one) => named(own + one))) {
          const bundles = graph.statements(name).reduce((sum, { count = 1 }) => sum + count, 0)
          expect((await store.about(name)).bundles).toBe(bundles)
          const { payloads } = await store.lineage(name)
          const lines = [...graph.lineage(name)].map((one) => `${one.depth} ${one.key}`)
          expect(payloads.map((one) => `${one.depth} ${one.key}`).sort()).toEqual(lines.sort())
        }
      }),
      runs(10),
    )
  })
})
