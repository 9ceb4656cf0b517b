import type { ColumnChunk, ColumnMetaData, RowGroup } from 'hyparquet'
import { type Column, pathOf } from './columns.js'
import { ParquetFault } from './fault.js'
import { assertCodec, LeafValues, OpenPages } from './pages.js'
import { MAX_RANGE_BYTES, type Ranges } from './ranges.js'

/**
 * Opens the stored values of each column in a row group.
 *
 * @throws ParquetFault if a column is missing or differs from the schema
 */
export async function openLeaves(
  group: RowGroup,
  columns: readonly Column[],
  file: Ranges,
): Promise<LeafValues[][]> {
  const chunks = group.columns.map(metaOf)
  const bytes = chunks.reduce((sum, meta) => sum + endIn(meta) - startIn(meta), 0)
  if (!(bytes <= MAX_RANGE_BYTES)) throw new ParquetFault(`at most ${MAX_RANGE_BYTES} bytes`, `${bytes}`)
  const byPath = new Map(chunks.map((meta) => [meta.path_in_schema.join('.'), meta]))
  const open = new OpenPages()
  const opened: LeafValues[][] = []
  for (const { leaves } of columns) {
    const values: LeafValues[] = []
    for (const leaf of leaves) {
      const meta = byPath.get(pathOf(leaf))
      if (!meta || meta.type !== leaf.at(-1)?.element.type)
        throw new ParquetFault(`a column ${pathOf(leaf)} as in the schema`, meta?.type ?? 'no column')
      assertCodec(meta.codec)
      values.push(new LeafValues(await file.slice(startIn(meta), endIn(meta)), leaf, meta, open))
    }
    opened.push(values)
  }
  return opened
}

export function endOf({ columns }: RowGroup): number {
  return Math.max(...columns.map((chunk) => endIn(metaOf(chunk))))
}

function metaOf({ meta_data, file_path }: ColumnChunk): ColumnMetaData {
  if (meta_data && file_path === undefined) return meta_data
  throw new ParquetFault(
    'columns in the file',
    meta_data ? 'a column in another file' : 'an encrypted column',
  )
}

function startIn({ dictionary_page_offset, data_page_offset }: ColumnMetaData): number {
  return Number(dictionary_page_offset || data_page_offset)
}

function endIn(meta: ColumnMetaData): number {
  return startIn(meta) + Number(meta.total_compressed_size)
}
