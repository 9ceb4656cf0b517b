import { classic, generateKey, memory, openSdk, source } from 'alvarium-sdk'
import { type AuditReport, openStore, type Store, type StoreOptions } from 'alvarium-sdk/store'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { startOneConnection } from '../store/databases.js'
import { utf8 } from '../support/bytes.js'
import { loggedSdk } from '../support/checkpoints.js'
import { key, keyring, opened, yes } from '../support/sdk.js'

/** Log that signs on request. Its key is the reader's: the owner of the database does not have it. */
export const log = { origin: 'example.com/kept', signingKey: generateKey().signingKey, everyMs: 3_600_000 }

/** A store covered by a kept checkpoint, in a database whose owner can run any statement. */
export interface KeptStore {
  readonly store: Store
  /** Options for an audit: the checkpoint, and the public key of the log. */
  readonly options: { readonly checkpoint: string; readonly vkey: string }
  query(text: string, params?: unknown[]): Promise<Record<string, unknown>[]>
  /** Audits the store after these statements of the owner, and rolls them back. */
  auditAfter(statements: string | readonly string[] | (() => Promise<unknown>)): Promise<AuditReport>
}

/** Fills one store for all tests of a file. Alterations by a test are rolled back. */
export function keptStore(given: Partial<StoreOptions> = {}): KeptStore {
  let store: Store
  let database: Awaited<ReturnType<typeof startOneConnection>>
  let options: KeptStore['options']
  beforeAll(async () => {
    database = await startOneConnection()
    store = await openStore(database.where, { keyring, log, classic: true, ...given })
    await fill(store)
    options = { checkpoint: (await store.checkpoint()).note, vkey: store.vkey as string }
  })
  afterAll(async () => {
    await store?.close()
    await database?.stop()
  })
  const query = async (text: string, params?: unknown[]) => {
    const { rows } = await database.where.query(text, params)
    return rows as Record<string, unknown>[]
  }
  return {
    get store() {
      return store
    },
    get options() {
      return options
    },
    query,
    auditAfter: async (statements) => {
      await query('begin')
      try {
        if (typeof statements === 'function') await statements()
        else for (const one of [statements].flat()) await query(one)
        return await store.audit(options)
      } finally {
        await query('rollback')
      }
    },
  }
}

export async function emptyStore(given: Partial<StoreOptions> = {}): Promise<Store> {
  const database = await startOneConnection()
  onTestFinished(() => database.stop())
  const store = await openStore(database.where, { keyring, ...given })
  onTestFinished(() => store.close())
  return store
}

/** Stores bundles of every kind, messages of another SDK and checkpoints of a signer, and prunes twice. */
async function fill(store: Store): Promise<void> {
  const old = await bundles({ host: 'edge-1' }, ['pruned', 'pruned too'])
  await store.ingest(old.map((message) => ({ message, receivedAt: 1 })))
  await store.ingest([
    ...(await bundles({ host: 'edge-7' }, ['a', 'b'])),
    ...(await bundles({ host: 'edge-8', hash: 'none', tag: 'v2', layer: 'os' }, ['text', 'forgotten'])),
    ...(await batch()),
    ...(await classicMessages()),
    ...(await signersCheckpoints()),
  ])
  await store.prune({ before: 2 })
  await store.forget({ key: 'forgotten', hash: 'none' })
}

type Call = Parameters<typeof opened>[1]

async function bundles(options: Call, texts: readonly string[]): Promise<Uint8Array[]> {
  const no = { kind: 'no', isSatisfied: () => false }
  const { sdk, stream } = await opened([source(), yes('tls'), no], options)
  for (const text of texts) await sdk.create(utf8(text))
  await sdk.mutate(utf8(texts[0] as string), utf8(`${texts[0]}, corrected`))
  await sdk.mutate([utf8(texts[0] as string), { set: 'ab'.repeat(32) }], utf8(`${texts[0]}, of many`))
  await sdk.close()
  return stream.messages
}

async function batch(): Promise<Uint8Array[]> {
  const { sdk, stream } = await opened([source()], { host: 'edge-9' })
  await sdk.createMany(['x', 'y', 'z'].map(utf8))
  await sdk.close()
  return stream.messages
}

/** Makes messages as Go's SDK does: create A, mutate A to B, create C. */
export async function classicMessages(): Promise<Uint8Array[]> {
  const stream = memory()
  const codec = classic({ signingKey: key.signingKey, dialect: 'go' })
  const sdk = await openSdk({ signingKey: key.signingKey, annotators: [source(), yes('tls')], stream, codec })
  await sdk.create(utf8('A'))
  await sdk.mutate(utf8('A'), utf8('B'))
  await sdk.create(utf8('C'))
  await sdk.close()
  return stream.messages
}

async function signersCheckpoints(): Promise<Uint8Array[]> {
  const { sdk, notes, messages } = await loggedSdk({ signingKey: key.signingKey }, { every: 2 })
  for (let at = 0; at < 4; at++) await sdk.create(utf8(`listed ${at}`))
  await sdk.close()
  return [...messages, ...notes]
}
