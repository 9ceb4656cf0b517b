// @slow: it runs other verifiers; vectors.test.ts shows that format and verifier agree

import { createHash } from 'node:crypto'
import { source } from 'alvarium-sdk'
import { type Store, verifyLogProof } from 'alvarium-sdk/store'
import { describe, expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { onOneDatabase, type TestDatabase } from '../store/databases.js'
import { log } from '../store/filled.js'
import { utf8 } from '../support/bytes.js'
import { type Left, leftBy } from '../support/owner-of-store.js'
import { opened } from '../support/sdk.js'
import { classicMessages } from '../verdicts/kept-store.js'
import { verdictsOf } from './python.js'

const OLD = Date.parse('2026-01-01T00:00:00Z')
const before = Date.parse('2026-03-01T00:00:00Z')

/** Makes a store of 20 bundles, of which two prunings have removed some. */
async function pruned(database: TestDatabase): Promise<Store> {
  const store = await database.open({ log, classic: true })
  const { sdk, stream } = await opened([source()])
  for (let at = 0; at < 20; at++) await sdk.create(utf8(`${at}`))
  await sdk.close()
  const receivedAt = (at: number) => (at % 3 === 0 ? OLD : undefined)
  await store.ingest(stream.messages.map((message, at) => ({ message, receivedAt: receivedAt(at) })))
  await store.prune({ before })
  await store.forget(utf8('4'))
  return store
}

async function recordsIn(database: TestDatabase, table: 'pruning' | 'classic'): Promise<string[]> {
  const rows = await database.query(
    `select encode(record, 'base64') as record from alvarium.${table} order by seq desc`,
  )
  return rows.map(({ record }) => String(record).replaceAll('\n', ''))
}

describe('a Python implementation', () => {
  onOneDatabase((database) => {
    // claim: format-43
    it("verifies the proofs from a store's log as the SDK does", async () => {
      const store = await pruned(database)
      const vkey = store.vkey as string
      const rows = await database.query("select encode(id, 'hex') as id from alvarium.leaf order by seq")
      const ids = rows.map(({ id }) => String(id))
      const texts = await Promise.all(ids.map(async (id) => (await store.prove(id)) as string))
      const asked = ids.flatMap((id, at) => [
        { proof_of: id, text: texts[at] as string, vkey },
        { proof_of: ids[(at + 1) % ids.length] as string, text: texts[at] as string, vkey },
        { proof_of: id, text: (texts[at] as string).replace(/\n22\n/, '\n23\n'), vkey },
      ])
      const ours = asked.map(({ proof_of: id, text }) => {
        try {
          const { index, size, root } = verifyLogProof(text, { id, vkey })
          return { log: { index, size, root } }
        } catch (error) {
          return { code: (error as { code: string }).code }
        }
      })
      expect(ours.filter((one) => 'log' in one)).toHaveLength(22)
      expect(await verdictsOf(asked, [])).toEqual(ours)
    })

    // claim: format-42
    it('reads the log records of prune() as the SDK does, and refuses the same records', async () => {
      const store = await pruned(database)
      const { prunings } = await store.audit()
      const records = await recordsIn(database, 'pruning')
      const said = await verdictsOf(
        records.map((pruning) => ({ pruning })),
        [],
      )
      const places = [[[4, 4]], [0, 3, 6, 9, 12, 15, 18].map((at) => [at, at])]
      expect(said).toEqual(
        prunings.map(({ isEarlier, at, messages, id, ...rest }, place) => {
          const its = 'before' in rest ? { before: rest.before } : {}
          return {
            pruning: { isEarlier, at, messages, id, ...its, ranges: places[place], left: expect.any(Array) },
          }
        }),
      )
      const altered = alteredRecords(records.map((record) => Buffer.from(record, 'base64')))
      const python = await verdictsOf(
        altered.map((record) => ({ pruning: record.toString('base64') })),
        [],
      )
      const ours: boolean[] = []
      for (const record of altered) ours.push(await isRecord(database, store, 'pruning', record))
      expect(ours).toEqual(python.map((verdict) => 'pruning' in verdict))
      expect(new Set(python.map((verdict) => 'pruning' in verdict)).size).toBe(2)
    })

    it('reads in the log record of a prune() which rows remain in the store', async () => {
      const store = await database.open()
      const { sdk, stream } = await opened([source()])
      for (const text of ['a', 'b', 'c']) await sdk.create(utf8(text))
      await sdk.mutate(utf8('a'), utf8('d'))
      await sdk.close()
      await store.ingest(stream.messages)
      const left: Left = await leftBy(database)
      await store.prune({ before: Date.now() })
      const [record = ''] = await recordsIn(database, 'pruning')
      expect(await verdictsOf([{ pruning: record }], [])).toMatchObject([{ pruning: { left } }])
    })

    it('reads the records of classic messages as the SDK does, and refuses the same records', async () => {
      const store = await database.open({ log, classic: true })
      const messages = await classicMessages()
      await store.ingest(messages)
      const records = await recordsIn(database, 'classic')
      const ids = await database.query(
        "select encode(id, 'hex') as id from alvarium.leaf join alvarium.classic using (seq) order by seq desc",
      )
      const said = await verdictsOf(
        records.map((record) => ({ classic_record: record })),
        [],
      )
      const digests = messages.map((message) => createHash('sha256').update(message).digest('hex')).reverse()
      expect(said).toEqual(
        records.map((_, at) => {
          const first = 2 * (records.length - 1 - at)
          const its = { digest: digests[at], ranges: [[first, first + 1]], id: ids[at]?.['id'] }
          return { classic: { isEarlier: false, ...its } }
        }),
      )
      const altered = alteredRecords(records.map((record) => Buffer.from(record, 'base64')))
      const python = await verdictsOf(
        altered.map((record) => ({ classic_record: record.toString('base64') })),
        [],
      )
      const ours: boolean[] = []
      for (const record of altered) ours.push(await isRecord(database, store, 'classic', record))
      expect(ours).toEqual(python.map((verdict) => 'classic' in verdict))
      expect(new Set(ours).size).toBe(2)
    })
  })
})

/** Returns the records with a changed byte, cut off, or longer. */
function alteredRecords(records: readonly Buffer[]): Buffer[] {
  const random = new Random(28)
  return Array.from({ length: 60 }, () => {
    const bytes = Buffer.from(random.pick(records))
    const at = random.below(bytes.length)
    bytes[at] = random.below(4)
    return random.pick([bytes, bytes, bytes.subarray(0, at), Buffer.concat([bytes, Buffer.of(0)])])
  })
}

/** Returns whether the audit can read the record. */
async function isRecord(
  database: TestDatabase,
  store: Store,
  table: 'pruning' | 'classic',
  record: Buffer,
): Promise<boolean> {
  const row = `where seq = (select max(seq) from alvarium.${table})`
  await database.query('begin')
  await database.query(`update alvarium.${table} set record = $1 ${row}`, [record])
  const { differences } = await store.audit()
  await database.query('rollback')
  return !differences.some((one) => one.table === table && one.what === 'record')
}
