// @each-database

import { generateKey, Keyring, openDeadLetter, type ReceivedBundle, verifyBatch } from 'alvarium-sdk'
import { sealSet } from 'alvarium-sdk/sets'
import { type Ingested, openStore, type Store } from 'alvarium-sdk/store'
import { expect, it } from 'vitest'
import { patient } from '../support/batches.js'
import { textOf, utf8 } from '../support/bytes.js'
import { letterOf } from '../support/dead-letters.js'
import { codeOf, failure, typeError } from '../support/failure.js'
import { altered, genuineMessages, payload, resigned } from '../support/messages.js'
import { key, keyring, lastOf, opened, yes } from '../support/sdk.js'
import { until } from '../support/until.js'
import { onEachDatabase } from './databases.js'
import { pausingAtCommit } from './ending.js'

const NOTHING: Ingested = {
  bundles: 0,
  copies: 0,
  controlMessages: 0,
  quarantined: 0,
  rejected: {},
  skipped: 0,
}

async function batchOf(count: number, signingKey = key.signingKey): Promise<Uint8Array> {
  const { sdk, stream } = await opened([yes('src')], {
    signingKey,
    batch: { maxBundles: count, ...patient },
  })
  await sdk.createMany(Array.from({ length: count }, (_, at) => utf8(`payload ${at}`)))
  await sdk.close()
  return lastOf(stream)
}

const strange = (count: number) => batchOf(count, generateKey().signingKey)

async function deliveredOf(message: Uint8Array): Promise<ReceivedBundle[]> {
  const bundles = await verifyBatch(message, { keyring })
  const arrival = { format: 'bundle', topic: 't', message, retain: false, dup: false, receivedAt: 0 } as const
  const [ack, nack] = [async () => undefined, () => undefined]
  return bundles.map((bundle, index) => ({ ...bundle, ...arrival, index, ack, nack }))
}

function inGroups(groups: readonly (ReceivedBundle | undefined)[][]) {
  return {
    async *groups() {
      for (const group of groups) {
        const bundles = group.filter((bundle) => bundle !== undefined)
        yield { bundles, ack: async () => undefined, nack: () => undefined }
      }
    },
  }
}

async function exported(store: Store): Promise<string[]> {
  const messages: string[] = []
  for await (const { message } of store.export()) messages.push(textOf(message))
  return messages
}

onEachDatabase((database, isServer) => {
  it('a store contains each bundle once, with its message as it was received', async () => {
    const store = await database.open()
    const all = Object.values(await genuineMessages())
    expect(await store.ingest(all)).toEqual({ ...NOTHING, bundles: 4 })
    expect(await store.ingest([...all, ...all])).toEqual({ ...NOTHING, copies: 8 })
    expect(await exported(store)).toEqual(all.map(textOf))
  })

  it('a store contains the message of a batch once', async () => {
    const store = await database.open()
    const batch = await batchOf(2_500)
    expect(await store.ingest([batch, batch])).toEqual({ ...NOTHING, bundles: 2_500, copies: 2_500 })
    expect(await exported(store)).toEqual([textOf(batch)])
  })

  it.each([
    ['whatever groups deliver its bundles', 'single first, second third', 'other batch'],
    ['even if its first bundle arrives after the others', 'second third, single first', 'batch other'],
  ])('a store contains the message of a batch once, %s', async (_, groups, stored) => {
    const store = await database.open()
    const messages: Record<string, Uint8Array> = { batch: await batchOf(3), other: await batchOf(1) }
    const [[first, second, third], [single]] = [
      await deliveredOf(messages['batch'] as Uint8Array),
      await deliveredOf(messages['other'] as Uint8Array),
    ]
    const bundles: Record<string, ReceivedBundle | undefined> = { first, second, third, single }
    const named = groups.split(', ').map((group) => group.split(' ').map((name) => bundles[name]))
    await store.ingest(inGroups(named))
    expect(await exported(store)).toEqual(
      stored.split(' ').map((name) => textOf(messages[name] as Uint8Array)),
    )
  })

  // claim: store-19
  it('a store ignores copies of a message with other white space or another order of members', async () => {
    const store = await database.open()
    const { mutate } = await genuineMessages()
    await store.ingest([mutate])
    const { content, ...envelope } = JSON.parse(textOf(mutate))
    const turned = Object.fromEntries(Object.entries(content).reverse())
    const copies = Array.from({ length: 200 }, (_, at) => [
      utf8(`${' '.repeat(at)}${textOf(mutate)}\n`),
      utf8(JSON.stringify({ content: turned, ...envelope }, null, at)),
    ]).flat()
    expect(await store.ingest(copies)).toEqual({ ...NOTHING, copies: 400 })
    expect(await exported(store)).toHaveLength(1)
  })

  it('store.ingest stores the valid messages of a source, and counts the others by error code', async () => {
    const store = await database.open()
    const { create, transit } = await genuineMessages()
    const refused: string[] = []
    async function* coming() {
      yield create
      yield { message: altered(transit, ({ content }) => Object.assign(content, { host: 'other' })) }
      yield utf8('no message')
      yield { message: transit, receivedAt: new Date(1_700_000_000_000) }
    }
    const onRejected = (message: Uint8Array, { code }: { code: string }) =>
      refused.push(`${code} ${message.length}`)
    const done = await store.ingest(coming(), { onRejected })
    expect(done).toEqual({ ...NOTHING, bundles: 2, rejected: { SIGNATURE_INVALID: 1, MESSAGE_MALFORMED: 1 } })
    expect(refused).toHaveLength(2)
    const { bundles } = await store.history(payload)
    expect(bundles.map(({ receivedAt }) => receivedAt)).toEqual([undefined, 1_700_000_000_000])
  })

  it('store.ingest stores a message that arrives long after the previous one', async () => {
    const store = await database.open()
    const { create, transit } = await genuineMessages()
    async function* coming() {
      yield create
      await until(async () => (await store.about(payload)).bundles === 1)
      yield transit
    }
    expect(await store.ingest(coming())).toEqual({ ...NOTHING, bundles: 2 })
  })

  it('store.ingest reads on while `onRejected` is slow, but less than 1,000 messages ahead', async () => {
    const store = await database.open()
    let [kept, mostLeft] = [0, 0]
    function* coming() {
      for (let at = 0; at < 2_000; at++) {
        mostLeft = Math.max(mostLeft, at - kept)
        yield utf8('no message')
      }
    }
    const onRejected = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      kept++
    }
    await store.ingest(coming(), { onRejected })
    expect([mostLeft < 1_000, kept]).toEqual([true, 2_000])
  })

  it('store.ingest holds at most 4 MiB of a source in memory, or a single longer message', async () => {
    const store = await database.open()
    const message = new Uint8Array(1024 * 1024)
    let asked = 0
    function* coming() {
      for (; asked < 9; ) {
        asked++
        yield message
      }
    }
    const held: number[] = []
    await store.ingest(coming(), { onRejected: () => held.push(asked - held.length) })
    expect(held).toHaveLength(9)
    expect(Math.max(...held)).toBeLessThanOrEqual(4)
  })

  it.each([
    ['fails', 'asynchronous', new Error('the queue was disconnected'), 'disconnected'],
    ['yields an invalid message', 'synchronous', undefined, 'messages[4]'],
  ])('store.ingest has stored the earlier messages when a source %s (%s)', async (_, how, error, told) => {
    const store = await database.open()
    const all = Object.values(await genuineMessages())
    function* queue() {
      yield* all
      if (error) throw error
      yield 'x' as never
    }
    async function* waiting() {
      yield* queue()
    }
    await expect(store.ingest(how === 'asynchronous' ? waiting() : queue())).rejects.toThrow(told)
    expect((await store.stats()).bundles).toBe(4)
  })

  it('store.ingest closes a source that yields invalid messages, and names their position', async () => {
    const store = await database.open()
    let isClosed = false
    async function* coming() {
      try {
        for (let at = 0; at < 1_001; at++) yield utf8('no message')
        for (;;) yield 'x' as never
      } finally {
        isClosed = true
      }
    }
    const { message } = await typeError(() => store.ingest(coming()))
    expect(message).toContain('messages[1001]')
    await until(() => isClosed)
  })

  it('a store skips the messages of sets, as a subscription does', async () => {
    const store = await database.open()
    const { create } = await genuineMessages()
    const { message } = await sealSet([payload], { signingKey: key.signingKey, name: 'training-7' })
    expect(await store.ingest([message, create, message])).toEqual({ ...NOTHING, bundles: 1, skipped: 2 })
    expect(await exported(store)).toEqual([textOf(create)])
  })

  it('a store skips dead letters, as a subscription does, and stores what openDeadLetter returns', async () => {
    const store = await database.open()
    const letter = letterOf((await genuineMessages()).create)
    expect(await store.ingest([letter])).toEqual({ ...NOTHING, skipped: 1 })
    const { message, receivedAt } = openDeadLetter(letter)
    expect(await store.ingest([{ message: message as Uint8Array, receivedAt }])).toEqual({
      ...NOTHING,
      bundles: 1,
    })
  })

  // claim: store-18
  it('store.ingest stores each group of at most 1,000 messages before it reads more of the source', async () => {
    const store = await database.open()
    const { create } = await genuineMessages()
    const stored: unknown[] = []
    async function* coming() {
      for (let at = 0; at < 1_001; at++) yield create
      stored.push((await database.query('select leaves from alvarium.head'))[0]?.['leaves'])
    }
    await store.ingest(coming())
    expect(stored.map(Number)).toEqual([1])
  })

  // claim: store-21
  it('a store quarantines messages of unknown signers, and stores them when their signer is known', async () => {
    const keys = new Keyring()
    const store = await database.open({ keyring: keys })
    const { create } = await genuineMessages()
    const batch = await batchOf(3)
    const receivedAt = 1_700_000_000_000
    const given = [{ message: create, receivedAt }, batch, create]
    for (const time of ['first', 'second'])
      expect(await store.ingest(given), time).toEqual({ ...NOTHING, quarantined: 2 })
    expect(await exported(store)).toEqual([])
    expect((await store.about(payload)).bundles).toBe(0)
    expect(await store.retryQuarantine()).toEqual({ ...NOTHING, quarantined: 2 })
    keys.add(key.verifyingKey)
    expect(await store.retryQuarantine()).toEqual({ ...NOTHING, bundles: 4 })
    expect((await store.history(payload)).bundles[0]?.receivedAt).toBe(receivedAt)
    expect(await store.retryQuarantine()).toEqual(NOTHING)
    expect(await database.query('select quarantined_bytes::text as bytes from alvarium.head')).toEqual([
      { bytes: '0' },
    ])
  })

  it('a store removes quarantined messages that turn out to be invalid', async () => {
    const keys = new Keyring()
    const store = await database.open({ keyring: keys })
    const { create } = await genuineMessages()
    await store.ingest([altered(create, ({ content }) => Object.assign(content, { host: 'other' }))])
    keys.add(key.verifyingKey)
    expect(await store.retryQuarantine()).toEqual({ ...NOTHING, rejected: { SIGNATURE_INVALID: 1 } })
    expect(await store.retryQuarantine()).toEqual(NOTHING)
  })

  // claim: store-22
  it('a store quarantines the newest messages of unknown signers up to a limit', async () => {
    const keys = new Keyring()
    const messages = await Promise.all(Array.from({ length: 20 }, (_, at) => batchOf(at + 1)))
    const newest = messages.at(-1) as Uint8Array
    const store = await database.open({ keyring: keys, quarantine: { maxBytes: newest.length * 2 } })
    for (const message of messages) {
      await store.ingest([message])
      const [row] = await database.query('select sum(size)::integer as bytes from alvarium.quarantine')
      expect(row?.['bytes']).toBeLessThanOrEqual(newest.length * 2)
      expect((await store.stats()).quarantinedBytes).toBe(row?.['bytes'])
    }
    keys.add(key.verifyingKey)
    expect((await store.retryQuarantine()).bundles).toBeGreaterThanOrEqual(20)
    expect(await exported(store)).toContain(textOf(newest))
  })

  it('a store removes messages that have been in quarantine longer than `maxDays`, on the next ingest or retry', async () => {
    const store = await database.open({ quarantine: { maxDays: 1 } })
    const kept = async () => [
      ...(await store.stats()).quarantined.values(),
      (await store.stats()).quarantinedBytes,
    ]
    const [first, second] = [await strange(1), await strange(2)]
    const later = () => database.query('update alvarium.quarantine set since = since - 90000001')
    await store.ingest([first])
    await later()
    await store.ingest([second])
    expect(await kept()).toEqual([1, second.length])
    expect(await store.retryQuarantine()).toEqual({ ...NOTHING, quarantined: 1 })
    expect(await kept()).toEqual([1, second.length])
    await later()
    expect(await store.retryQuarantine()).toEqual(NOTHING)
    expect(await kept()).toEqual([0])
  })

  it('a store quarantines messages from `deadLetters()` if their signer is unknown', async () => {
    const keys = new Keyring()
    const store = await database.open({ keyring: keys })
    const letters = store.deadLetters()
    const { create } = await genuineMessages()
    const since = Date.parse('2026-11-20T10:00:00Z')
    await letters.publish(letterOf(create, { receivedAt: since }), {})
    await letters.publish(letterOf(utf8('no message')), {})
    await expect(letters.publish(create, {})).rejects.toMatchObject({ code: 'MESSAGE_MALFORMED' })
    keys.add(key.verifyingKey)
    expect(await store.retryQuarantine()).toEqual({ ...NOTHING, bundles: 1 })
    const { bundles } = await store.history(payload)
    expect(bundles[0]?.receivedAt).toBe(since)
  })

  // claim: store-20
  it('a store quarantines a message if the database refuses one of its rows, and stores the other rows', async () => {
    const store = await database.open()
    const { create } = await genuineMessages()
    await database.query('alter table alvarium.bundle add constraint odd check (place <> 2)')
    const batch = await batchOf(5)
    expect(await store.ingest([batch, create])).toEqual({ ...NOTHING, bundles: 5, quarantined: 1 })
    expect(await store.retryQuarantine()).toEqual({ ...NOTHING, copies: 4, quarantined: 1 })
    await database.query('alter table alvarium.bundle drop constraint odd')
    expect(await store.retryQuarantine()).toEqual({ ...NOTHING, bundles: 1, copies: 4 })
    expect(await exported(store)).toHaveLength(2)
  })

  // claim: store-27
  it('a store stores and returns signed strings with characters that are special in databases, such as NUL and quotation marks', async () => {
    const odd = ['\0', '\u{1F600}\0', "'); drop schema alvarium; --", '{"a",NULL}', '\\x00', '\uFEFF "\n']
    const store = await database.open()
    for (const text of odd) {
      const { sdk, stream } = await opened([yes(`${text} kind`)], {
        host: `${text} host`,
        tag: `${text} tag`,
        hash: 'none',
      })
      await sdk.create(utf8(`${text} text`))
      await sdk.close()
      expect(await store.ingest([lastOf(stream)])).toEqual({ ...NOTHING, bundles: 1 })
      const found = await store.by({ host: `${text} host`, kind: `${text} kind`, tag: `${text} tag` })
      const shown = { host: `${text} host`, key: `${text} text`, hash: 'none' }
      const annotations = [{ kind: `${text} kind`, tag: `${text} tag`, isSatisfied: true }]
      expect(found.bundles).toMatchObject([{ ...shown, annotations }])
      expect((await store.about({ key: `${text} text`, hash: 'none' })).bundles).toBe(1)
    }
  })

  it('a store stores a bundle of 5,000 inputs, and returns all of them in the lineage', async () => {
    const { sdk, stream } = await opened([yes('src')])
    const inputs = Array.from({ length: 5_000 }, (_, at) => ({ key: `reading ${at}`, hash: 'none' }) as const)
    await sdk.mutate(inputs, payload)
    await sdk.close()
    const store = await database.open()
    expect(await store.ingest([lastOf(stream)])).toEqual({ ...NOTHING, bundles: 1 })
    const { payloads, isWhole } = await store.lineage(payload, { limit: 5_000 })
    expect([payloads.length, payloads.at(-1), isWhole]).toEqual([
      5_001,
      { key: 'reading 4999', hash: 'none', depth: 1, madeFrom: [] },
      true,
    ])
    expect((await store.about(payload)).madeFrom).toHaveLength(1_000)
    expect((await store.audit()).verdict).toBe('consistent')
  })

  it('a store stores payload keys that are texts of any length', async () => {
    const { sdk, stream } = await opened([yes('src')], { hash: 'none' })
    const [long, longer] = ['x'.repeat(60_000), `${'x'.repeat(60_000)}y`]
    await sdk.mutate(utf8(long), utf8(longer))
    await sdk.close()
    const store = await database.open()
    await store.ingest([lastOf(stream)])
    expect((await store.about({ key: longer, hash: 'none' })).madeFrom).toEqual([{ key: long, hash: 'none' }])
    // A text that equals the digest of another text is a different payload.
    expect((await store.about({ key: longer, hash: 'sha256' })).bundles).toBe(0)
  })

  // claim: store-28
  it('a store returns each timestamp as it was signed, and compares timestamps by the moment that they denote', async () => {
    const store = await database.open()
    const { create } = await genuineMessages()
    const moments = [
      ['2026-11-20T10:00:00.123456Z', '2026-11-20T10:00:00.123Z'],
      ['2026-11-20T10:00:00+23:59', '2026-11-19T10:01:00.000Z'],
      ['2026-11-20T10:00:00.123456789-23:59', '2026-11-21T09:59:00.123Z'],
      ['0000-01-01T00:00:00.000001Z', '0000-01-01T00:00:00.000Z'],
      ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999Z'],
      ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
      ['1970-01-01T00:00:00.000000Z', '1970-01-01T00:00:00.000Z'],
      ['1969-12-31T23:59:59.9999999Z', '1969-12-31T23:59:59.999Z'],
    ] as const
    for (const [timestamp, moment] of moments) {
      const message = resigned(create, ({ content }) => Object.assign(content, { timestamp }))
      expect(await store.ingest([message])).toEqual({ ...NOTHING, bundles: 1 })
      const from = new Date(moment)
      const { bundles } = await store.by({ at: { from, until: from.valueOf() + 1 } })
      expect(bundles.map((bundle) => bundle.timestamp)).toEqual([timestamp])
    }
  })

  it('a store stores the answers of as many annotations as a bundle can have', async () => {
    const { create } = await genuineMessages()
    const answers = Array.from({ length: 256 }, (_, at) => at % 3 === 0)
    const message = resigned(create, ({ content }) => {
      const [first] = content.annotations
      content.annotations = answers.map((isSatisfied, at) => ({ ...first, kind: `k${at}`, isSatisfied }))
    })
    const store = await database.open()
    await store.ingest([message])
    const { bundles } = await store.history(payload)
    expect(bundles[0]?.annotations.map(({ isSatisfied }) => isSatisfied)).toEqual(answers)
  })

  it('openStore opens a store that exists already, and refuses one whose schema is of a newer version', async () => {
    const store = await database.open()
    await store.ingest(Object.values(await genuineMessages()))
    const again = await database.open()
    expect((await again.about(payload)).bundles).toBe(4)
    await database.query('insert into alvarium.version values (1000)')
    const { code, message } = await failure(() => database.open())
    expect(code).toBe('STORE_FAILED')
    expect(message).toContain('update alvarium-sdk')
  })

  it('store.ingest rejects an argument that is not a list of messages, and rejects every call after store.close()', async () => {
    const store = await database.open()
    expect(await codeOf(() => store.ingest(utf8('x') as never))).toBe('CONFIG_INVALID')
    expect(await codeOf(() => store.ingest('x' as never))).toBe('CONFIG_INVALID')
    const { message } = await typeError(() => store.ingest(['x' as never]))
    expect(message).toContain('messages[0]')
    await store.close()
    expect(await codeOf(() => store.ingest([]))).toBe('STREAM_CLOSED')
    expect(await codeOf(() => store.about(payload))).toBe('STREAM_CLOSED')
  })

  if (!isServer) return

  // claim: store-17
  it('a store contains each bundle once, although other processes store the same bundles simultaneously', async () => {
    const stores = await Promise.all([1, 2, 3].map(() => database.open()))
    const signers = [key, generateKey(), generateKey()]
    const batches = await Promise.all(signers.map(({ signingKey }) => batchOf(1_500, signingKey)))
    const all = Object.values(await genuineMessages())
    const keys = new Keyring(signers.map(({ verifyingKey }) => verifyingKey))
    const ingesters = await Promise.all(stores.map(() => database.open({ keyring: keys })))
    const done = await Promise.all(ingesters.map((store) => store.ingest([...batches, ...all])))
    const count = 3 * 1_500 + 4
    expect(done.reduce((sum, { bundles }) => sum + bundles, 0)).toBe(count)
    expect(done.reduce((sum, { copies }) => sum + copies, 0)).toBe(2 * count)
    const [row] = await database.query(
      'select max(seq)::integer as last, count(*)::integer as count from alvarium.leaf',
    )
    expect(row).toEqual({ last: count - 1, count })
  })

  it('a store gives new bundles the next numbers, although another process has not committed its bundles yet', async () => {
    const { create, transit } = await genuineMessages()
    const other = await database.open()
    const { connection, isPaused, goOn } = pausingAtCommit(database, 'leaf')
    const slow = await openStore(connection, { keyring })
    const slowly = slow.ingest([create])
    await until(isPaused)
    const meanwhile = other.ingest([transit])
    await until(
      async () => (await database.query('select from pg_locks where not granted limit 1')).length > 0,
    )
    goOn()
    expect([await slowly, await meanwhile]).toMatchObject([{ bundles: 1 }, { bundles: 1 }])
    expect(await database.query('select seq::integer as seq from alvarium.leaf order by seq')).toEqual([
      { seq: 0 },
      { seq: 1 },
    ])
  })

  // claim: store-1
  it('a store reconnects after its connection was lost', async () => {
    const store = await database.open()
    const { create, transit } = await genuineMessages()
    await store.ingest([create])
    await database.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = $1',
      ['client backend'],
    )
    await expect
      .poll(async () => {
        try {
          return (await store.ingest([transit])).bundles + (await store.about(payload)).bundles
        } catch (error) {
          expect(error).toMatchObject({ code: 'STORE_FAILED' })
          return 0
        }
      })
      .toBeGreaterThanOrEqual(2)
  })
})
