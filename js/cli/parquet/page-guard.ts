import type { PageHeader } from 'hyparquet'
import type { readPage } from 'hyparquet/src/column.js'
import { decompressPage } from 'hyparquet/src/datapage.js'
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js'
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js'
import { ParquetFault } from './fault.js'

type Decoder = Parameters<typeof readPage>[2]

export interface PlainPage {
  readonly header: PageHeader
  readonly bytes: Uint8Array
  /** Bytes that the decoded values need in memory in addition to the page. */
  readonly extraBytes: number
}

/**
 * Decompresses a page and checks its counts. Without this check, hyparquet would trust an altered byte that
 * announces a run of 2^30 values, and allocate all of them.
 *
 * @throws ParquetFault for a run of more values than the page has
 */
export function unpackPage(packed: Uint8Array, header: PageHeader, decoder: Decoder): PlainPage {
  const { uncompressed_page_size: size, data_page_header: first, data_page_header_v2: second } = header
  const { codec, compressors, schemaPath } = decoder
  const unpack = (bytes: Uint8Array, length: number) => decompressPage(bytes, length, codec, compressors)
  const levels = [getMaxRepetitionLevel(schemaPath), getMaxDefinitionLevel(schemaPath)].map(widthOf)
  if (!second) {
    const bytes = unpack(packed, size)
    const sizes = { compressed_page_size: bytes.length, uncompressed_page_size: bytes.length }
    const extraBytes = first ? checkFirst(bytes, levels, first, decoder) : 0
    return { bytes, extraBytes, header: { ...header, ...sizes } }
  }
  const { repetition_levels_byte_length: middle, num_values: count, encoding } = second
  const end = middle + second.definition_levels_byte_length
  for (const [at, bytes] of [packed.subarray(0, middle), packed.subarray(middle, end)].entries())
    if (levels[at]) assertRuns(bytes, levels[at], count)
  const isPacked = second.is_compressed !== false && size > end
  const values = isPacked ? unpack(packed.subarray(end), size - end) : packed.subarray(end)
  const extraBytes = checkValues(values, encoding, count, decoder)
  const bytes = Buffer.concat([packed.subarray(0, end), values])
  const sizes = { compressed_page_size: bytes.length, uncompressed_page_size: bytes.length }
  return {
    bytes,
    extraBytes,
    header: { ...header, ...sizes, data_page_header_v2: { ...second, is_compressed: false } },
  }
}

/** Checks a version 1 data page, where each block of levels has a length prefix and precedes the values. */
function checkFirst(
  bytes: Uint8Array,
  levels: readonly number[],
  { num_values: count, encoding }: NonNullable<PageHeader['data_page_header']>,
  decoder: Decoder,
): number {
  let at = 0
  for (const width of levels) if (width > 0) at = assertBlock(bytes, at, width, count)
  return checkValues(bytes.subarray(at), encoding, count, decoder)
}

/** Checks the values of a page. Returns the bytes that they need in memory in addition to the page. */
function checkValues(bytes: Uint8Array, encoding: string, count: number, { type }: Decoder): number {
  if (encoding.endsWith('_DICTIONARY')) assertRuns(bytes.subarray(1), bytes[0] ?? 0, count)
  else if (encoding === 'RLE' && type === 'BOOLEAN') assertBlock(bytes, 0, 1, count)
  return encoding === 'DELTA_BYTE_ARRAY' ? repeatedBytes(bytes, count) : 0
}

/** Returns the total length of the prefixes that DELTA_BYTE_ARRAY values share with their predecessors. */
function repeatedBytes({ buffer, byteOffset, length }: Uint8Array, count: number): number {
  const lengths = new Int32Array(count)
  deltaBinaryUnpack({ view: new DataView(buffer, byteOffset, length), offset: 0 }, count, lengths)
  return lengths.reduce((sum, one) => sum + Math.max(0, one), 0)
}

/** Checks an RLE/bit-packed hybrid block with a length prefix of four bytes, and returns the offset after it. */
function assertBlock(bytes: Uint8Array, at: number, width: number, count: number): number {
  const start = at + 4
  const end = start + new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(at, true)
  assertRuns(bytes.subarray(start, end), width, count)
  return end
}

/**
 * Checks an RLE/bit-packed hybrid block. Permits 7 values more than `count`, because bit-packed values come
 * in groups of 8.
 *
 * @throws ParquetFault if it contains more values
 */
function assertRuns(bytes: Uint8Array, width: number, count: number): void {
  let [at, seen] = [0, 0]
  while (at < bytes.length && seen < count) {
    let [header, unit] = [0, 1]
    for (let byte = 0x80; byte >= 0x80 && unit < 2 ** 35; unit *= 128) {
      byte = bytes[at++] ?? 0
      header += (byte % 128) * unit
    }
    const length = Math.floor(header / 2)
    seen += header % 2 === 1 ? 8 * length : length
    at += header % 2 === 1 ? width * length : Math.ceil(width / 8)
  }
  if (seen > count + 7) throw new ParquetFault(`at most ${count} values in a page`, 'more')
}

/** Returns the number of bits that encode levels up to a maximum. */
function widthOf(level: number): number {
  return 32 - Math.clz32(level)
}
