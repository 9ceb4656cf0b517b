// Handwritten copy of the store's tables in SQLite, which shows how fast a store with `node:sqlite` would be.
// Needs Node.js 22.5.

import { createHash } from 'node:crypto'

/** @typedef {import('alvarium-sdk').VerifiedBundle} VerifiedBundle */

const TABLES = `
  create table leaf (seq integer primary key, id blob not null unique);
  create table evidence (seq integer primary key, received integer, digest blob not null unique, message blob not null);
  create table datum (id integer primary key, hash integer not null, digest blob not null, text blob, unique (hash, digest));
  create table word (id integer primary key, word text not null unique);
  create table bundle (
    seq integer primary key, evidence integer not null, datum integer not null, previous integer, at integer,
    signer integer not null, host integer not null, layer integer not null, kinds integer not null, tags integer not null,
    place integer not null, action integer, ok integer not null);
  create index bundle_datum on bundle (datum, seq);
  create index bundle_signer on bundle (signer, seq);
  create index bundle_host on bundle (host, seq);
  create index bundle_kinds on bundle (kinds, seq);
  create index bundle_tags on bundle (tags, seq);
  create index bundle_stack on bundle (tags, layer, seq);
  create table edge (child integer, parent integer, primary key (child, parent)) without rowid;
  create index edge_parent on edge (parent, child);`

/** Returns the contender's name and its insert function; undefined if this Node.js has no SQLite. */
export async function sqliteByHand() {
  const sqlite = await import('node:sqlite').catch(() => undefined)
  if (sqlite === undefined) return undefined
  const database = new sqlite.DatabaseSync(':memory:')
  database.exec(TABLES)
  const insert = inserting(database)
  const inTransaction = (/** @type {Uint8Array[]} */ messages, /** @type {VerifiedBundle[][]} */ bundles) => {
    database.exec('begin')
    for (const [at, message] of messages.entries()) insert(message, bundles[at] ?? [])
    database.exec('commit')
  }
  return {
    name: 'SQLite in memory, by hand',
    insert: inTransaction,
    close: async () => database.close(),
  }
}

/** @param {import('node:sqlite').DatabaseSync} database */
function inserting(database) {
  const words = new Map()
  const next = { seq: 0, evidence: 0, datum: 0 }
  const of = Object.fromEntries(
    Object.entries({
      leaf: 'insert into leaf values (?, ?) on conflict do nothing',
      evidence: 'insert into evidence values (?, null, ?, ?)',
      findDatum: 'select id from datum where hash = 0 and digest = ?',
      datum: 'insert into datum values (?, 0, ?, null)',
      word: 'insert into word values (?, ?)',
      bundle: 'insert into bundle values (?, ?, ?, null, ?, ?, ?, ?, ?, ?, ?, 0, ?)',
    }).map(([name, sql]) => [name, database.prepare(sql)]),
  )
  const word = (/** @type {string} */ text) => {
    const known = words.get(text)
    if (known !== undefined) return known
    of['word']?.run(words.size, text)
    words.set(text, words.size)
    return words.size - 1
  }
  const datum = (/** @type {string} */ key) => {
    const digest = Buffer.from(key, 'hex')
    const found = of['findDatum']?.get(digest)
    if (found) return found['id']
    of['datum']?.run(next.datum, digest)
    return next.datum++
  }
  return (/** @type {Uint8Array} */ message, /** @type {readonly VerifiedBundle[]} */ bundles) => {
    of['evidence']?.run(next.evidence, createHash('sha256').update(message).digest(), message)
    for (const [place, bundle] of bundles.entries()) {
      if (of['leaf']?.run(next.seq, Buffer.from(bundle.id, 'hex')).changes === 0) continue
      const { annotations } = bundle
      of['bundle']?.run(
        ...[next.seq++, next.evidence, datum(bundle.key), Date.parse(bundle.timestamp) * 1000],
        ...[word(bundle.signer), word(bundle.host), word(bundle.layer)],
        ...[word(annotations.map(({ kind }) => kind).join()), word(annotations.map(({ tag }) => tag).join())],
        ...[place, annotations.reduce((bits, { isSatisfied }, at) => bits | (Number(isSatisfied) << at), 0)],
      )
    }
    next.evidence++
  }
}
