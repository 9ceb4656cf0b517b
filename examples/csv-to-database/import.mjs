/** Rows of a CSV into a store, each with what is to prove it: a signed bundle, of which thousands share one signature. */

import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { parse } from 'csv-parse'

const encoder = new TextEncoder()
/** Rows at a time: as many as a batch of the SDK holds. */
const ROWS = 256

/** The payload of a row: what its annotations speak about. @param {string} text */
export const payloadOf = (text) => encoder.encode(text)

/**
 * @param {string} path of a CSV in UTF-8, with a line of names
 * @param {import('alvarium-sdk').Sdk} sdk
 * @param {import('./store.mjs').Store} store that is empty
 * @returns {Promise<number>} how many rows there were
 */
export async function importCsv(path, sdk, store) {
  const parser = parse({ columns: true, bom: true, skip_empty_lines: true })
  // The parser is destroyed with an error of the file, and says it to the loop below.
  pipeline(createReadStream(path), parser, () => {})
  let id = 0
  let batch = 0
  for await (const texts of groupsOf(parser)) {
    const receipts = await sdk.createMany(texts.map(payloadOf))
    const rows = texts.map((text, at) => {
      const { index: place, id: bundle } = receipts[at]
      return { id: id + at, row: { text, batch, place, bundle } }
    })
    await store.add(batch, receipts[0].message, rows)
    id += texts.length
    batch++
  }
  return id
}

/** @param {AsyncIterable<object>} records */
async function* groupsOf(records) {
  /** @type {string[]} */
  let group = []
  for await (const record of records) {
    if (group.push(JSON.stringify(record)) < ROWS) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
