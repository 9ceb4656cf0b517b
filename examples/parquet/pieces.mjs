// Splits a Parquet file into one piece per row group and one for the footer. Each byte belongs to a piece.

import { createReadStream } from 'node:fs'
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet'

/** @typedef {{ name: string, source: () => import('node:fs').ReadStream }} Piece */

/** @param {string} path @returns {Promise<Piece[]>} */
export async function piecesOf(path) {
  const file = await asyncBufferFromFile(path)
  const { row_groups: groups } = await parquetMetadataAsync(file)
  const ends = groups.map(endOf)
  const pieces = groups.map((_, at) => ({
    name: nameOf(at, groups),
    // A piece begins where the previous row group ends, and the first piece at the file's beginning.
    ...range(path, ends[at - 1] ?? 0, ends[at] ?? 0),
  }))
  return [
    ...pieces,
    { name: 'the footer, with schema and statistics', ...range(path, ends.at(-1) ?? 0, file.byteLength) },
  ]
}

/** Returns the offset after a row group's last column. @param {import('hyparquet').RowGroup} group */
function endOf({ columns }) {
  return Math.max(
    ...columns.map(({ meta_data: meta }) => {
      if (!meta) throw new Error('expected columns that lie in the file, got one elsewhere')
      return Number((meta.dictionary_page_offset ?? meta.data_page_offset) + meta.total_compressed_size)
    }),
  )
}

/** @param {number} at @param {import('hyparquet').RowGroup[]} groups */
function nameOf(at, groups) {
  const before = groups.slice(0, at).reduce((sum, { num_rows: rows }) => sum + Number(rows), 0)
  return `row group ${at + 1} (rows ${before + 1} to ${before + Number(groups[at]?.num_rows)})`
}

/** @param {string} path @param {number} from @param {number} until */
function range(path, from, until) {
  return { source: () => createReadStream(path, { start: from, end: until - 1 }) }
}
