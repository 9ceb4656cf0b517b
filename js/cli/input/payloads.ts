import { extname } from 'node:path'
import { type RecordFormat, readable, recordIn, splitterFor } from '../../records/read.js'
import { itemsOf } from '../../records/splitter.js'
import type { Session } from '../session.js'
import { dim, shown } from '../terminal/shown.js'
import type { InputSource } from './source.js'

const BY_NAME: Readonly<Record<string, RecordFormat>> = {
  '.ndjson': 'lines',
  '.jsonl': 'lines',
  '.log': 'lines',
  '.txt': 'lines',
  '.csv': 'csv',
  '.json': 'json',
}

/** What in a file is a payload, by its name; what is piped in comes line by line. */
export function formatOf({ name }: Pick<InputSource, 'name'>): RecordFormat {
  return name === 'stdin' ? 'lines' : (BY_NAME[extname(name).toLowerCase()] ?? 'whole')
}

/** What to say where nothing was found about a file as a whole: by its name, it may have been signed record by record. */
export async function noteRecords(path: string, { err }: Session): Promise<void> {
  if (path === '-' || formatOf({ name: path }) === 'whole') return
  await err.line(
    dim(
      shown`${path} was asked for as one payload. annotate and set seal take its records: give them --format whole`,
    ),
  )
}

/** How to take payloads out of a file. */
export interface Cut {
  readonly format: RecordFormat
  readonly chunkBytes: number
  /** Whether somebody may be writing to it: what stands behind the last end of a line is not taken yet. */
  readonly isGrowing: boolean
}

/**
 * The payloads in a source, exactly as they stand there.
 *
 * @throws AlvariumError `CONFIG_INVALID` when it cannot be read, `PAYLOAD_INVALID` when one of them is too long
 */
export async function* payloadsOf(
  { name, bytes }: InputSource,
  { format, chunkBytes, isGrowing }: Cut,
): AsyncGenerator<Uint8Array, void> {
  const splitter = splitterFor(format, chunkBytes)
  const taking = isGrowing ? { add: (piece: Uint8Array) => splitter.add(piece), end: () => [] } : splitter
  for await (const items of itemsOf(readable(bytes(), format, name), taking)) {
    for (const item of items) yield recordIn(item, format, name).bytes
  }
}
