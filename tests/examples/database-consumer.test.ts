// @slow: it runs programs and pages as a user does

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import {
  extractBundle,
  generateKey,
  type ReceivedBundle,
  source,
  toHex,
  verifyBatch,
  verifyMessages,
} from 'alvarium-sdk'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startPostgres } from '../../examples/database-consumer/server.mjs'
import { blocksOf } from '../guide/blocks.js'
import { utf8 } from '../support/bytes.js'
import { key, keyring, opened, yes } from '../support/sdk.js'

/** The store that postgres.mjs and sqlite.mjs open. */
interface Store {
  add(bundles: readonly ReceivedBundle[]): number | Promise<number>
  said(hash: string, key: string): Row[] | Promise<Row[]>
  evidence(hash: string, key: string): Uint8Array[] | Promise<Uint8Array[]>
  close(): unknown
}
interface Row {
  readonly [column: string]: unknown
}

const example = new URL('../../examples/database-consumer/', import.meta.url)
/** Node 20 has no built-in SQLite. */
const builtin = process.versions.node.startsWith('20.') ? [] : ['node:sqlite']

describe.each(['libsql', ...builtin, 'postgres'])('the store of the database consumer in %s,', (driver) => {
  const ending: (() => unknown)[] = []
  let store: Store
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'alvarium-database-'))
    ending.push(() => rm(folder, { recursive: true }))
    store = driver === 'postgres' ? await inPostgres() : await inSqlite(join(folder, 'archive.sqlite'))
    ending.push(() => store.close())
  })
  afterAll(async () => {
    for (const end of ending.reverse()) await end()
  })

  async function inPostgres(): Promise<Store> {
    const server = await startPostgres()
    ending.push(server.close)
    const { openStore } = await import('../../examples/database-consumer/postgres.mjs')
    return openStore(server.url)
  }

  async function inSqlite(path: string): Promise<Store> {
    if (driver !== 'libsql')
      vi.doMock('libsql', async () => ({ default: (await import(driver)).DatabaseSync }))
    vi.resetModules()
    const { openStore } = await import('../../examples/database-consumer/sqlite.mjs')
    vi.doUnmock('libsql')
    return openStore(path)
  }

  it('contains each bundle once, however often the bundle arrives', async () => {
    const { sdk } = await opened([source()])
    const [receipt] = await sdk.createMany([utf8('1'), utf8('2'), utf8('3')])
    const message = receipt?.message as Uint8Array
    const batch = await received(message)
    const [alone] = await received(extractBundle(message, 0))
    expect(await store.add([...batch, ...batch])).toBe(3)
    expect(await store.add([...batch, alone as ReceivedBundle])).toBe(0)
    expect(await store.said('sha256', batch[0]?.key ?? '')).toHaveLength(1)
  })

  it('returns all annotations about a payload with their signers, and the messages that prove them', async () => {
    const { sdk } = await opened([source(), { ...yes('no'), isSatisfied: () => false }], { tag: 'v1' })
    const { message } = await sdk.mutate(utf8('before'), utf8('after'))
    const [bundle] = (await received(message)) as [ReceivedBundle]
    await store.add([bundle])
    const { signer, key, timestamp: signed_at, id } = bundle
    const shared = { signer, action: 'mutate', host: 'edge-7', tag: 'v1', signed_at, id }
    const rows = await store.said('sha256', key)
    expect(rows.map((row) => ({ ...row, is_satisfied: Boolean(row['is_satisfied']) }))).toMatchObject([
      { ...shared, kind: 'src', is_satisfied: true },
      { ...shared, kind: 'no', is_satisfied: false },
    ])
    const [outcome] = await verifyMessages(await store.evidence('sha256', key), { keyring })
    expect(outcome).toMatchObject({ status: 'fulfilled', value: [{ id }] })
    expect(await store.said('md5', key)).toEqual([])
  })

  it('has columns that can store every value that a verified bundle can have', async () => {
    const [before, after] = ['b', '\0'].map((text) => utf8(text.repeat(65_536))) as [Uint8Array, Uint8Array]
    const { sdk } = await opened([source()], { hash: 'none', tag: '0 is \0, and \\u0000 is not' })
    const [bundle] = (await received((await sdk.mutate(before, after)).message)) as [ReceivedBundle]
    const timestamp = '2026-11-20T10:00:60.123456789+23:59'
    expect(await store.add([{ ...bundle, timestamp }])).toBe(1)
    const [row] = await store.said('none', bundle.key)
    expect(row).toMatchObject({ signed_at: timestamp, tag: '0 is \uFFFD, and \\u0000 is not' })
  })

  it('saves a bundle without annotations', async () => {
    const { sdk } = await opened([])
    const [bundle] = (await received((await sdk.create(utf8('silent'))).message)) as [ReceivedBundle]
    await store.add([bundle])
    expect(await store.said('sha256', bundle.key)).toMatchObject([{ action: 'create', kind: null }])
  })

  it('adds a group of bundles as a whole, or nothing of it', async () => {
    const { sdk } = await opened([source()])
    const [genuine] = (await received((await sdk.create(utf8('whole'))).message)) as [ReceivedBundle]
    const other = { ...genuine, id: 'other', host: null as never }
    await expect((async () => store.add([genuine, other]))()).rejects.toThrow()
    expect(await store.said('sha256', genuine.key)).toEqual([])
    expect(await store.evidence('sha256', genuine.key)).toEqual([])
    expect(await store.add([genuine])).toBe(1)
  })
})

describe('a program of the database consumer example', () => {
  /** Starts the program in a folder with a public key, a reading, and a database that has it. */
  async function started(
    name: string,
    verifyingKey: Uint8Array,
    { broker = '', database = 'archive.sqlite' } = {},
  ) {
    const folder = await mkdtemp(join(tmpdir(), 'alvarium-database-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const { sdk } = await opened([source()])
    const { openStore } = await import('../../examples/database-consumer/sqlite.mjs')
    const store: Store = await openStore(join(folder, 'archive.sqlite'))
    await store.add(await received((await sdk.create(utf8('21.4'))).message))
    store.close()
    await writeFile(join(folder, 'public.key'), toHex(verifyingKey))
    await writeFile(join(folder, 'reading.json'), '21.4')
    const child = spawn(process.execPath, [fileURLToPath(new URL(`${name}.mjs`, example))], {
      cwd: folder,
      env: { ...process.env, BROKER: broker, DATABASE: database },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    return { child, folder, out: text(child.stdout), err: text(child.stderr) }
  }

  it('reports a missing database when it queries, and creates none', async () => {
    const { child, err, folder } = await started('ask', key.verifyingKey, { database: 'slip.sqlite' })
    await once(child, 'exit')
    expect(child.exitCode).not.toBe(0)
    expect(await err).toContain('slip.sqlite is not there')
    expect((await readdir(folder)).filter((name) => name.startsWith('slip'))).toEqual([])
  })

  it('ends on a signal without a stack trace, while the broker does not answer', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const { child, err } = await started('consumer', key.verifyingKey, { broker: `mqtt://127.0.0.1:${port}` })
    const [socket] = await once(silent, 'connection')
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([null, 'SIGINT'])
    expect(await err).toBe('')
    socket.destroy()
  })

  it('has exit code 1 if it queries a stored message that does not verify', async () => {
    const asked = await Promise.all(
      [key, generateKey()].map(async ({ verifyingKey }) => {
        const { child, out } = await started('ask', verifyingKey)
        return [await once(child, 'exit'), (await out).split('\n').at(-2)]
      }),
    )
    expect(asked).toEqual([
      [[0, null], '1 of 1 stored messages verify'],
      [[1, null], '0 of 1 stored messages verify'],
    ])
  })
})

it.each(['consumer', 'postgres', 'sqlite', 'ask'])('the guide shows %s.mjs as this test runs it', (name) => {
  const blocks = blocksOf('examples/guide/databases.md').filter(({ mark }) => mark === name)
  expect(blocks.map(({ code }) => code)).toEqual([fileOf(name)])
})

it("the guide shows the SQL query that the database consumer's PostgreSQL and SQLite stores execute", () => {
  const [block] = blocksOf('examples/guide/databases.md').filter(({ language }) => language === 'sql')
  const query = block?.code.trimEnd().replaceAll(/^/gm, '  ') ?? 'no query'
  expect(fileOf('postgres')).toContain(query)
  expect(fileOf('sqlite')).toContain(query.replaceAll(/\$\d/g, '?'))
})

const fileOf = (name: string) => readFileSync(new URL(`${name}.mjs`, example), 'utf8')

async function received(message: Uint8Array): Promise<ReceivedBundle[]> {
  const bundles = await verifyBatch(message, { keyring })
  const arrival = {
    format: 'bundle' as const,
    topic: 'readings',
    message,
    retain: false,
    dup: false,
    receivedAt: 0,
  }
  return bundles.map((bundle, index) => ({
    ...bundle,
    ...arrival,
    index,
    ack: async () => {},
    nack: () => {},
  }))
}
