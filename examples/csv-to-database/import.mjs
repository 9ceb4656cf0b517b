/** Imports the rows of a CSV file into a store, each with a bundle. 256 bundles share one signature. */

import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { parse } from 'csv-parse'

const encoder = new TextEncoder()
/** Number of rows per batch, equal to the SDK's default. */
const ROWS = 256

/** Returns the payload of a row, which the annotations are about. @param {string} text */
export const payloadOf = (text) => encoder.encode(text)

/**
 * @param {string} path of a CSV file in UTF-8 with a header line
 * @param {import('alvarium-sdk').Sdk} sdk
 * @param {import('./store.mjs').Store} store empty store
 * @returns {Promise<number>} number of rows
 */
export async function importCsv(path, sdk, store) {
  const parser = parse({ columns: true, bom: true, skip_empty_lines: true })
  // Ignore errors here: the parser passes them on to the loop below.
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
