// @slow: it opens many embedded databases, each of which takes a second of CPU
// @internal: the store asks its database nothing that takes seconds
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openStore } from 'alvarium-sdk/store'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { silentLogger } from '../../dist/foundation/base/logger.js'
import { connectorOf } from '../../dist/store/database/connection.js'
import { Database } from '../../dist/store/database/database.js'
import { openEmbedded } from '../../dist/store/database/embedded-node.js'
import { failure } from '../support/failure.js'
import { genuineMessages, payload } from '../support/messages.js'
import { keyring } from '../support/sdk.js'

/** Folder of an empty store that most tests copy: creating one takes five times as long as opening it. */
let emptyFolder: string
beforeAll(async () => {
  emptyFolder = await mkdtemp(join(tmpdir(), 'alvarium-store-'))
  await (await openStore(`folder:${emptyFolder}`, { keyring })).close()
})
afterAll(() => rm(emptyFolder, { recursive: true, force: true }))

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alvarium-store-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('openStore with the address "memory:" opens a store in memory', async () => {
  await using store = await openStore('memory:', { keyring })
  await store.ingest(Object.values(await genuineMessages()))
  expect((await store.about(payload)).bundles).toBe(4)
})

// claim: store-3
it('a store in a folder can be open only once at a time, and its stored messages survive a kill of the process', async () => {
  const path = join(folder, 'new')
  await cp(emptyFolder, path, { recursive: true })
  const first = await openStore(`folder:${path}`, { keyring })
  await first.ingest(Object.values(await genuineMessages()))
  const twice = await failure(() => openStore(`folder:${folder}/./new`, { keyring }))
  expect(twice).toMatchObject({
    code: 'STORE_LOCKED',
    message: expect.stringContaining('in use by this process'),
  })
  await first.close()

  const program = fileURLToPath(new URL('opening-folder.mjs', import.meta.url))
  const child = spawn(process.execPath, [program, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  const { code, message } = await failure(() => openStore(`folder:${path}`, { keyring }))
  expect(code).toBe('STORE_LOCKED')
  expect(message).toContain(`process ${child.pid}: ${path}`)
  child.kill('SIGKILL')
  await once(child, 'exit')

  await using store = await openStore(`folder:${path}`, { keyring })
  expect((await store.about(payload)).bundles).toBe(4)
})

it('a query to a folder store rejects after its time limit, and the next query succeeds', async () => {
  const path = join(folder, 'slow')
  await cp(emptyFolder, path, { recursive: true })
  const database = new Database(connectorOf(`folder:${path}`, false), {
    queryTimeoutMs: 1_000,
    logger: silentLogger,
  })
  const asked = (text: string) => database.read((session) => session.query(text))
  const { code, message } = await failure(() => asked('select count(*) from generate_series(1, 10000000000)'))
  expect([code, message]).toEqual(['STORE_FAILED', expect.stringContaining('nothing within 3000 ms')])
  expect(await asked('select leaves::integer as leaves from alvarium.head')).toEqual([{ leaves: 0 }])
  await database.close()
  await (await openStore(`folder:${path}`, { keyring, create: false })).close()
})

it('opening a folder with create: false creates no store', async () => {
  for (const path of [join(folder, 'slip'), folder]) {
    const { code, message } = await failure(() => openStore(`folder:${path}`, { keyring, create: false }))
    expect([code, message]).toEqual([
      'CONFIG_INVALID',
      expect.stringContaining(`${path}", which has no store`),
    ])
  }
  expect(await readdir(folder)).toEqual([])
  await (await openStore(`folder:${folder}`, { keyring })).close()
  await using store = await openStore(`folder:${folder}`, { keyring, create: false })
  expect((await store.stats()).bundles).toBe(0)
})

it('openStore does not change a folder that contains files of another program', async () => {
  await writeFile(join(folder, 'thesis.txt'), 'all of it')
  const { code, message } = await failure(() => openStore(`folder:${folder}`, { keyring }))
  expect([code, message]).toEqual(['CONFIG_INVALID', expect.stringContaining('such as "thesis.txt"')])
  expect(await readdir(folder)).toEqual(['thesis.txt'])
})

// claim: store-4
it('a long statement of an embedded database delays no other work', async () => {
  const { connection, close } = await openEmbedded(undefined, () => undefined, true)
  const order: string[] = []
  const statement = connection.query('select count(*) from generate_series(1, 1000000)')
  const over = statement.then(() => order.push('statement'))
  await new Promise((resolve) => setTimeout(resolve))
  order.push('timer')
  await over
  expect(order).toEqual(['timer', 'statement'])
  await close()
})

it('an error of the embedded database keeps its code, and a closed embedded database rejects queries', async () => {
  const { connection, close } = await openEmbedded(undefined, () => undefined, true)
  await expect(connection.query('select 1/0')).rejects.toMatchObject({ code: '22012' })
  const large = new Uint8Array(new ArrayBuffer(1 << 20), 5, 3).fill(7)
  const { rows } = await connection.query('select $1::bytea as bytes', [large])
  expect(rows).toEqual([{ bytes: Uint8Array.of(7, 7, 7) }])
  await close()
  await expect(connection.query('select 1')).rejects.toThrow('ended')
})
