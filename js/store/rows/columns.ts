import { fourBits } from '../../foundation/base/bytes/hex.js'
import { copyBytes, join } from '../../foundation/base/bytes/join.js'
import { describe, expected, isBytes } from '../../foundation/base/errors.js'
import type { Row } from '../database/connection.js'

/*
 * Columns of many rows as a few parameters. Numbers are the text of an array, which drivers pass on unchanged. Byte strings are joined into one,
 * from which the statement takes its parts: drivers need not support arrays of bytea.
 *
 * Where rows are added, {@link rowsFromColumns} has each column as a whole, and each row takes its member: PostgreSQL puts all results of `unnest` into a
 * table first, one for each column, which took a quarter of the time of adding a bundle.
 *
 * Lookups stand in `lateral (… offset 0)`, so that each uses the index. Otherwise, with a thousand of them, the planner reads the whole table
 * first, and puts it into a hash table.
 */

/** A number of a row as a parameter: those of `bigint` can be too large for a number of JavaScript. */
export type Numeric = number | bigint | string | boolean | undefined

/** Returns a column of numbers, for `$n::text::bigint[]`. */
export function numbers(values: readonly Numeric[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

/**
 * Returns a column of numbers, or undefined if all are missing: PostgreSQL finds a member of an array with NULL by going through it from the
 * first one.
 */
export function sparse(values: readonly Numeric[]): string | undefined {
  return values.some((value) => value !== undefined) ? numbers(values) : undefined
}

/**
 * Returns a column of texts without quotes or backslashes, for `$n::text::text[]`: timestamps, and columns of {@link numbers}. Returns undefined
 * if all are missing.
 */
export function plainTexts(values: readonly (string | undefined)[]): string | undefined {
  if (values.every((value) => value === undefined)) return undefined
  return `{${values.map((value) => (value === undefined ? 'NULL' : `"${value}"`)).join(',')}}`
}

/** Joins a column of byte strings: the bytes, the start of each (counted from 1), and its length. A missing one has the length NULL. */
export function byteColumn(
  values: readonly (Uint8Array | undefined)[],
): [bytes: Uint8Array, starts: string, lengths: string | undefined] {
  const { bytes, lengths } = join(values.map((value) => value ?? NO_BYTES))
  let end = 1
  const starts = Array.from(lengths, (length) => {
    end += length
    return end - length
  })
  const known = values.map((value) => value?.length)
  return [bytes, numbers(starts), sparse(known)]
}

const NO_BYTES = new Uint8Array()

/** Joins hexadecimal texts, for `decode($n::text, 'hex')`: the database reads digits faster. */
export function hexColumn(texts: readonly string[]): [string, string, string] {
  let end = 1
  const starts = texts.map(({ length }) => {
    end += length / 2
    return end - length / 2
  })
  return [texts.join(''), numbers(starts), numbers(texts.map(({ length }) => length / 2))]
}

/**
 * Returns rows with whole columns, for `from`: `column[row]` is a row's member.
 *
 * @param sets - the set that counts the rows: `generate_series(1, …) as row`; and by `unnest`, columns whose members differ in length
 * @param columns - arrays and byte strings by their names. They are read once, where a cast in the list above would be read for each row
 */
export function rowsFromColumns(sets: string, columns: string): string {
  return `(select ${sets}, given.* from (select ${columns} offset 0) as given) as given`
}

/** Decodes hexadecimal texts into one joined byte array. */
export function decodeHexes(texts: readonly string[]): Uint8Array {
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

/** Returns a copy of a `bytea`: drivers return parts of their receive buffer. */
export function bytesIn(row: Row, name: string): Uint8Array {
  const value = row[name]
  if (!isBytes(value)) throw expected('STORE_FAILED', 'store', `bytes in ${name}`, describe(value))
  return copyBytes(value)
}

/** Decodes a text as it was stored, and keeps a leading U+FEFF: without it, the text would be another one. */
export function textOf(utf8: Uint8Array): string {
  return decoder.decode(utf8)
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Reads a `bigint` that counts rows of ours: far below 2^53. */
export function numberIn(row: Row, name: string): number {
  return Number(row[name])
}

/** Reads a `bigint`, or undefined for `null`. */
export function optionalNumberIn(row: Row, name: string): number | undefined {
  const value = row[name]
  return value === null || value === undefined ? undefined : Number(value)
}

/** Returns the numbers of some columns, each once. */
export function numbersIn(rows: readonly Row[], columns: readonly string[] = []): number[] {
  return [...new Set(rows.flatMap((row) => columns.flatMap((name) => optionalNumberIn(row, name) ?? [])))]
}

/** Smallest `bigint`, as text: before the first row, even if an owner has altered its number. */
export const MIN_BIGINT = '-9223372036854775808'

/** Packs answers into bits: the first is the lowest bit of the first byte. The list of kinds has their count. */
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
