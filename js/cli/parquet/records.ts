import type { FileMetaData } from 'hyparquet'
import { parquetMetadataAsync } from 'hyparquet/src/metadata.js'
import type { SourceRecord } from '../../evidence/records/read.js'
import type { InputSource } from '../input/source.js'
import { endOf } from './chunks.js'
import { unreadableParquet } from './fault.js'
import { openRanges, type Ranges } from './ranges.js'
import { RowReader } from './rows.js'

/** Kind of the records of a Parquet file. */
export type ParquetFormat = 'rows' | 'row-groups'

/**
 * Reads the rows of a Parquet file as JSON, or its row groups as they are. In memory are the bytes of one row group, at most 1 GiB, and
 * of rows a page of each column, together at most 1 GiB.
 *
 * @param by - column whose value identifies a row
 * @throws Unreadable if the file cannot be read, or is damaged; AlvariumError `PAYLOAD_INVALID` if a row has more than 16 MiB,
 * `CONFIG_INVALID` if there is no column `by`
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

/** Row groups as they are in the file. The bytes behind the last one are a record, too: every byte is in one. */
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
