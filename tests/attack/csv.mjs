// Files of CSV, most of them bent: what `annotate` takes out of each has to be what csv-parse does, record by record and byte by
// byte, in whatever pieces it comes. Where csv-parse refuses a file, so does it, and where a carriage return stands alone
// outside quotation marks: some readers end a line there, csv-parse does not.

import { CsvError, parse } from 'csv-parse/sync'
import { CsvRecords } from '../../dist/records/csv.js'
import { Random } from './random.mjs'
import { progress, Tally } from './tally.mjs'
import { timedNow } from './timed.mjs'

/** More than a record of these files may have. */
const MOST = 100_000
const SEPARATORS = [',', ';', '\t', '|']

/** @param {{ seed: number, count: number }} options */
export async function csv({ seed, count }) {
  const [random, tally] = [new Random(seed, 5), new Tally()]
  const done = progress(tally, count)
  while (tally.inputs < count) {
    attack(random, tally)
    if (tally.inputs % 256 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  done()
  return tally.report
}

function attack(random, tally) {
  const separator = random.pick(SEPARATORS)
  const text = fileOf(random, separator)
  try {
    const theirs = theirsOf(text, separator)
    const ours = timedNow(() => oursOf(text, 1 + random.below(12)), tally)
    tally.count(theirs.isRefused ? 'refused by csv-parse' : 'of records that csv-parse has')
    tally.verdicts++
    if (JSON.stringify(ours) !== JSON.stringify(theirs)) tally.disagreement('records', { text, ours, theirs })
  } catch (error) {
    tally.crash(error, { text })
  }
}

/** A header from which the separator can be told, and then anything. */
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

function oursOf(text, size) {
  const splitter = new CsvRecords(MOST)
  const bytes = Buffer.from(text)
  const items = []
  for (let at = 0; at < bytes.length; at += size) items.push(...splitter.add(bytes.subarray(at, at + size)))
  items.push(...splitter.end())
  if (items.some(({ fault }) => fault)) return { isRefused: true }
  return { isRefused: false, records: items.map((item) => Buffer.from(item.bytes).toString()) }
}

const QUOTED = /"(?:[^"]|"")*"/g
const hasLoneReturn = (record) => /\r[^\n]/.test(record.replace(QUOTED, '"'))
const withoutEnd = (record) => record.replace(/\n$/, '').replace(/\r$/, '')
/** A record of empty fields between tabs is one. */
const isBlank = (record, delimiter) => /^[ \t\r]*$/.test(record) && !record.includes(delimiter)
