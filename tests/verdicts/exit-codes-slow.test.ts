// @slow: each command of a store opens a database
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { STORE_NAMES } from '../../examples/guide/build/exit-codes/rows.mjs'
import { commandNames, openTrial, PAGE, rowText } from '../../examples/guide/build/exit-codes.mjs'
import { type Postgres, startPostgres } from '../store/postgres.mjs'

/** A server for the page's stores, which are folders on the page. A command opens a server in a tenth of the CPU time. */
let server: Postgres
let trial: Awaited<ReturnType<typeof openTrial>>
beforeAll(async () => {
  server = await startPostgres('oldest')
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  for (const name of [...STORE_NAMES, 'made']) await client.query(`create database ${name}`)
  await client.end()
  trial = await openTrial(new URL('.', server.url).href)
})
afterAll(async () => {
  await trial?.close()
  await server?.stop()
})

it.each(commandNames().filter((name) => /^(store|bench)/.test(name)))(
  'the page of exit codes has the exit codes of %s',
  async (name) => {
    expect(readFileSync(PAGE, 'utf8')).toContain(`${rowText(name, await trial.codesOf(name))}\n`)
  },
)
