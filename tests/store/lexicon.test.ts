import { setImmediate } from 'node:timers/promises'
import { type ReceivedBundle, verifyBatch } from 'alvarium-sdk'
import { type Ingested, openStore } from 'alvarium-sdk/store'
import { expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { genuineMessages } from '../support/messages.js'
import { keyring } from '../support/sdk.js'
import { onOneDatabase, type TestDatabase } from './databases.js'

/** More lists than a store caches. */
const lists = Array.from({ length: 100_001 }, (_, id) => id)

/** Returns a database in which each of very many bundles has its own list. @param inBetween - runs before the words are read */
function withLists(database: TestDatabase, inBetween: () => Promise<unknown>) {
  return {
    query: async (text: string, params?: unknown[]) => {
      if (text.includes('group by 1, 2, 3, 4')) {
        return { rows: lists.map((kinds) => ({ hour: 0, host: 0, kinds, ok: utf8('\x01'), count: 1 })) }
      }
      if (text.includes('join alvarium.list using')) return { rows: lists.map((id) => ({ id, words: [0] })) }
      if (!text.includes('join alvarium.word using')) return { rows: await database.query(text, params) }
      await inBetween()
      return { rows: [{ id: 0, word: utf8('src') }] }
    },
  }
}

async function* delivered(message: Uint8Array) {
  const [bundle] = await verifyBatch(message, { keyring })
  const arrival = {
    format: 'bundle',
    topic: 't',
    message,
    retain: false,
    dup: false,
    receivedAt: 0,
    index: 0,
  }
  const [ack, nack] = [async () => undefined, () => undefined]
  yield { bundles: [{ ...bundle, ...arrival, ack, nack } as ReceivedBundle], ack, nack }
}

onOneDatabase((database) => {
  it('an ingest does not evict cached database ids that a simultaneous query needs', async () => {
    const { create } = await genuineMessages()
    let ingesting: Promise<Ingested> | undefined
    const connection = withLists(database, async () => {
      const bundles = delivered(create)
      const first = await bundles.next()
      ingesting ??= store.ingest({
        async *groups() {
          if (!first.done) yield first.value
        },
      })
      // Let the ingest begin to wait for the connection.
      await setImmediate()
    })
    const store = await openStore(connection, { keyring })
    const [hour] = await store.answers({ from: 0 })
    expect(hour).toMatchObject({ kind: 'src', yes: lists.length })
    expect((await ingesting)?.bundles).toBe(1)
    await store.close()
  })
})
