import * as v from 'valibot'
import { AlvariumError, conflicts, describe } from '../../foundation/base/errors.js'
import { integer, oneOf, readOptions, strict } from '../../foundation/base/options/schema.js'
import { columnReader } from './column.js'
import { CsvRecords } from './csv.js'
import { FORMATS, type RecordFormat } from './format.js'
import { JsonValues } from './json-values.js'
import { LengthPrefixedRecords } from './length-prefixed.js'
import { ChunkSplitter, type Item, itemsOf, LineSplitter, type Splitter, WholeSplitter } from './splitter.js'
import { textPieces } from './text-beginning.js'

/** Format of the records, and settings for reading them. */
export interface RecordOptions {
  /** Format that decides what a record is. */
  readonly format: RecordFormat
  /** Number of bytes in a record with the format `chunks`. Default 65,536, at most 1 GiB. */
  readonly chunkBytes?: number | undefined
  /**
   * Column of CSV, or member of JSON objects, that identifies a record, such as `id`. `check` then compares
   * records in the order of these values, by their first 256 characters. Not allowed with the formats
   * `length-prefixed`, `chunks` and `whole`. Default: none.
   */
  readonly by?: string | undefined
  /**
   * ASCII character between the fields of CSV, such as `~`. Default: the character in a line `sep=;`, or the
   * most frequent one of `,` `;` tab and `|` in the header.
   */
  readonly delimiter?: string | undefined
  /**
   * Number of lines before the first record, 0 to 1,000. The last of them names the columns of CSV. A line
   * `sep=;` does not count. Only for the formats `csv` and `lines`. Default: 1 with `csv`, 0 with `lines`.
   */
  readonly headerLines?: number | undefined
  /** Name of the source in error texts, such as its file name. Default: `records`. */
  readonly name?: string | undefined
}

/** A record exactly as in its source. */
export interface SourceRecord {
  /** Exact bytes of the record, to sign or to compare. */
  readonly bytes: Uint8Array
  /** Number of the record, counted from 1. With the format `lines`, the number of its line. */
  readonly number: number
  /** Line in which the record begins, counted from 1. Undefined with `length-prefixed`, `chunks` and `whole`. */
  readonly line?: number | undefined
  /**
   * Value in the column of the option `by`; empty unless it is a text or a number. Undefined without the
   * option.
   */
  readonly by?: string | undefined
  /** Name of the source, as in the option `name`. */
  readonly name?: string | undefined
}

/** Maximum length of a line, a record or an item in bytes. */
const MAX_RECORD_BYTES = 16 * 1024 * 1024
/** Maximum length in bytes with the format `whole`, because the whole source is in memory. */
const MAX_WHOLE_BYTES = 1024 * 1024 * 1024

/** Valibot schema of {@link RecordOptions}. The guide's page of limits is generated from it. */
export const schema = strict({
  format: oneOf(FORMATS),
  chunkBytes: integer(1, MAX_WHOLE_BYTES, 65_536),
  by: v.optional(v.string('the name of a column')),
  delimiter: v.optional(
    v.pipe(
      v.string('one character of ASCII'),
      v.regex(/^[\t\x20!#-~]$/, 'one character of ASCII, no quotation mark'),
    ),
  ),
  headerLines: v.optional(
    v.pipe(
      v.number('a whole number'),
      v.integer('a whole number'),
      v.minValue(0, '0 to 1,000'),
      v.maxValue(1_000, '0 to 1,000'),
    ),
  ),
  name: v.optional(v.string('a text')),
})

/**
 * Reads records from bytes as they arrive, each exactly as in the source. Memory does not grow with the source, except
 * with the format `whole`. CSV fields may be separated by commas, semicolons, tabs or bars, and the header decides
 * which. Text may have any encoding with single bytes for ASCII, such as UTF-8 and Latin-1.
 *
 * @param source - a stream of a file or a response, or any other iterable of bytes
 * @throws AlvariumError `CONFIG_INVALID` for an invalid option; `PAYLOAD_INVALID` if a record is larger than
 * 16 MiB (with the formats `whole` and `chunks`, 1 GiB), if CSV or JSON does not show where a record ends, if
 * a record with a length prefix is cut off, or for text in UTF-16 or gzip. Errors of the source are thrown
 * unchanged
 *
 * @example
 * ```ts
 * import { readRecords } from 'alvarium-sdk/records'
 *
 * const file = new Blob(['id,celsius\n1,21.4\n2,19.8\n'])
 * for await (const { bytes, line } of readRecords(file.stream(), { format: 'csv' })) console.log(line, bytes)
 * ```
 */
export async function* readRecords(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | ReadableStream<Uint8Array>,
  options: RecordOptions,
): AsyncGenerator<SourceRecord, void> {
  for await (const group of readRecordGroups(source, options)) for (const record of group) yield record
}

type RecordSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array> | ReadableStream<Uint8Array>

/**
 * @internal Yields records in groups, one for each part of the source, because awaiting each record would
 * take longer than hashing it.
 */
export async function* readRecordGroups(
  source: RecordSource,
  options: RecordOptions,
): AsyncGenerator<SourceRecord[], void> {
  const settings = readOptions(schema, options)
  const { format, name, by } = settings
  assertFits(settings)
  const splitter = splitterFor(settings)
  const valueFor = by === undefined ? undefined : columnReader(by, splitter)
  for await (const items of itemsOf(readable(piecesOf(source), splitter, settings), splitter)) {
    const records: SourceRecord[] = []
    for (const item of items) {
      if (item.bytes === undefined && records.length > 0) yield records.splice(0)
      const record = recordIn(item, format, name)
      records.push(valueFor ? { ...record, by: valueFor(record.bytes) } : record)
    }
    if (records.length > 0) yield records
  }
}

export interface RecordForm {
  readonly format: RecordFormat
  readonly chunkBytes: number
  readonly delimiter?: string | undefined
  readonly headerLines?: number | undefined
}

/** Formats without columns and members, to which the option `by` cannot apply. */
const WITHOUT_FIELDS: readonly string[] = ['length-prefixed', 'chunks', 'whole', 'row-groups']

/** Asserts that all options apply to the format. @throws AlvariumError `CONFIG_INVALID` */
export function assertFits({
  format,
  by,
  delimiter,
  headerLines,
}: Omit<RecordForm, 'format'> & { readonly format: string; readonly by?: string | undefined }): void {
  const other = `the format ${format}`
  if (by !== undefined && WITHOUT_FIELDS.includes(format)) throw conflicts('by', other)
  if (delimiter !== undefined && format !== 'csv') throw conflicts('delimiter', other)
  if (headerLines !== undefined && format !== 'csv' && format !== 'lines')
    throw conflicts('headerLines', other)
}

export function splitterFor({ format, chunkBytes, delimiter, headerLines }: RecordForm): Splitter {
  if (format === 'length-prefixed') return new LengthPrefixedRecords(MAX_RECORD_BYTES)
  if (format === 'chunks') return new ChunkSplitter(chunkBytes)
  if (format === 'whole') return new WholeSplitter(MAX_WHOLE_BYTES)
  if (format === 'json') return new JsonValues(MAX_RECORD_BYTES)
  return format === 'csv'
    ? new CsvRecords(MAX_RECORD_BYTES, { separator: delimiter, hasHeader: headerLines !== 0 })
    : new LineSplitter(MAX_RECORD_BYTES)
}

/** Reads streams with a reader, because some browsers cannot iterate over streams. */
async function* piecesOf(source: RecordSource): AsyncGenerator<Uint8Array, void> {
  if (typeof source !== 'object' || source === null) {
    throw new TypeError(`source: expected bytes or a stream of bytes, got ${describe(source)}`)
  }
  if (!('getReader' in source)) return yield* source
  const reader = source.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** @throws AlvariumError `PAYLOAD_INVALID` if the item is too long, cut off or faulty */
export function recordIn(item: Item, format: RecordFormat, name: string | undefined): SourceRecord {
  const { number, line, bytes } = item
  if (bytes === undefined) throw new AlvariumError('PAYLOAD_INVALID', faultOf(item, format, name))
  // Write out the four cases, because object spread would take a tenth of the time of `check`.
  if (line === undefined) return name === undefined ? { bytes, number } : { bytes, number, name }
  return name === undefined ? { bytes, number, line } : { bytes, number, line, name }
}

/**
 * Describes a fault. In CSV and JSON, names its line and column, because a record number would be a guess.
 */
function faultOf({ number, isCut, fault }: Item, format: RecordFormat, name = 'records'): string {
  if (fault) {
    const { line, column, expected, got } = fault
    const next =
      format === 'csv'
        ? 'correct it, name another delimiter, or take each line as it is (format lines)'
        : 'correct it'
    return `${name}:${line}:${column}: expected ${expected}, got ${got}: ${next}`
  }
  if (isCut) {
    const whole = format === 'json' ? 'JSON to its end' : 'a record as long as its prefix says'
    return `${name}:${number}: expected ${whole}, got a part that was cut off`
  }
  if (format === 'whole') return `${name}: expected at most ${MAX_WHOLE_BYTES} bytes, got more`
  return `${name}:${number}: expected a payload of at most ${MAX_RECORD_BYTES} bytes, got more`
}

/** Removes the text before the first record or the CSV header, in text formats. */
export function readable(
  pieces: AsyncIterable<Uint8Array>,
  splitter: Splitter,
  {
    format,
    headerLines,
    name,
  }: Pick<RecordForm, 'format' | 'headerLines'> & { readonly name?: string | undefined },
): AsyncIterable<Uint8Array> {
  if (format === 'length-prefixed' || format === 'chunks' || format === 'whole') return pieces
  // Do not skip the last header line of CSV, because it is read as a record and may span several lines.
  const skipLines = format === 'csv' ? Math.max(0, (headerLines ?? 1) - 1) : headerLines
  return textPieces(pieces, splitter, { format, skipLines, name })
}
