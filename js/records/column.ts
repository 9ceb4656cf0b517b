import { expected } from '../base/errors.js'
import { hint } from '../base/options/names.js'
import { CsvRecords, fieldsOf } from './csv.js'
import type { Splitter } from './splitter.js'

const decoder = new TextDecoder()

/** What a record has in a column. */
export type ValueOf = (record: Uint8Array) => string

/**
 * What records have in a column of CSV, or in a member of their JSON objects; where there is none, nothing.
 *
 * @param splitter - what takes the records out of their source
 */
export function valueIn(column: string, splitter: Splitter): ValueOf {
  if (!(splitter instanceof CsvRecords)) return (record) => memberOf(record, column)
  let index = -1
  return (record) => {
    // The header has come before the first record.
    if (index < 0) index = indexOf(column, splitter.columns)
    return fieldAt(index, record, splitter.separator)
  }
}

/** @throws AlvariumError `CONFIG_INVALID` when there is no such column */
function indexOf(column: string, columns: readonly string[]): number {
  const index = columns.indexOf(column)
  if (index >= 0) return index
  const what = `a column of the file${hint(column, columns.slice(0, MOST_COMPARED))}`
  throw expected('CONFIG_INVALID', 'by', what, JSON.stringify(column))
}

/** Whoever wrote the file may have written very many. */
const MOST_COMPARED = 256

function fieldAt(index: number, record: Uint8Array, separator: string): string {
  let at = 0
  for (const field of fieldsOf(record, separator)) if (at++ === index) return field
  return ''
}

function memberOf(record: Uint8Array, name: string): string {
  try {
    const value: unknown = Object(JSON.parse(decoder.decode(record)))[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  } catch {
    // Altered, it may be no JSON any more.
    return ''
  }
}
