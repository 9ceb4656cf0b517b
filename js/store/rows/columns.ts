import { toBytes } from '../../foundation/base/bytes/hex.js'
import { copyBytes, join } from '../../foundation/base/bytes/join.js'
import { describe, expected, isBytes } from '../../foundation/base/errors.js'
import type { Row } from '../database/connection.js'

/*
 * Passes the columns of many rows in a few parameters. A column of numbers is the text of an array, which
 * drivers pass on unchanged. Byte strings are joined into one, and the statement cuts it into parts, because
 * not all drivers support arrays of bytea.
 *
 * When rows are added, {@link rowsFromColumns} selects each column as a whole, and each row takes its
 * element. PostgreSQL would store the results of `unnest` in temporary tables, which took a quarter of the
 * time of adding a bundle.
 *
 * Lookups are in `lateral (… offset 0)`, so that each uses the index. For a thousand lookups, the planner
 * would otherwise read the whole table into a hash table.
 */

/** A number as a query parameter. It can be a text, because a `bigint` can exceed JavaScript's safe integers. */
export type Numeric = number | bigint | string | boolean | undefined

export function numbers(values: readonly Numeric[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

/** Returns a column of numbers, or undefined if all are missing, because arrays with NULLs are slow. */
export function sparse(values: readonly Numeric[]): string | undefined {
  return values.some((value) => value !== undefined) ? numbers(values) : undefined
}

/** Returns a column of texts without quotes and backslashes, for `$n::text::text[]`; undefined if all are missing. */
export function plainTexts(values: readonly (string | undefined)[]): string | undefined {
  if (values.every((value) => value === undefined)) return undefined
  return `{${values.map((value) => (value === undefined ? 'NULL' : `"${value}"`)).join(',')}}`
}

/**
 * Joins byte strings. Starts are counted from 1. A missing string has the length NULL, and if all are missing,
 * the lengths are undefined.
 */
export function byteColumn(
  values: readonly (Uint8Array | undefined)[],
): [bytes: Uint8Array, starts: string, lengths: string | undefined] {
  const { bytes, lengths } = join(values.map((value) => value ?? NO_BYTES))
  return [bytes, startsOf(lengths), sparse(values.map((value) => value?.length))]
}

const NO_BYTES = new Uint8Array()

/** Joins hexadecimal texts, for `decode($n::text, 'hex')`. Passing digits is faster than passing bytes. */
export function hexColumn(texts: readonly string[]): [digits: string, starts: string, lengths: string] {
  const lengths = texts.map(({ length }) => length / 2)
  return [texts.join(''), startsOf(lengths), numbers(lengths)]
}

function startsOf(lengths: ArrayLike<number>): string {
  let end = 1
  const starts = Array.from(lengths, (length) => {
    end += length
    return end - length
  })
  return numbers(starts)
}

/**
 * Returns a subquery for `from`. Each of its rows has the row's number in `row`, and the whole of each column
 * in `columns`, so that each column is cast only once. The row's value in an array is `column[row]`. `sets`
 * numbers the rows (`generate_series(1, …) as row`), and unnests columns with elements of different lengths.
 */
export function rowsFromColumns(sets: string, columns: string): string {
  return `(select ${sets}, given.* from (select ${columns} offset 0) as given) as given`
}

export function decodeHexes(texts: readonly string[]): Uint8Array {
  return toBytes(texts.join('')) as Uint8Array
}

/** Returns a copy of a `bytea` value, because drivers return views of their receive buffer. */
export function bytesIn(row: Row, name: string): Uint8Array {
  const value = row[name]
  if (!isBytes(value)) throw expected('STORE_FAILED', 'store', `bytes in ${name}`, describe(value))
  return copyBytes(value)
}

/** Decodes a stored text, with a leading U+FEFF, which decoders drop by default. */
export function textOf(utf8: Uint8Array): string {
  return decoder.decode(utf8)
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Reads a number that is far below 2^53, such as a count of rows or a time in milliseconds. */
export function numberIn(row: Row, name: string): number {
  return Number(row[name])
}

export function optionalNumberIn(row: Row, name: string): number | undefined {
  const value = row[name]
  return value === null || value === undefined ? undefined : Number(value)
}

/** Returns an object with a column's number under another name, or an empty one if the column is NULL. */
export function givenNumber<Name extends string>(
  row: Row,
  column: string,
  name: Name,
): { readonly [_ in Name]?: number } {
  const value = optionalNumberIn(row, column)
  return (value === undefined ? {} : { [name]: value }) as { [_ in Name]?: number }
}

export function numbersIn(rows: readonly Row[], columns: readonly string[] = []): number[] {
  return [...new Set(rows.flatMap((row) => columns.flatMap((name) => optionalNumberIn(row, name) ?? [])))]
}

/** Smallest `bigint`, as text. All other row ids are above it, even negative ones that an owner has written. */
export const MIN_BIGINT = '-9223372036854775808'

/** Packs `isSatisfied` of a bundle's annotations into bits. The first is the lowest bit of the first byte. */
export function toBits(answers: readonly { readonly isSatisfied: boolean }[]): Uint8Array {
  const bits = new Uint8Array(Math.ceil(answers.length / 8))
  for (const [at, { isSatisfied }] of answers.entries()) if (isSatisfied) setBit(bits, at)
  return bits
}

export function setBit(bits: Uint8Array, at: number): void {
  bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7))
}

export function bitAt(bits: Uint8Array, at: number): boolean {
  return (((bits[at >> 3] ?? 0) >> (at & 7)) & 1) === 1
}
