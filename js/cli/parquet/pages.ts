import zlib from 'node:zlib'
import type { ColumnMetaData, Compressors, PageHeader, SchemaTree } from 'hyparquet'
import { parquetHeader, readPage } from 'hyparquet/src/column.js'
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { getMaxRepetitionLevel } from 'hyparquet/src/schema.js'
import { ParquetFault } from './fault.js'
import { unpackPage } from './page-guard.js'
import { jsonOfUtf8 } from './texts.js'

/** Maximum total bytes of all open pages. A page of a few bytes may decompress to any length. */
const MAX_OPEN_BYTES = 1024 * 1024 * 1024
/** Estimated bytes of overhead per decoded value. */
const VALUE_BYTES = 16

export class OpenPages {
  #bytes = 0

  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > MAX_OPEN_BYTES)
      throw new ParquetFault(
        `pages of at most ${MAX_OPEN_BYTES} bytes at once`,
        'more: write smaller row groups',
      )
  }
}

const unpack = Reflect.get(zlib, 'zstdDecompressSync') as typeof zlib.gunzipSync | undefined

/** Decompressors of Node.js by Parquet's codec names. Snappy is missing because hyparquet contains it. */
const COMPRESSORS: Compressors = {
  GZIP: (bytes, length) => zlib.gunzipSync(bytes, { maxOutputLength: Math.max(1, length) }),
  BROTLI: (bytes, length) => zlib.brotliDecompressSync(bytes, { maxOutputLength: Math.max(1, length) }),
  ...(unpack && { ZSTD: (bytes, length) => unpack(bytes, { maxOutputLength: Math.max(1, length) }) }),
}

export function assertCodec(codec: string): void {
  if (codec === 'UNCOMPRESSED' || codec === 'SNAPPY' || codec in COMPRESSORS) return
  const names = 'snappy, gzip, brotli or zstd'
  throw new ParquetFault(`columns in ${names}`, codec === 'ZSTD' ? 'zstd: use Node 22.15 or later' : codec)
}

/** Values of one leaf in a row group, in row order. Keeps only the dictionary and one page decoded. */
export class LeafValues {
  readonly #reader: { readonly view: DataView; offset: number }
  readonly #decoder: Parameters<typeof readPage>[2]
  readonly #open: OpenPages
  /** True if the leaf has exactly one value per row. */
  readonly #isFlat: boolean
  #left: number
  #dictionary: ReturnType<typeof convert> | undefined
  /** Rows of the current page. The last row of a nested leaf may continue on the next page. */
  #rows: ArrayLike<unknown> = []
  #at = 0
  #pageBytes = 0

  constructor(bytes: ArrayBuffer, schemaPath: SchemaTree[], meta: ColumnMetaData, open: OpenPages) {
    const { element, path: pathInSchema } = schemaPath.at(-1) as SchemaTree
    const { type, codec } = meta
    this.#reader = { view: new DataView(bytes), offset: 0 }
    this.#decoder = { type, codec, element, pathInSchema, schemaPath, ...DECODING }
    this.#isFlat = getMaxRepetitionLevel(schemaPath) === 0
    this.#left = Number(meta.num_values)
    this.#open = open
  }

  take(count: number): unknown[] {
    const values: unknown[] = []
    for (;;) {
      const end = Math.min(this.#at + count - values.length, this.#whole)
      while (this.#at < end) values.push(this.#rows[this.#at++])
      if (values.length === count) return values
      this.#next()
    }
  }

  end(): void {
    if (this.#left > 0 || this.#at < this.#rows.length)
      throw new ParquetFault('as many values as rows', 'more values')
  }

  get #whole(): number {
    return this.#isFlat || this.#left <= 0 ? this.#rows.length : this.#rows.length - 1
  }

  #next(): void {
    if (!(this.#left > 0)) throw new ParquetFault('as many values as rows', 'fewer values')
    const header = parquetHeader(this.#reader)
    const { view, offset } = this.#reader
    const packed = new Uint8Array(view.buffer, offset, header.compressed_page_size)
    this.#reader.offset += header.compressed_page_size
    const { count, bytes } = sizeOf(header)
    if (header.type === 'DICTIONARY_PAGE') this.#readDictionary(packed, header, bytes)
    else if (count > 0) this.#readRows(packed, header, count, bytes)
  }

  #readDictionary(packed: Uint8Array, header: PageHeader, bytes: number): void {
    if (this.#dictionary) throw new ParquetFault('one dictionary', 'two dictionaries')
    this.#open.add(bytes)
    this.#dictionary = convert(this.#read(packed, header), this.#decoder)
  }

  #readRows(packed: Uint8Array, header: PageHeader, count: number, bytes: number): void {
    const { encoding = '' } = header.data_page_header ?? header.data_page_header_v2 ?? {}
    // Refuse a page without its dictionary: hyparquet would return dictionary indexes as values.
    if (encoding.endsWith('_DICTIONARY') && !this.#dictionary)
      throw new ParquetFault('a dictionary', 'no dictionary')
    const begun = this.#isFlat ? [] : Array.from(this.#rows).slice(this.#at)
    if (begun.length === 0) this.#open.add(-this.#pageBytes)
    this.#pageBytes = begun.length === 0 ? bytes : this.#pageBytes + bytes
    this.#open.add(bytes)
    this.#rows = this.#read(packed, header, begun)
    this.#left -= count
    this.#at = 0
  }

  #read(packed: Uint8Array, header: PageHeader, begun?: unknown[]) {
    const page = unpackPage(packed, header, this.#decoder)
    this.#open.add(page.extraBytes)
    this.#pageBytes += page.extraBytes
    const { buffer, byteOffset, length } = page.bytes
    const reader = { view: new DataView(buffer, byteOffset, length), offset: 0 }
    const decoder = { ...this.#decoder, codec: 'UNCOMPRESSED' as const }
    return readPage(reader, page.header, decoder, this.#dictionary, begun, 0).data ?? []
  }
}

/** Decoding options of hyparquet for physical values. `asStored` removes all logical types except text. */
const DECODING = {
  parsers: {
    ...DEFAULT_PARSERS,
    stringFromBytes: jsonOfUtf8,
    timestampFromNanoseconds: (nanoseconds: bigint) => nanoseconds,
  },
  compressors: COMPRESSORS,
  utf8: false,
}

/** Returns the number of values in a page, and its size in bytes. @throws ParquetFault for invalid counts */
function sizeOf(header: PageHeader): { readonly count: number; readonly bytes: number } {
  const { data_page_header_v2: second, uncompressed_page_size: size } = header
  const { num_values: count = 0 } = header.data_page_header ?? second ?? header.dictionary_page_header ?? {}
  const nulls = second?.num_nulls ?? 0
  if ([size, count, nulls].every((one) => one >= 0) && nulls <= count)
    return { count, bytes: size + count * VALUE_BYTES }
  throw new ParquetFault('a page with values', `${count}, of them ${nulls} null`)
}
