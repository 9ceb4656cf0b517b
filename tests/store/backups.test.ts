import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { generateKey } from 'alvarium-sdk'
import { openStore, type Store } from 'alvarium-sdk/store'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { installedPostgres } from '../running/postgres.mjs'
import { genuineMessages } from '../support/messages.js'
import { keyring } from '../support/sdk.js'
import { startPostgres } from './postgres.mjs'

function ran(program: string, args: readonly string[], input?: Uint8Array): Uint8Array {
  return execFileSync(join(installedPostgres() as string, program), args, { input, maxBuffer: 2 ** 28 })
}

async function evidenceIn(store: Store): Promise<string[]> {
  const messages: string[] = []
  for await (const { message } of store.export()) messages.push(new TextDecoder().decode(message))
  return messages
}

it('a backup by pg_dump, restored into another database, is proved by an earlier checkpoint', async () => {
  const server = await startPostgres('oldest')
  onTestFinished(() => server.stop())
  const log = { origin: 'example.com/store-1', signingKey: generateKey().signingKey }
  await using store = await openStore(server.url, { keyring, log })
  await store.ingest(Object.values(await genuineMessages()))
  const { note } = await store.checkpoint()
  const dump = ran('pg_dump', ['--schema', 'alvarium', server.url])

  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query('create database copy')
  await client.end()
  const copy = server.url.replace(/postgres$/, 'copy')
  ran('psql', ['--quiet', '-v', 'ON_ERROR_STOP=1', copy], dump)
  await using restored = await openStore(copy, { keyring, log, create: false })
  expect((await restored.audit({ checkpoint: note })).verdict).toBe('proved')
  expect(await evidenceIn(restored)).toEqual(await evidenceIn(store))
})
