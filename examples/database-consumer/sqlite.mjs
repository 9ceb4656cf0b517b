// Stores bundles and their messages in a SQLite file.

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
// In Node 22.13 or newer, you can write instead:
//   import { DatabaseSync as Database } from 'node:sqlite'
import Database from 'libsql'

/** @typedef {import('alvarium-sdk').ReceivedBundle} Received */

const SCHEMA = `
  pragma journal_mode = wal;
  pragma synchronous = full;       -- committed means on the disk
  pragma foreign_keys = on;
  pragma busy_timeout = 10000;
  create table if not exists messages (
    sha256 text primary key,
    bytes blob not null            -- unchanged: anyone can verify them
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
    stored_at text not null default (strftime('%FT%H:%M:%fZ'))
  );
  create table if not exists annotations (
    bundle text references bundles,
    place integer,
    kind text not null,
    tag text not null,
    is_satisfied integer not null,
    primary key (bundle, place)
  );
  create index if not exists bundles_by_payload on bundles (payload_key);`

const SAID = `
  select signer, action, host, kind, tag, is_satisfied, signed_at, id
  from bundles left join annotations on bundle = id
  where hash = ? and payload_key = ?
  order by stored_at, id, annotations.place`

const EVIDENCE = `
  select distinct bytes from messages join bundles on message = sha256
  where hash = ? and payload_key = ?`

/**
 * @param {string} path
 * @param {{ create?: boolean }} [options] true to create the file and
 * its tables
 */
export async function openStore(path, { create = true } = {}) {
  if (!create && !existsSync(path)) throw new Error(`${path} is not there`)
  const database = new Database(path)
  if (create) database.exec(SCHEMA)
  const [said, evidence] = [
    database.prepare(SAID),
    database.prepare(EVIDENCE),
  ]
  const addAll = adding(database)
  return {
    /**
     * Adds bundles. Returns when the bundles are on the disk.
     * @returns {number} the number of new bundles
     */
    add(/** @type {readonly Received[]} */ bundles) {
      database.exec('begin immediate')
      try {
        const added = addAll(bundles)
        database.exec('commit')
        return added
      } catch (error) {
        database.exec('rollback')
        throw error
      }
    },
    /**
     * Returns the annotations of a payload, with their signers.
     * @param {string} hash
     * @param {string} key
     * @returns {Record<string, unknown>[]}
     */
    said: (hash, key) => said.all(hash, plain(key)),
    /**
     * Returns the messages with the annotations of a payload.
     * @param {string} hash
     * @param {string} key
     * @returns {Uint8Array[]}
     */
    evidence: (hash, key) =>
      evidence
        .all(hash, plain(key))
        .map(({ bytes }) => new Uint8Array(bytes)),
    close: () => void database.close(),
  }
}

/** @param {Database} database */
function adding(database) {
  const insert = (
    /** @type {string} */ table,
    /** @type {string} */ values,
  ) =>
    database.prepare(
      `insert into ${table} values (${values}) on conflict do nothing`,
    )
  const [message, annotation] = [
    insert('messages', '?, ?'),
    insert('annotations', '?, ?, ?, ?, ?'),
  ]
  const bundle = insert(
    `bundles (id, message, place, action, hash, payload_key, previous_key,
      signer, host, layer, signed_at)`,
    '?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?',
  )

  /**
   * @param {readonly Received[]} bundles
   * @returns {number} the number of new bundles
   */
  return (bundles) => {
    const names = namesOf(bundles)
    for (const [bytes, sha256] of names) message.run(sha256, bytes)
    const added = bundles.filter((given) => {
      const { id, index, action, hash, key, previousKey = null } = given
      const { signer, host, layer, timestamp } = given
      const about = [names.get(given.message), index, action, hash, key]
      const by = [signer, host, layer, timestamp]
      const row = [id, ...about, previousKey, ...by].map(plain)
      return bundle.run(...row).changes > 0
    })
    for (const { id, annotations } of added)
      for (const [at, { kind, tag, isSatisfied }] of annotations.entries())
        annotation.run(id, at, plain(kind), plain(tag), Number(isSatisfied))
    return added.length
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
 * Replaces the character 0, at which some drivers end a text.
 * @template T
 * @param {T} value
 * @returns {T | string}
 */
function plain(value) {
  return typeof value === 'string'
    ? value.replaceAll('\0', '\uFFFD')
    : value
}
