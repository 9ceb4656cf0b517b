import { classic, memory, openSdk, source } from 'alvarium-sdk'
import type { Store } from 'alvarium-sdk/store'
import { utf8 } from '../support/bytes.js'
import { loggedSdk } from '../support/checkpoints.js'
import { key, opened, yes } from '../support/sdk.js'
import type { TestDatabase } from './databases.js'

/** A log that never signs by itself: a test may be in a transaction on the same connection. */
export const log = { origin: 'example.com/store-1', signingKey: key.signingKey, everyMs: 3_600_000 }

/** Returns messages of every kind: alone and in batches, mutates, texts as keys, and those of another SDK. */
export async function messages(): Promise<Uint8Array[]> {
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

async function checkpointed(): Promise<Uint8Array[]> {
  const { sdk, notes } = await loggedSdk({ signingKey: key.signingKey }, { every: 2 })
  for (let at = 0; at < 6; at++) await sdk.create(utf8(`listed ${at}`))
  await sdk.close()
  return [...notes]
}

/** Returns a store with three prunings, and some bundles that are not pruned. */
export async function pruned(database: TestDatabase): Promise<Store> {
  const store = await database.open({ log })
  const { sdk, stream } = await opened([source()])
  for (let at = 0; at < 12; at++) await sdk.create(utf8(`${at}`))
  await sdk.close()
  const received = [1, 2, 1, 1, 9, 9, 2, 2, 9, 1, 9, 9]
  await store.ingest(stream.messages.map((message, at) => ({ message, receivedAt: received[at] as number })))
  await store.prune({ before: 2 })
  await store.prune({ before: 3 })
  await store.forget(utf8('10'))
  return store
}

/** Returns a store of all of them, with a log and with checkpoints. */
export async function filled(database: TestDatabase): Promise<Store> {
  const store = await database.open({ log, classic: true })
  await store.ingest(await messages())
  await store.ingest(await checkpointed())
  return store
}
