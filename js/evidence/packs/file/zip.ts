import { join } from '../../../foundation/base/bytes/join.js'

// Reads and writes ZIP as packs use it (PKWARE APPNOTE, 4.3). Every entry is stored uncompressed, its header
// contains the sizes, and no optional field is used. The same parts therefore always give the same file, and
// all readers see the same contents.

export interface ZipEntry {
  /** Name of the entry in ASCII. */
  readonly name: string
  readonly bytes: number
  readonly crc: number
  /** Offset of the entry's header in the file, in bytes. */
  readonly at: number
}

/**
 * Maximum length of a pack in bytes, because sizes and offsets have four bytes without ZIP64. The two bytes for
 * the number of entries suffice, because a pack of this length has about 4,100 parts.
 */
export const MAX_PACK_BYTES = 2 ** 32 - 1
/** Length in bytes of a local file header without the name (APPNOTE 4.3.7). */
export const HEADER_BYTES = 30
const DIRECTORY_BYTES = 46
const END_BYTES = 22
/** Signatures: local file header, directory entry, directory's end (APPNOTE 4.3.7, 4.3.12, 4.3.16). */
export const ENTRY_SIGNATURE = 0x04034b50
const DIRECTORY_SIGNATURE = 0x02014b50
const END_SIGNATURE = 0x06054b50
/** ZIP version 1.0, which suffices to extract stored files (APPNOTE 4.4.3). */
const VERSION = 10
/** MS-DOS date of 1980-01-01, the earliest (APPNOTE 4.4.6). The manifest states when the pack was made. */
const NO_DATE = 0x0021

const utf8 = new TextEncoder()

function fields(...given: readonly (readonly [bytes: 2 | 4, value: number])[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(given.reduce((sum, [bytes]) => sum + bytes, 0)))
  let at = 0
  for (const [bytes, value] of given) {
    if (bytes === 2) view.setUint16(at, value, true)
    else view.setUint32(at, value, true)
    at += bytes
  }
  return new Uint8Array(view.buffer)
}

/** Returns the fields of headers and directory entries from the version to the extra field's length. */
function sharedFields({ name, bytes, crc }: ZipEntry) {
  return [
    [2, VERSION],
    [2, 0], // flags: not encrypted, sizes in the header
    [2, 0], // method: stored
    [2, 0],
    [2, NO_DATE],
    [4, crc],
    [4, bytes],
    [4, bytes],
    [2, name.length],
    [2, 0], // no extra field
  ] as const
}

export function headerOf(entry: ZipEntry): Uint8Array {
  return join([fields([4, ENTRY_SIGNATURE], ...sharedFields(entry)), utf8.encode(entry.name)]).bytes
}

/** Returns the bytes that follow the last entry: the directory and its end record. */
export function endOf(entries: readonly ZipEntry[], at: number): Uint8Array {
  const rows = entries.flatMap((entry) => [rowOf(entry), utf8.encode(entry.name)])
  const bytes = rows.reduce((sum, { length }) => sum + length, 0)
  const count = entries.length
  const end = fields(
    [4, END_SIGNATURE],
    [2, 0], // number of this disk
    [2, 0],
    [2, count],
    [2, count],
    [4, bytes],
    [4, at],
    [2, 0], // no comment
  )
  return join([...rows, end]).bytes
}

function rowOf(entry: ZipEntry): Uint8Array {
  return fields(
    [4, DIRECTORY_SIGNATURE],
    [2, VERSION],
    ...sharedFields(entry),
    [2, 0], // no comment
    [2, 0],
    [2, 0],
    [4, 0],
    [4, entry.at],
  )
}

export function endBytes(entries: readonly ZipEntry[]): number {
  return entries.reduce((sum, { name }) => sum + DIRECTORY_BYTES + name.length, END_BYTES)
}

/** Parses the fields that differ between headers. The caller compares the others with {@link headerOf}. */
export function readHeader(header: Uint8Array) {
  const view = new DataView(header.buffer, header.byteOffset)
  return {
    signature: view.getUint32(0, true),
    crc: view.getUint32(14, true),
    bytes: view.getUint32(18, true),
    nameBytes: view.getUint16(26, true),
  }
}

/** Flags that other programs set (APPNOTE 4.4.4): deflate levels, sizes after the bytes, names in UTF-8. */
const USUAL_FLAGS = 0x080e
/** Compression methods of nearly all programs: stored and deflated (APPNOTE 4.4.5). */
const USUAL_METHODS = [0, 8]
/** Highest ZIP version that the APPNOTE defines (4.4.3). */
const MAX_VERSION = 63

/**
 * Returns whether another program seems to have written a header. Returns false if the header is only
 * damaged: if a single bit differs from a header of the SDK, or a value is impossible.
 */
export function isFromOtherZipWriter(header: Uint8Array): boolean {
  const view = new DataView(header.buffer, header.byteOffset)
  const at = (place: number) => view.getUint16(place, true)
  const [version, flags, method, time, date, extra] = [at(4), at(6), at(8), at(10), at(12), at(28)]
  const isUsual =
    version >= VERSION &&
    version <= MAX_VERSION &&
    (flags & ~USUAL_FLAGS) === 0 &&
    USUAL_METHODS.includes(method) &&
    isDate(date)
  const differing = [version ^ VERSION, flags, method, time, date ^ NO_DATE, extra]
  return isUsual && differing.reduce((sum, bits) => sum + bitsIn(bits), 0) > 1
}

/** Returns whether an MS-DOS date has a day from 1 to 31 and a month from 1 to 12 (APPNOTE 4.4.6). */
function isDate(date: number): boolean {
  const [day, month] = [date & 31, (date >>> 5) & 15]
  return day > 0 && month > 0 && month <= 12
}

function bitsIn(number: number): number {
  return number === 0 ? 0 : (number & 1) + bitsIn(number >>> 1)
}
