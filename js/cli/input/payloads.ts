import { extname } from 'node:path'
import type { RecordFormat } from '../../records/format.js'
import { assertFits, type RecordForm, readable, recordIn, splitterFor } from '../../records/read.js'
import { itemsOf } from '../../records/splitter.js'
import type { Session } from '../session.js'
import { dim, shown } from '../terminal/shown.js'
import { uncompressedName, unpack } from './compressed.js'
import type { InputSource } from './source.js'

const BY_NAME: Readonly<Record<string, RecordFormat>> = {
  '.ndjson': 'lines',
  '.jsonl': 'lines',
  '.log': 'lines',
  '.txt': 'lines',
  '.csv': 'csv',
  '.json': 'json',
}

/** Finds out what a record of a file is, by its name without `.gz` or `.zst`; standard input comes line by line. */
export function formatOf({ name }: Pick<InputSource, 'name'>): RecordFormat {
  return name === 'stdin' ? 'lines' : (BY_NAME[extname(uncompressedName(name)).toLowerCase()] ?? 'whole')
}

/** What to say where nothing was found about a file as a whole: by its name, it may have been signed record by record. */
export async function noteRecords(path: string, { err }: Pick<Session, 'err'>): Promise<void> {
  if (path === '-' || formatOf({ name: path }) === 'whole') return
  await err.line(
    dim(
      shown`${path} was looked up as one payload, but annotate and set seal sign each of its records: give them --format whole`,
    ),
  )
}

/** Options of a command that say what in a file is a payload. */
export interface FormatOptions extends Omit<RecordForm, 'format'> {
  readonly format?: RecordFormat
}

/** Finds out how to take records out of a source: by its name, unless a format was asked for. */
export function formOf(
  source: Pick<InputSource, 'name'>,
  { format, chunkBytes, delimiter, headerLines }: FormatOptions,
): RecordForm {
  if (format !== undefined) return { format, chunkBytes, delimiter, headerLines }
  const byName = formatOf(source)
  // In a folder, files of other formats do without.
  const isCsv = byName === 'csv'
  return {
    format: byName,
    chunkBytes,
    delimiter: isCsv ? delimiter : undefined,
    headerLines: isCsv || byName === 'lines' ? headerLines : undefined,
  }
}

/** Reads the bytes that records are taken from. A compressed file is unpacked, unless it is a payload itself, or pieces of it are. */
export function recordBytes(
  source: InputSource,
  { format }: Pick<RecordForm, 'format'>,
): AsyncIterable<Uint8Array> {
  return format === 'whole' || format === 'chunks' ? source.bytes() : unpack(source)
}

/** How to take payloads out of a file. */
export interface Cut extends RecordForm {
  /** Whether somebody may be writing to it: what stands behind the last end of a line is not taken yet. */
  readonly isGrowing: boolean
}

/**
 * The payloads in a source, exactly as they stand there.
 *
 * @throws AlvariumError `CONFIG_INVALID` when it cannot be read, `PAYLOAD_INVALID` when one of them is too long
 */
export async function* payloadsOf(
  source: InputSource,
  { isGrowing, ...form }: Cut,
): AsyncGenerator<Uint8Array, void> {
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
