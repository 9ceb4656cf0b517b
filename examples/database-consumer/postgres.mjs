// Stores bundles and their messages in PostgreSQL.

import { createHash } from 'node:crypto'
import pg from 'pg'

/** @typedef {import('alvarium-sdk').ReceivedBundle} Received */

const SCHEMA = `
  create table if not exists messages (
    sha256 text primary key,
    bytes bytea not null           -- unchanged: anyone can verify them
  );
  create table if not exists bundles (
    id text primary key,           -- the hash of all that is signed
    message text not null references messages,
    place integer not null,        -- in the message: 0 unless in a batch
    action text not null,
    hash text not null,            -- with payload_key, names the payload
    payload_key text not null,
    previous_key text,             -- the payload it was made from
    signer text not null,          -- key id
    host text not null,
    layer text not null,
    signed_at text not null,       -- by the signer's clock, as signed
    stored_at timestamptz not null default now()
  );
  create table if not exists annotations (
    bundle text references bundles,
    place integer,
    kind text not null,
    tag text not null,
    is_satisfied boolean not null,
    primary key (bundle, place)
  );
  create index if not exists bundles_by_payload
    on bundles using hash (payload_key);`

const ADD = `
  with given as (
    select * from jsonb_to_recordset($1) as bundle (
      id text, message text, "index" integer, action text, hash text,
      key text, "previousKey" text, signer text, host text, layer text,
      "timestamp" text, annotations jsonb
    )
  ), kept as (
    insert into messages select * from unnest($2::text[], $3::bytea[])
    on conflict do nothing
  ), added as (
    insert into bundles
    select id, message, "index", action, hash, key, "previousKey",
      signer, host, layer, "timestamp"
    from given
    on conflict do nothing returning id
  ), answered as (
    insert into annotations
    select id, place, kind, tag, "isSatisfied"
    from added join given using (id), rows from (
      jsonb_to_recordset(annotations)
        as (kind text, tag text, "isSatisfied" boolean)
    ) with ordinality as annotation (kind, tag, "isSatisfied", place)
    on conflict do nothing
  )
  select count(*)::integer as count from added`

const SAID = `
  select signer, action, host, kind, tag, is_satisfied, signed_at, id
  from bundles left join annotations on bundle = id
  where hash = $1 and payload_key = $2
  order by stored_at, id, annotations.place`

const EVIDENCE = `
  select distinct bytes from messages join bundles on message = sha256
  where hash = $1 and payload_key = $2`

/**
 * @param {string} url
 * @param {{ create?: boolean }} [options] true to create the tables
 */
export async function openStore(url, { create = true } = {}) {
  const limits = { connectionTimeoutMillis: 10_000, query_timeout: 60_000 }
  const pool = new pg.Pool({ connectionString: url, ...limits })
  // ignore the error: the next query opens a new connection
  pool.on('error', ({ message }) =>
    console.warn('a connection was lost:', message),
  )
  if (create) await pool.query(SCHEMA)
  return {
    /**
     * Adds bundles. Resolves when the database has committed them.
     * @returns {Promise<number>} the number of new bundles
     */
    async add(/** @type {readonly Received[]} */ bundles) {
      const names = namesOf(bundles)
      const given = bundles.map((bundle) => ({
        ...bundle,
        message: names.get(bundle.message),
      }))
      const json = JSON.stringify(given, (_, value) => plain(value))
      const { rows } = await pool.query(ADD, [
        json,
        [...names.values()],
        [...names.keys()],
      ])
      return rows[0].count
    },
    /**
     * Returns the annotations of a payload, with their signers.
     * @param {string} hash
     * @param {string} key
     */
    said: async (hash, key) =>
      (await pool.query(SAID, [hash, plain(key)])).rows,
    /**
     * Returns the messages with the annotations of a payload.
     * @param {string} hash
     * @param {string} key
     * @returns {Promise<Uint8Array[]>}
     */
    async evidence(hash, key) {
      const { rows } = await pool.query(EVIDENCE, [hash, plain(key)])
      return rows.map(({ bytes }) => bytes)
    },
    close: () => pool.end(),
  }
}

/**
 * Returns the SHA-256 of each message. A batch has one message.
 * @param {readonly { message: Uint8Array }[]} bundles
 */
function namesOf(bundles) {
  const messages = new Set(bundles.map(({ message }) => message))
  return new Map(
    [...messages].map((message) => [
      message,
      createHash('sha256').update(message).digest('hex'),
    ]),
  )
}

/**
 * Replaces the character 0, which PostgreSQL does not store.
 * @template T
 * @param {T} value
 * @returns {T | string}
 */
function plain(value) {
  return typeof value === 'string'
    ? value.replaceAll('\0', '\uFFFD')
    : value
}
