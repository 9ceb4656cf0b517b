/** Stores rows and their bundles in SQLite. Any database would work. */

import Database from 'libsql' // in Node 22.13 or newer also: import { DatabaseSync as Database } from 'node:sqlite'

const ROWS = `
  create table rows (
    id integer primary key,
    text text not null,
    batch integer not null,
    place integer not null,
    bundle text not null
  );
  create table batches (batch integer primary key, message blob not null);`

const BUNDLES = 'create table bundles (id text primary key, said text not null)'

/**
 * @typedef {{ text: string, batch: number, place: number, bundle: string }} Row text, number of the batch
 * with its bundle, index of the bundle in the batch, and the bundle's id
 */

export class Store {
  #database
  #rows

  /** @param {string} path */
  constructor(path) {
    this.#database = openDatabase(path, ROWS)
    this.#rows = this.#database.prepare('insert into rows values (?, ?, ?, ?, ?)')
  }

  /**
   * Adds rows together with their bundles, in one transaction.
   *
   * @param {number} batch number of the batch
   * @param {Uint8Array} message with the bundles of all rows
   * @param {readonly { id: number, row: Row }[]} rows
   */
  async add(batch, message, rows) {
    transact(this.#database, () => {
      this.#database.prepare('insert into batches values (?, ?)').run(batch, message)
      for (const { id, row } of rows) this.#rows.run(id, row.text, row.batch, row.place, row.bundle)
    })
  }

  /** Returns the rows ordered by id, and therefore by batch. @returns {Iterable<Row>} */
  rows() {
    return this.#database.prepare('select text, batch, place, bundle from rows order by id').iterate()
  }

  /** @param {number} batch @returns {Promise<Uint8Array>} */
  async message(batch) {
    const { message } = this.#database.prepare('select message from batches where batch = ?').get(batch)
    return new Uint8Array(message)
  }

  /** @param {number} id @returns {Promise<Row>} */
  async row(id) {
    return this.#database.prepare('select text, batch, place, bundle from rows where id = ?').get(id)
  }

  /**
   * Alters a row, as an attacker could do with access to the disk but without a private key.
   *
   * @param {number} id
   * @param {string} text
   */
  async forge(id, text) {
    this.#database.prepare('update rows set text = ? where id = ?').run(text, id)
  }

  async close() {
    this.#database.close()
  }
}

export class Archive {
  #database

  /** @param {string} path */
  constructor(path) {
    this.#database = openDatabase(path, BUNDLES)
  }

  /** Adds bundles in one transaction. @param {readonly import('alvarium-sdk').VerifiedBundle[]} bundles */
  async put(bundles) {
    const insert = this.#database.prepare('insert into bundles values (?, ?) on conflict do nothing')
    transact(this.#database, () => {
      for (const { id, action, key, signer, timestamp, annotations } of bundles) {
        insert.run(id, JSON.stringify({ action, key, signer, timestamp, annotations }))
      }
    })
  }

  /**
   * Returns the given ids that are in the archive.
   *
   * @param {readonly string[]} ids
   * @returns {Promise<string[]>}
   */
  known = async (ids) => {
    const select = this.#database.prepare('select 1 from bundles where id = ?')
    return ids.filter((id) => select.get(id) !== undefined)
  }

  async close() {
    this.#database.close()
  }
}

/** @param {string} path @param {string} tables */
function openDatabase(path, tables) {
  const database = new Database(path)
  database.exec('pragma journal_mode = wal; pragma synchronous = normal')
  database.exec(tables)
  return database
}

/** Runs a function in a transaction. @param {import('libsql').Database} database @param {() => void} act */
function transact(database, act) {
  database.exec('begin')
  try {
    act()
    database.exec('commit')
  } catch (error) {
    database.exec('rollback')
    throw error
  }
}
