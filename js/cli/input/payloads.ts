import { extname } from 'node:path'
import type { RecordFormat } from '../../evidence/records/format.js'
import type { SourceRecord } from '../../evidence/records/read.js'
import { assertFits, type RecordForm, readable, recordIn, splitterFor } from '../../evidence/records/read.js'
import { itemsOf } from '../../evidence/records/splitter.js'
import type { ParquetFormat } from '../parquet/records.js'
import type { Session } from '../session.js'
import { dim, safeText } from '../terminal/safe-text.js'
import { uncompressedName, unpack } from './compressed.js'
import type { InputSource } from './source.js'

/** Format of the records of a file. Parquet is separate because it cannot be read as a stream. */
export type FileFormat = RecordFormat | ParquetFormat

const BY_NAME: Readonly<Record<string, FileFormat>> = {
  '.ndjson': 'lines',
  '.jsonl': 'lines',
  '.log': 'lines',
  '.txt': 'lines',
  '.csv': 'csv',
  '.json': 'json',
  '.parquet': 'rows',
}

/** Returns the format by the file name without `.gz` or `.zst`. Standard input has the format `lines`. */
export function formatOf({ name }: Pick<InputSource, 'name'>): FileFormat {
  return name === 'stdin' ? 'lines' : (BY_NAME[extname(uncompressedName(name)).toLowerCase()] ?? 'whole')
}

/** Prints a note if a file was looked up as one payload, although `annotate` and `set seal` sign its records singly. */
export async function noteRecords(path: string, { err }: Pick<Session, 'err'>): Promise<void> {
  if (path === '-' || formatOf({ name: path }) === 'whole') return
  await err.line(
    dim(
      safeText`${path} was looked up as one payload, but annotate and set seal sign each of its records: give them --format whole`,
    ),
  )
}

/** Options for splitting a file into payloads. Without `format`, the file name determines the format. */
export interface FormatOptions extends Omit<RecordForm, 'format'> {
  readonly format?: FileFormat
}

export interface ParquetForm extends Omit<RecordForm, 'format'> {
  readonly format: ParquetFormat
}

export type FileForm = RecordForm | ParquetForm

export function isParquet(form: FileForm): form is ParquetForm {
  return form.format === 'rows' || form.format === 'row-groups'
}

/** Returns the record format of a source: the requested one, or the one for the file name. */
export function formOf(
  source: Pick<InputSource, 'name'>,
  { format, chunkBytes, delimiter, headerLines }: FormatOptions,
): FileForm {
  if (format !== undefined) return { format, chunkBytes, delimiter, headerLines } as FileForm
  const byName = formatOf(source)
  // Drop the CSV options for other files, because a folder may contain several formats.
  const isCsv = byName === 'csv'
  return {
    format: byName,
    chunkBytes,
    delimiter: isCsv ? delimiter : undefined,
    headerLines: isCsv || byName === 'lines' ? headerLines : undefined,
  } as FileForm
}

/** Returns the bytes of the records. Decompresses the source unless the format is `whole` or `chunks`. */
export function recordBytes(
  source: InputSource,
  { format }: Pick<RecordForm, 'format'>,
): AsyncIterable<Uint8Array> {
  return format === 'whole' || format === 'chunks' ? source.bytes() : unpack(source)
}

/** Reads the records of a Parquet file in groups. */
export async function* parquetIn(
  source: InputSource,
  form: ParquetForm,
  by?: string,
): AsyncGenerator<SourceRecord[], void> {
  assertFits({ ...form, by })
  // Load the Parquet reader lazily, because few inputs are Parquet files.
  const { parquetRecords } = await import('../parquet/records.js')
  yield* parquetRecords(source, form.format, by)
}

export type Cut = FileForm & {
  /** True if another program may append to the file. Bytes after the last line end are then not read yet. */
  readonly isGrowing: boolean
}

/** Yields the payloads of a source with their exact bytes. */
export async function* payloadsOf(
  source: InputSource,
  { isGrowing, ...form }: Cut,
): AsyncGenerator<Uint8Array, void> {
  if (isParquet(form)) {
    for await (const records of parquetIn(source, form)) for (const { bytes } of records) yield bytes
    return
  }
  assertFits(form)
  const { name } = source
  const splitter = splitterFor(form)
  const taking = isGrowing ? { add: (piece: Uint8Array) => splitter.add(piece), end: () => [] } : splitter
  for await (const items of itemsOf(
    readable(recordBytes(source, form), splitter, { ...form, name }),
    taking,
  )) {
    for (const item of items) yield recordIn(item, form.format, name).bytes
  }
}
