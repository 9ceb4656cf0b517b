// Makes random files of CSV, JSON and NDJSON with every prefix, line end, encoding and separator. Compares the
// records from `readRecords` with those of csv-parse and `JSON.parse`: they must be equal, or the file must be
// refused with the place.
//
//   node tests/records/strangers.mjs [files] [seed]

import { pathToFileURL } from 'node:url'
import { readRecords } from 'alvarium-sdk/records'
import { parse } from 'csv-parse/sync'

/** Returns a generator of numbers from 0 to 1 (mulberry32). @param {number} seed */
function randomOf(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const PREFIXES = ['', '\ufeff', 'sep', '\ufeffsep', '\x1e']
const LINE_ENDS = ['\n', '\r\n', '\r']
const SEPARATORS = [',', ';', '\t', '|', '~', '^', ':']
const ENCODINGS = /** @type {const} */ (['utf8', 'latin1', 'utf16le'])
const TEXTS = [
  '',
  'a',
  '21.4',
  'é',
  'a b',
  '"',
  ',',
  ';',
  '\t',
  '|',
  '~',
  '\n',
  '\r\n',
  '\r',
  '""',
  ' x ',
  '{"a":1}',
  '[1,2]',
  'sep=;',
]

/** @param {() => number} random */
function makerOf(random) {
  const pick = (/** @type {readonly any[]} */ from) => from[Math.floor(random() * from.length)]
  const text = () => Array.from({ length: Math.floor(random() * 4) }, () => pick(TEXTS)).join('')
  const value = (depth = 0) => {
    const kind = pick(depth > 2 ? ['text', 'number'] : ['text', 'number', 'array', 'object', 'null'])
    if (kind === 'array') return Array.from({ length: Math.floor(random() * 3) }, () => value(depth + 1))
    if (kind === 'object')
      return Object.fromEntries([
        ['a', value(depth + 1)],
        [text(), value(depth + 1)],
      ])
    if (kind === 'null') return null
    return kind === 'text' ? text() : random()
  }
  return { pick, text, value }
}

/** @param {() => number} random */
function csvFile(random) {
  const { pick, text } = makerOf(random)
  const [separator, end, prefix] = [pick(SEPARATORS), pick(LINE_ENDS), pick(PREFIXES)]
  const isNamed = random() < 0.5
  const field = () => {
    const one = text()
    const isRisky = /["\r\n,;\t|~^:]/.test(one)
    return isRisky && random() < 0.97 ? `"${one.replaceAll('"', '""')}"` : one
  }
  const columns = 2 + Math.floor(random() * 3)
  const row = () => Array.from({ length: columns }, field).join(separator)
  const header = Array.from({ length: columns }, (_, at) => `column ${at}`).join(separator)
  const line = prefix.includes('sep') ? `sep=${separator}${end}` : ''
  const rows = Array.from({ length: Math.floor(random() * 6) }, row)
  const mark = prefix.startsWith('\ufeff') ? '\ufeff' : ''
  const text_ = `${mark}${line}${[header, ...rows].join(end)}${random() < 0.7 ? end : ''}`
  const delimiter = isNamed || SEPARATORS.indexOf(separator) > 3 ? separator : undefined
  const body = text_.slice(mark.length + line.length)
  return { format: 'csv', text: text_, delimiter, expected: () => csvRecords(body, separator) }
}

/**
 * Returns records as csv-parse sees them, as raw texts, and adds the empty lines that it drops.
 *
 * @param {string} text
 * @param {string} separator
 */
function csvRecords(text, separator) {
  const options = {
    delimiter: separator,
    relax_column_count: true,
    skip_empty_lines: true,
    raw: true,
    record_delimiter: ['\n', '\r\n'],
  }
  return parse(text, options)
    .slice(1)
    .map((/** @type {{ raw: string }} */ { raw }) =>
      raw
        .replace(/^[\r\n]+/, '')
        .replace(/\r?\n$/, '')
        .replace(/\r$/, ''),
    )
    .filter((/** @type {string} */ raw) => raw.trim() !== '' || raw.includes(separator))
}

/** @param {() => number} random */
function jsonFile(random) {
  const { pick, value } = makerOf(random)
  const values = Array.from({ length: Math.floor(random() * 5) }, () => value())
  const mark = random() < 0.4 ? '\ufeff' : ''
  const space = pick([undefined, 1, '\t'])
  const whole = JSON.stringify(values, null, space).replaceAll('\n', pick(['\n', '\r\n', '\r']))
  const text = random() < 0.2 ? broken(whole, random) : whole
  return {
    format: 'json',
    text: `${mark}${text}`,
    expected: () => [].concat(JSON.parse(text)).map((one) => JSON.stringify(one)),
  }
}

/** @param {string} text @param {() => number} random */
function broken(text, random) {
  const at = Math.floor(random() * text.length)
  return random() < 0.5
    ? text.slice(0, at)
    : `${text.slice(0, at)}${'[]{},"x'[Math.floor(random() * 7)]}${text.slice(at)}`
}

/** @param {() => number} random */
function linesFile(random) {
  const { pick, value } = makerOf(random)
  const values = Array.from({ length: Math.floor(random() * 6) }, () => JSON.stringify(value()))
  const [end, prefix] = [pick(['\n', '\r\n']), pick(['', '\ufeff', '\x1e'])]
  const lines = values.map((one) => (prefix === '\x1e' ? `\x1e${one}` : one)).join(end)
  const text = `${prefix === '\ufeff' ? prefix : ''}${lines}${random() < 0.7 ? end : ''}`
  return { format: random() < 0.5 && prefix === '\x1e' ? 'json' : 'lines', text, expected: () => values }
}

async function outcomeOf(
  /** @type {any} */ { format, delimiter },
  /** @type {Buffer} */ bytes,
  /** @type {() => number} */ random,
) {
  const size = 1 + Math.floor(random() * 40)
  const pieces = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  const records = []
  try {
    for await (const record of readRecords(pieces, { format, ...(delimiter && { delimiter }) }))
      records.push(Buffer.from(record.bytes))
  } catch (error) {
    return { refused: /** @type {Error} */ (error).message }
  }
  return { records }
}

/**
 * Compares random files.
 *
 * @param {number} files @param {number} seed
 * @returns {Promise<{ same: number, refused: number, differences: string[] }>}
 */
export async function compareStrangers(files, seed) {
  const random = randomOf(seed)
  const result = { same: 0, refused: 0, differences: /** @type {string[]} */ ([]) }
  for (let at = 0; at < files; at++) {
    const file = [csvFile, jsonFile, linesFile][at % 3]?.(random)
    const drawn = ENCODINGS[Math.floor(random() * 20)] ?? 'utf8'
    // Only UTF-8 and UTF-16 have a byte order mark.
    const encoding = file.text.includes('\ufeff') && drawn === 'latin1' ? 'utf8' : drawn
    const found = await outcomeOf(file, Buffer.from(file.text, encoding), random)
    const fault = faultOf(file, encoding, found)
    if (fault)
      result.differences.push(
        `${at}: ${fault}: ${JSON.stringify(file.text)} ${JSON.stringify(file.delimiter)} (${encoding})`,
      )
    else if (found.refused) result.refused++
    else result.same++
  }
  return result
}

/** Finds the fault of an outcome; undefined if there is none. @returns {string | undefined} */
function faultOf(
  /** @type {any} */ file,
  /** @type {BufferEncoding} */ encoding,
  /** @type {any} */ { records, refused },
) {
  const isWide = encoding === 'utf16le'
  if (refused !== undefined)
    return isWide || /^records:\d+(?::\d+)?: /.test(refused) ? undefined : `no place in ${refused}`
  if (isWide && file.text.length > 0) return 'UTF-16 was read'
  let expected
  try {
    // An empty text has no records.
    expected = /^\ufeff?$/.test(file.text) ? [] : file.expected()
  } catch {
    // `readRecords` does not parse values: it may accept invalid JSON, as one record or more.
    return file.format === 'json' && records.some((/** @type {Buffer} */ one) => !isJson(String(one)))
      ? undefined
      : 'only the other reader refuses'
  }
  const got = records.map((/** @type {Buffer} */ one) => one.toString(encoding))
  const same =
    file.format === 'json' ? got.map((/** @type {string} */ one) => JSON.stringify(JSON.parse(one))) : got
  return JSON.stringify(same) === JSON.stringify(expected)
    ? undefined
    : `${JSON.stringify(same)} is not ${JSON.stringify(expected)}`
}

function isJson(/** @type {string} */ text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [files, seed] = [Number(process.argv[2] ?? 10_000), Number(process.argv[3] ?? 1)]
  const { same, refused, differences } = await compareStrangers(files, seed)
  for (const one of differences.slice(0, 20)) console.log(one)
  console.log(
    `${files} files, seed ${seed}: ${same} with the same records, ${refused} refused with the place, ${differences.length} different`,
  )
  process.exitCode = differences.length > 0 ? 1 : 0
}
