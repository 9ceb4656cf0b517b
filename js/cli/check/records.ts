import { type RecordFormat, readRecords, type SourceRecord } from 'alvarium-sdk/records'
import { formatOf } from '../input/payloads.js'
import { sourcesOf } from '../input/source.js'
import { Unreadable } from '../input/unreadable.js'
import type { Session } from '../session.js'

/** How to take records out of files, as it was asked for. */
interface Cut {
  readonly format?: RecordFormat
  readonly chunkBytes: number
  readonly by?: string
}

/**
 * The records of a file, or of all files in a folder.
 *
 * @throws AlvariumError `CONFIG_INVALID` when a file cannot be read: whether its records were altered could not be told;
 * `PAYLOAD_INVALID` when its records cannot
 */
export async function* recordsOf(
  data: string,
  { format, chunkBytes, by }: Cut,
  { input }: Session,
): AsyncGenerator<SourceRecord, void> {
  for await (const source of sourcesOf(data, input)) {
    if (source instanceof Unreadable) throw source
    const { name } = source
    yield* readRecords(source.bytes(), { format: format ?? formatOf(source), chunkBytes, name, by })
  }
}
