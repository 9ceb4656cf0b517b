/** Formats CSV and NDJSON: each record is one payload. A CSV record is converted to JSON in UTF-8. */
import { pipeline } from 'node:stream'
import { readRecords } from 'alvarium-sdk/records'
import { parse } from 'csv-parse'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** @param {unknown} record */
const toPayload = (record) => encoder.encode(JSON.stringify(record))

/** @param {Uint8Array} payload @returns {Record<string, unknown>} */
const toRecord = (payload) => JSON.parse(decoder.decode(payload))

const recordFormat = {
  unit: 'records',
  completeMeans: 'every column has a value',
  mutateMeans: 'numbers parsed, origin added',
  isComplete,
  transform: enrich,
}

/** @type {import('./dataset.mjs').Format} */
export const csvFormat = { ...recordFormat, name: 'CSV', payloads: readCsv }

/** @type {import('./dataset.mjs').Format} */
export const ndjsonFormat = { ...recordFormat, name: 'NDJSON', payloads: readNdjson }

/** @type {import('./dataset.mjs').Format['payloads']} */
async function* readCsv(file) {
  const pieces = utf8Only(file)
  const { value: first } = await pieces.next()
  const parser = parse({ columns: true, bom: true, skip_empty_lines: true, delimiter: separatorIn(first) })
  // Ignore errors here: the parser passes them on to the loop below.
  pipeline(following(first, pieces), parser, () => {})
  for await (const record of parser) yield toPayload(record)
}

/** @param {Buffer} first @param {AsyncIterable<Buffer>} rest */
async function* following(first, rest) {
  yield first
  yield* rest
}

/**
 * Returns the most frequent separator in the header, as `alvarium annotate` does. Where numbers have a
 * decimal comma, Excel separates columns with semicolons.
 *
 * @param {Buffer} first
 */
function separatorIn(first) {
  const [header = ''] = decoder
    .decode(first)
    .replace(/"[^"]*"/g, '')
    .split('\n')
  const countOf = (/** @type {string} */ one) => header.split(one).length
  return [',', ';', '\t', '|'].reduce((most, one) => (countOf(one) > countOf(most) ? one : most))
}

/**
 * Passes bytes on, and throws unless they are UTF-8. Otherwise invalid bytes would be decoded as U+FFFD, and
 * rows that differ only in such bytes would become the same payload.
 *
 * @param {AsyncIterable<Buffer>} file
 */
async function* utf8Only(file) {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  try {
    for await (const piece of file) {
      for (const part of linesIn(piece)) {
        utf8.decode(part, { stream: true })
        if (part.at(-1) === NEWLINE) line++
      }
      yield piece
    }
    utf8.decode()
  } catch (error) {
    if (error.code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
    throw new Error(`line ${line}: expected UTF-8, got other bytes: ${CONVERT}`, { cause: error })
  }
}

const NEWLINE = 0x0a
const CONVERT = 'convert it first (iconv -f windows-1252 -t utf-8; -f utf-16 for Excel\'s "Unicode text")'

/** @param {Buffer} piece */
function* linesIn(piece) {
  for (let from = 0; from < piece.length; ) {
    const end = piece.indexOf(NEWLINE, from) + 1 || piece.length
    yield piece.subarray(from, end)
    from = end
  }
}

/** @type {import('./dataset.mjs').Format['payloads']} */
async function* readNdjson(file) {
  for await (const { bytes, line } of readRecords(utf8Only(file), { format: 'lines' })) {
    assertObject(bytes, `line ${line}`)
    yield bytes
  }
}

/** @param {Uint8Array} payload @param {string} place */
function assertObject(payload, place) {
  let record
  try {
    record = toRecord(payload)
  } catch (error) {
    throw new Error(`${place}: ${error.message}`)
  }
  if (record?.constructor !== Object) throw new Error(`${place}: expected a JSON object`)
}

/** @param {Uint8Array} payload */
function isComplete(payload) {
  return Object.values(toRecord(payload)).every((value) => value !== '' && value !== null)
}

/** @type {import('./dataset.mjs').Format['transform']} */
function enrich(payload, origin) {
  const columns = Object.entries(toRecord(payload)).map(([name, value]) => [name, toNumber(value)])
  return toPayload({ ...Object.fromEntries(columns), ...origin })
}

/** Converts CSV text to a number if it is one. `02134` stays text, because it may be a postcode. @param {unknown} value */
function toNumber(value) {
  const isNumber = typeof value === 'string' && /^-?(0|[1-9]\d{0,14})(\.\d{1,9})?$/.test(value)
  return isNumber ? Number(value) : value
}
