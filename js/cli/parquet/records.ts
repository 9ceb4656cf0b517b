import type { FileMetaData } from 'hyparquet'
import { parquetMetadataAsync } from 'hyparquet/src/metadata.js'
import type { SourceRecord } from '../../evidence/records/read.js'
import type { InputSource } from '../input/source.js'
import { endOf } from './chunks.js'
import { unreadableParquet } from './fault.js'
import { openRanges, type Ranges } from './ranges.js'
import { RowReader } from './rows.js'

export type ParquetFormat = 'rows' | 'row-groups'

/**
 * Reads the rows of a Parquet file as JSON, or its row groups as bytes. Memory holds one row group (at most 1
 * GiB) and, for rows, one page per column (together at most 1 GiB).
 *
 * @param by - column with the value that identifies a row
 * @throws Unreadable if the file cannot be read or is damaged; AlvariumError `PAYLOAD_INVALID` if a row has
 * more than 16 MiB, `CONFIG_INVALID` if no column is called `by`
 */
export async function* parquetRecords(
  source: InputSource,
  format: ParquetFormat,
  by?: string,
): AsyncGenerator<SourceRecord[], void> {
  const file = await openRanges(source)
  const reader = new (format === 'rows' ? RowReader : GroupReader)(file, source.name)
  try {
    yield* reader.read(await parquetMetadataAsync(file, { geoparquet: false }), by)
  } catch (error) {
    throw unreadableParquet(reader.place, error)
  } finally {
    await file.close()
  }
}

/** Reader of row groups as bytes. The bytes after the last group are a record, too, so that every byte is signed. */
class GroupReader {
  readonly #file: Ranges
  readonly #name: string
  place: string

  constructor(file: Ranges, name: string) {
    this.#file = file
    this.#name = name
    this.place = name
  }

  async *read({ row_groups }: FileMetaData): AsyncGenerator<SourceRecord[], void> {
    let [number, start] = [0, 0]
    for (const end of [...row_groups.map(endOf), this.#file.byteLength]) {
      this.place = `${this.#name} row group ${++number}`
      const bytes = new Uint8Array(await this.#file.slice(start, end))
      yield [{ bytes, number, name: this.#name }]
      start = end
    }
  }
}
