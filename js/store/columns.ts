import { fourBits } from '../base/bytes/hex.js'
import { copied, join } from '../base/bytes/join.js'
import { describe, expected, isBytes } from '../base/errors.js'
import type { Row } from './connection.js'

/*
 * Columns of many rows as a few parameters. Numbers are the text of an array, which drivers pass on as it is; byte strings stand one behind
 * the other in one, from which the statement takes its parts: no driver has to know what an array of bytea is.
 *
 * Where rows are added, {@link rowsOf} has each column as a whole, and each row takes its member: PostgreSQL puts all that `unnest` returns
 * into a table first, one for each column, which took a quarter of the time of adding a bundle.
 *
 * What is looked for stands in `lateral (… offset 0)`: then each is found by the index. Otherwise, with a thousand of them, the planner
 * reads the whole table first, and puts it into a hash table.
 */

/** What a number in a row may be on the way to the database: those of `bigint` can be too large for a number of JavaScript. */
export type Numeric = number | bigint | string | boolean | undefined

/** A column of numbers, for `$n::text::bigint[]`. */
export function numbers(values: readonly Numeric[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

/** The same of a column that may have nothing at all in it: a member of an array with NULL in it is looked for from the first one on. */
export function sparse(values: readonly Numeric[]): string | undefined {
  return values.some((value) => value !== undefined) ? numbers(values) : undefined
}

/** A column of texts without quotes or backslashes, for `$n::text::text[]`: timestamps, and columns of {@link numbers}. Nothing if it has none. */
export function plainTexts(values: readonly (string | undefined)[]): string | undefined {
  if (values.every((value) => value === undefined)) return undefined
  return `{${values.map((value) => (value === undefined ? 'NULL' : `"${value}"`)).join(',')}}`
}

/** A column of byte strings: all of them, where each begins (counted from 1), and how long it is. A missing one has the length NULL. */
export function byteColumn(
  values: readonly (Uint8Array | undefined)[],
): [bytes: Uint8Array, starts: string, lengths: string | undefined] {
  const { bytes, lengths } = join(values.map((value) => value ?? NOTHING))
  let end = 1
  const starts = Array.from(lengths, (length) => {
    end += length
    return end - length
  })
  const known = values.map((value) => value?.length)
  return [bytes, numbers(starts), sparse(known)]
}

const NOTHING = new Uint8Array()

/** The same of hexadecimal texts, for `decode($n::text, 'hex')`: the database reads digits faster. */
export function hexColumn(texts: readonly string[]): [string, string, string] {
  let end = 1
  const starts = texts.map(({ length }) => {
    end += length / 2
    return end - length / 2
  })
  return [texts.join(''), numbers(starts), numbers(texts.map(({ length }) => length / 2))]
}

/**
 * Rows with whole columns, for `from`: of each, `column[row]` is the member.
 *
 * @param sets - what counts the rows: `generate_series(1, …) as row`; and what has no members of one length, by `unnest`
 * @param columns - arrays and byte strings by their names. They are read once, where a cast in the list above would be read for each row
 */
export function rowsOf(sets: string, columns: string): string {
  return `(select ${sets}, given.* from (select ${columns} offset 0) as given) as given`
}

/** The bytes of hexadecimal texts, one behind the other. */
export function fromHexes(texts: readonly string[]): Uint8Array {
  const length = texts.reduce((sum, text) => sum + text.length, 0) / 2
  const bytes = new Uint8Array(length)
  let at = 0
  for (const text of texts) {
    for (let digit = 0; digit < text.length; digit += 2) {
      bytes[at++] = (fourBits(text.charCodeAt(digit)) << 4) | fourBits(text.charCodeAt(digit + 1))
    }
  }
  return bytes
}

/** A `bytea`, in memory of its own: drivers return parts of what they have received. */
export function bytesIn(row: Row, name: string): Uint8Array {
  const value = row[name]
  if (!isBytes(value)) throw expected('STORE_FAILED', 'store', `bytes in ${name}`, describe(value))
  return copied(value)
}

/** A text as it was stored: what begins with U+FEFF is not another text without it. */
export function textOf(utf8: Uint8Array): string {
  return decoder.decode(utf8)
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** A `bigint` that counts something of ours: far below 2^53. */
export function numberIn(row: Row, name: string): number {
  return Number(row[name])
}

/** The same, or nothing for `null`. */
export function numberIfAny(row: Row, name: string): number | undefined {
  const value = row[name]
  return value === null || value === undefined ? undefined : Number(value)
}

/** The numbers that rows have in some columns, each once. */
export function numbersIn(rows: readonly Row[], columns: readonly string[] = []): number[] {
  return [...new Set(rows.flatMap((row) => columns.flatMap((name) => numberIfAny(row, name) ?? [])))]
}

/** The smallest `bigint`, as text: before the first row, whatever number somebody has given it. */
export const SMALLEST = '-9223372036854775808'
