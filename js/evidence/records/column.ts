import { expected, needs } from '../../foundation/base/errors.js'
import { hint } from '../../foundation/base/options/names.js'
import { CsvRecords, fieldsOf, fieldText } from './csv.js'
import type { Splitter } from './splitter.js'

const decoder = new TextDecoder()
const encoder = new TextEncoder()

export type ValueOf = (record: Uint8Array) => string

/**
 * Returns a function that reads a CSV column, or a member of a JSON object. The value is empty if there is no such
 * column, or no such member that is a text or a number.
 */
export function columnReader(column: string, splitter: Splitter): ValueOf {
  const whole = splitter instanceof CsvRecords ? fieldReader(column, splitter) : memberReader(column)
  // Copy the value, because a substring would keep the text of the whole record in memory.
  return (record) => decoder.decode(encoder.encode(whole(record).slice(0, MAX_VALUE_CHARACTERS)))
}

/** Maximum length of a value in characters, because all values stay in memory. */
const MAX_VALUE_CHARACTERS = 256

function fieldReader(column: string, splitter: CsvRecords): ValueOf {
  let index = -1
  return (record) => {
    // The header is complete here, because it precedes the first record.
    if (index < 0) index = indexOf(column, splitter)
    return fieldAt(index, record, splitter.separator)
  }
}

/**
 * @throws AlvariumError `CONFIG_INVALID` without a header, for an unknown column, and for a name that several
 * columns have, because CSV readers differ in which of the columns they use
 */
function indexOf(column: string, { header, separator }: CsvRecords): number {
  if (!header) throw needs('by', 'a file with a header (headerLines)')
  const names: string[] = []
  let [index, at] = [-1, 0]
  for (const field of fieldsOf(header, separator)) {
    const name = fieldText(field)
    if (name === column && index >= 0) {
      throw expected('CONFIG_INVALID', 'by', 'a column that the header names once', JSON.stringify(column))
    }
    if (name === column) index = at
    if (at++ < MAX_NAMES) names.push(name)
  }
  if (index >= 0) return index
  throw expected(
    'CONFIG_INVALID',
    'by',
    `a column of the file${hint(column, names)}`,
    `${JSON.stringify(column)} (separator: ${JSON.stringify(separator)})`,
  )
}

/** Maximum number of column names to compare with a misspelled one. */
const MAX_NAMES = 256

function fieldAt(index: number, record: Uint8Array, separator: string): string {
  let at = 0
  for (const field of fieldsOf(record, separator)) if (at++ === index) return fieldText(field)
  return ''
}

function memberReader(name: string): ValueOf {
  return (record) => {
    try {
      const text = decoder.decode(record)
      const read: unknown = Object(JSON.parse(text))[name]
      const value = isRounded(read) ? Object(JSON.parse(withDigits(text)))[name] : read
      return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    } catch {
      // Treat the value as empty, because an altered record can be invalid JSON.
      return ''
    }
  }
}

function isRounded(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER
}

/** Returns the JSON with each number as a string, which keeps all digits. */
function withDigits(text: string): string {
  return text.replace(STRING_OR_NUMBER, (part) => (part.startsWith('"') ? part : `"${part}"`))
}

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g
