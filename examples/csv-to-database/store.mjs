/** A table of rows and the evidence for them, in LevelDB: any database with keys and values does. */

import { ClassicLevel } from 'classic-level'

const binary = { valueEncoding: 'binary' }

/** @typedef {{ text: string, batch: number, place: number, bundle: string }} Row its text, and where in which batch its bundle is, with its id */

export class Store {
  #database
  #rows
  #batches

  /** @param {string} folder */
  constructor(folder) {
    this.#database = new ClassicLevel(folder)
    this.#rows = this.#database.sublevel('rows', { valueEncoding: 'json' })
    this.#batches = this.#database.sublevel('batches', binary)
  }

  /**
   * Adds rows together with their evidence, or neither.
   *
   * @param {number} batch
   * @param {Uint8Array} message that has the bundles of all of them
   * @param {readonly { id: number, row: Row }[]} rows
   */
  async add(batch, message, rows) {
    await this.#database.batch([
      { type: 'put', sublevel: this.#batches, key: String(batch), value: message },
      ...rows.map(({ id, row }) => ({
        type: /** @type {const} */ ('put'),
        sublevel: this.#rows,
        key: String(id).padStart(9, '0'),
        value: row,
      })),
    ])
  }

  /** @returns {AsyncIterable<Row>} in the order of their ids, and so of their batches */
  rows() {
    return this.#rows.values()
  }

  /** @param {number} batch @returns {Promise<Uint8Array>} */
  message(batch) {
    return this.#batches.get(String(batch))
  }

  /** @param {number} id @returns {Promise<Row>} */
  row(id) {
    return this.#rows.get(String(id).padStart(9, '0'))
  }

  /** What somebody does who can write to the disk, and has no key. @param {number} id @param {string} text */
  async forge(id, text) {
    const row = await this.row(id)
    await this.#rows.put(String(id).padStart(9, '0'), { ...row, text })
  }

  close() {
    return this.#database.close()
  }
}

/** What was said about payloads, by the ids of the bundles that said it. */
export class Archive {
  #database

  /** @param {string} folder */
  constructor(folder) {
    this.#database = new ClassicLevel(folder, { valueEncoding: 'json' })
  }

  /** All of them, or none. @param {readonly import('alvarium-sdk').VerifiedBundle[]} bundles */
  put(bundles) {
    const rows = bundles.map(({ id, action, key, signer, timestamp, annotations }) => ({
      type: /** @type {const} */ ('put'),
      key: id,
      value: { action, key, signer, timestamp, annotations },
    }))
    return this.#database.batch(rows)
  }

  /** Which of them are here. @param {readonly string[]} ids @returns {Promise<string[]>} */
  known = async (ids) => {
    const found = await this.#database.hasMany([...ids])
    return ids.filter((_, at) => found[at])
  }

  close() {
    return this.#database.close()
  }
}
