// CSV files, most of them malformed. `annotate` must read the same records as csv-parse, byte by byte, however the file
// is split into pieces. It must also reject the files that csv-parse rejects. It rejects a lone carriage return outside
// quotation marks: some readers end a line there, csv-parse does not.

import { AlvariumError } from 'alvarium-sdk'
import { readRecords } from 'alvarium-sdk/records'
import { CsvError, parse } from 'csv-parse/sync'
import { Random } from './random.mjs'
import { progress, Tally } from './tally.mjs'
import { timed } from './timed.mjs'

const SEPARATORS = [',', ';', '\t', '|']

/** @param {{ seed: number, count: number }} options */
export async function csv({ seed, count }) {
  const [random, tally] = [new Random(seed, 5), new Tally()]
  const done = progress(tally, count)
  while (tally.inputs < count) {
    await attack(random, tally)
    if (tally.inputs % 256 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  done()
  return tally.report
}

async function attack(random, tally) {
  const separator = random.pick(SEPARATORS)
  const text = fileOf(random, separator)
  try {
    const theirs = theirsOf(text, separator)
    const size = 1 + random.below(12)
    const { value: ours } = await timed(() => oursOf(text, size), tally)
    tally.count(theirs.isRefused ? 'refused by csv-parse' : 'of records that csv-parse has')
    tally.verdicts++
    if (JSON.stringify(ours) !== JSON.stringify(theirs)) tally.disagreement('records', { text, ours, theirs })
  } catch (error) {
    tally.crash(error, { text })
  }
}

/** Returns a file whose header reveals the separator, with random records. */
function fileOf(random, separator) {
  const records = Array.from({ length: random.below(6) }, () => recordOf(random, separator))
  const bent = separator === ',' ? ['a"'] : []
  const first = random.below(10) > 0 ? 'a' : random.pick(['"a"', '"a\nb"', ...bent])
  const header = [first, 'b', 'c'].join(separator)
  return `${random.pick(['', '\ufeff'])}${header}\n${records.join('')}`
}

function recordOf(random, separator) {
  const fields = Array.from({ length: 1 + random.below(3) }, () => fieldOf(random, separator))
  return fields.join(separator) + random.pick(['\n', '\n', '\r\n'])
}

function fieldOf(random, separator) {
  const kind = random.below(20)
  if (kind === 0) return anything(random, separator)
  const text = Array.from({ length: random.below(5) }, () => random.pick(['x', 'é', ' '])).join('')
  if (kind < 10) return text
  return `"${Array.from({ length: random.below(5) }, () => random.pick(['x', '""', '\n', '\r\n', ',', ';', 'é'])).join('')}"`
}

function anything(random, separator) {
  const characters = ['"', '"', 'x', separator, '\n', '\r', ' ']
  return Array.from({ length: random.below(7) }, () => random.pick(characters)).join('')
}

function theirsOf(text, delimiter) {
  const options = {
    bom: true,
    delimiter,
    raw: true,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
  }
  try {
    const raw = parse(text, options).map((record) => record.raw)
    if (raw.some(hasLoneReturn)) return { isRefused: true }
    const records = raw.map(withoutEnd)
    return { isRefused: false, records: records.filter((record) => !isBlank(record, delimiter)).slice(1) }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return { isRefused: true }
  }
}

async function oursOf(text, size) {
  const bytes = Buffer.from(text)
  const count = Math.ceil(bytes.length / size)
  const pieces = Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
  const records = []
  try {
    for await (const record of readRecords(pieces, { format: 'csv' }))
      records.push(Buffer.from(record.bytes).toString())
    return { isRefused: false, records }
  } catch (error) {
    if (!(error instanceof AlvariumError)) throw error
    return { isRefused: true }
  }
}

const QUOTED = /"(?:[^"]|"")*"/g
const hasLoneReturn = (record) => /\r[^\n]/.test(record.replace(QUOTED, '"'))
const withoutEnd = (record) => record.replace(/\n$/, '').replace(/\r$/, '')
/** Returns whether a record is blank. Empty fields between tabs are a record. */
const isBlank = (record, delimiter) => /^[ \t\r]*$/.test(record) && !record.includes(delimiter)
