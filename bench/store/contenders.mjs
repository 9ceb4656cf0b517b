// Contenders that store verified bundles: the package's store, and handwritten alternatives.

import { verifyMessages } from 'alvarium-sdk'
import { openStore } from 'alvarium-sdk/store'
import pg from 'pg'
import { startPostgres } from '../../tests/store/postgres.mjs'
import { secondsOf } from './process-cpu.mjs'
import { sqliteByHand } from './sqlite.mjs'

/**
 * @typedef {import('alvarium-sdk').VerifiedBundle} VerifiedBundle
 *
 * @typedef {object} Contender
 * @property {string} name
 * @property {(messages: Uint8Array[]) => Promise<void>} add verifies and stores messages that are not stored
 * yet
 * @property {() => number} [serverSeconds] CPU time of the database server
 * @property {() => Promise<unknown>} [close]
 */

/** Number of messages per transaction, as in the package's store. */
const TOGETHER = 1_000

/** @param {Uint8Array} verifyingKey @returns {Promise<{ contenders: Contender[], close: () => Promise<void> }>} */
export async function openContenders(verifyingKey) {
  const keyring = [verifyingKey]
  const server = await startPostgres('oldest', { isDurable: true })
  const serverSeconds = () => secondsOf(server.pid())
  const inPostgres = storing('store in PostgreSQL', await openStore(server.url, { keyring }))
  const byHand = await plainTable(server.url, keyring)
  const sqlite = await sqliteByHand()
  const contenders = [
    {
      name: 'verifying alone',
      add: (/** @type {Uint8Array[]} */ all) => verifiedAll(all, keyring, () => {}),
    },
    { ...inPostgres, serverSeconds },
    { ...byHand, serverSeconds },
    storing('store in PGlite, in memory', await openStore('memory:', { keyring })),
    ...(sqlite
      ? [{ ...sqlite, add: (/** @type {Uint8Array[]} */ all) => verifiedAll(all, keyring, sqlite.insert) }]
      : []),
  ]
  const close = async () => {
    for (const one of /** @type {Contender[]} */ (contenders)) await one.close?.()
    await server.stop()
  }
  return { contenders, close }
}

/** @param {string} name @param {import('alvarium-sdk/store').Store} store @returns {Contender} */
function storing(name, store) {
  const add = async (/** @type {Uint8Array[]} */ messages) => {
    const { rejected, copies } = await store.ingest(messages)
    if (copies > 0 || Object.keys(rejected).length > 0) throw new Error(`${name}: expected all to be new`)
  }
  return { name, add, close: () => store.close() }
}

/**
 * @param {Uint8Array[]} messages @param {Uint8Array[]} keyring
 * @param {(messages: Uint8Array[], bundles: VerifiedBundle[][]) => unknown} use
 */
async function verifiedAll(messages, keyring, use) {
  for (let at = 0; at < messages.length; at += TOGETHER) {
    const some = messages.slice(at, at + TOGETHER)
    const outcomes = await verifyMessages(some, { keyring })
    const bundles = outcomes.map((one) => (one.status === 'fulfilled' ? one.value : []))
    if (bundles.some(({ length }) => length === 0)) throw new Error('expected messages that verify')
    await use(some, bundles)
  }
}

/**
 * Opens a handwritten table with one row per bundle, found by payload key. Unlike the store, it cannot be
 * searched by signer, host, kind or tag, and its batches cannot be verified again.
 *
 * @param {string} url
 * @param {Uint8Array[]} keyring
 * @returns {Promise<Contender>}
 */
async function plainTable(url, keyring) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`create table plain (
    id text primary key, key text not null, signer text not null, host text not null, signed timestamptz not null,
    annotations jsonb not null)`)
  await client.query('create index plain_key on plain (key)')
  const insert = async (/** @type {unknown} */ _, /** @type {VerifiedBundle[][]} */ all) => {
    const bundles = all.flat()
    for (let at = 0; at < bundles.length; at += TOGETHER) {
      const some = bundles.slice(at, at + TOGETHER)
      const columns = [
        some.map(({ id }) => id),
        some.map(({ key }) => key),
        some.map(({ signer }) => signer),
        some.map(({ host }) => host),
        some.map(({ timestamp }) => timestamp),
        some.map(({ annotations }) => JSON.stringify(annotations)),
      ]
      await client.query(
        `insert into plain select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::jsonb[])
         on conflict do nothing`,
        columns,
      )
    }
  }
  const add = (/** @type {Uint8Array[]} */ messages) => verifiedAll(messages, keyring, insert)
  return { name: 'plain table in PostgreSQL, by hand', add, close: () => client.end() }
}
