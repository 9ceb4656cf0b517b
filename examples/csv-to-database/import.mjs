/**
 * Imports the rows of a CSV into a store, each with its evidence: a signed bundle. Thousands of bundles share one
 * signature.
 */

import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { parse } from 'csv-parse'

const encoder = new TextEncoder()
/** Number of rows at a time, the SDK's default size of a batch. */
const ROWS = 256

/** Returns the payload of a row, to which its annotations refer. @param {string} text */
export const payloadOf = (text) => encoder.encode(text)

/**
 * @param {string} path of a CSV in UTF-8, with a header line
 * @param {import('alvarium-sdk').Sdk} sdk
 * @param {import('./store.mjs').Store} store empty store
 * @returns {Promise<number>} the number of rows
 */
export async function importCsv(path, sdk, store) {
  const parser = parse({ columns: true, bom: true, skip_empty_lines: true })
  // The parser passes errors of the file on to the loop below.
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
