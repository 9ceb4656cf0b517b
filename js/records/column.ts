import { expected } from '../base/errors.js'
import { hint } from '../base/options/names.js'
import { CsvRecords, fieldsOf, fieldText } from './csv.js'
import type { Splitter } from './splitter.js'

const decoder = new TextDecoder()
const encoder = new TextEncoder()

/** What a record has in a column. */
export type ValueOf = (record: Uint8Array) => string

/**
 * What records have in a column of CSV, or in a member of their JSON objects, as far as it is compared; where there is none, nothing.
 *
 * @param splitter - what takes the records out of their source
 */
export function valueIn(column: string, splitter: Splitter): ValueOf {
  const whole = splitter instanceof CsvRecords ? fieldIn(column, splitter) : memberIn(column)
  return (record) => ownText(whole(record).slice(0, LONGEST_VALUE))
}

/** What tells records apart is shorter. All values are in memory, and whoever wrote the file chose how long they are. */
const LONGEST_VALUE = 256

/** In memory of its own: what was cut out of a text keeps all of it, which is a whole record. */
function ownText(value: string): string {
  return decoder.decode(encoder.encode(value))
}

function fieldIn(column: string, splitter: CsvRecords): ValueOf {
  let index = -1
  return (record) => {
    // The header has come before the first record.
    if (index < 0) index = indexOf(column, splitter)
    return fieldAt(index, record, splitter.separator)
  }
}

/** @throws AlvariumError `CONFIG_INVALID` when there is no such column, or more than one: which of them was meant, a reader decides for itself */
function indexOf(column: string, { header, separator }: CsvRecords): number {
  if (!header)
    throw expected(
      'CONFIG_INVALID',
      'by',
      'a file with a header, which names its columns',
      'none (headerLines)',
    )
  const names: string[] = []
  let [index, at] = [-1, 0]
  for (const field of fieldsOf(header, separator)) {
    const name = fieldText(field)
    if (name === column && index >= 0) {
      throw expected('CONFIG_INVALID', 'by', 'a column that the header names once', JSON.stringify(column))
    }
    if (name === column) index = at
    if (at++ < MOST_COMPARED) names.push(name)
  }
  if (index >= 0) return index
  throw expected(
    'CONFIG_INVALID',
    'by',
    `a column of the file${hint(column, names)}`,
    `${JSON.stringify(column)} (separator: ${JSON.stringify(separator)})`,
  )
}

/** Whoever wrote the file may have written very many. */
const MOST_COMPARED = 256

function fieldAt(index: number, record: Uint8Array, separator: string): string {
  let at = 0
  for (const field of fieldsOf(record, separator)) if (at++ === index) return fieldText(field)
  return ''
}

function memberIn(name: string): ValueOf {
  return (record) => {
    try {
      const text = decoder.decode(record)
      const read: unknown = Object(JSON.parse(text))[name]
      const value = isRounded(read) ? Object(JSON.parse(withDigits(text)))[name] : read
      return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    } catch {
      // Altered, it may be no JSON any more.
      return ''
    }
  }
}

function isRounded(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER
}

/** The same JSON with texts in place of numbers, which have all of their digits. */
function withDigits(text: string): string {
  return text.replace(STRING_OR_NUMBER, (part) => (part.startsWith('"') ? part : `"${part}"`))
}

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g
