import { join } from '../../../foundation/base/bytes/join.js'

// ZIP as in packs (PKWARE APPNOTE, 4.3): every entry is stored uncompressed, its sizes come before it, and nothing optional is used. A list
// of names and bytes therefore has one spelling as a file, and all readers see the same contents.

/** Entry of the directory. */
export interface ZipEntry {
  /** Name in ASCII. */
  readonly name: string
  readonly bytes: number
  /** CRC-32 of the contents. */
  readonly crc: number
  /** Offset of the entry's header. */
  readonly at: number
}

/**
 * Maximum bytes of a pack: without ZIP64, sizes and offsets have four bytes. The number of entries has two, which is enough for full parts.
 */
export const MAX_PACK_BYTES = 2 ** 32 - 1
/** Length of a local file header without the name (4.3.7). */
export const HEADER_BYTES = 30
const DIRECTORY_BYTES = 46
const END_BYTES = 22
/** Signatures of 4.3.7, 4.3.12 and 4.3.16. */
export const ENTRY_SIGNATURE = 0x04034b50
const DIRECTORY_SIGNATURE = 0x02014b50
const END_SIGNATURE = 0x06054b50
/** Version 1.0, which supports stored files only (4.4.3). */
const VERSION = 10
/** Midnight of 1980-01-01, the earliest date (4.4.6). The manifest has the time at which the pack was made. */
const NO_DATE = 0x0021

const utf8 = new TextEncoder()

/** Writes numbers of two and four bytes one after the other. */
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

/** Returns the fields that the header and the directory share: from the version to the length of the name. */
function sharedFields({ name, bytes, crc }: ZipEntry) {
  return [
    [2, VERSION],
    [2, 0], // flags: not encrypted, sizes in the header
    [2, 0], // stored
    [2, 0],
    [2, NO_DATE],
    [4, crc],
    [4, bytes],
    [4, bytes],
    [2, name.length],
    [2, 0], // no extra field
  ] as const
}

/** Returns the header before the bytes of an entry. */
export function headerOf(entry: ZipEntry): Uint8Array {
  return join([fields([4, ENTRY_SIGNATURE], ...sharedFields(entry)), utf8.encode(entry.name)]).bytes
}

/** Returns the bytes after the last entry: the directory, and its end. */
export function endOf(entries: readonly ZipEntry[], at: number): Uint8Array {
  const rows = entries.flatMap((entry) => [rowOf(entry), utf8.encode(entry.name)])
  const bytes = rows.reduce((sum, { length }) => sum + length, 0)
  const count = entries.length
  const end = fields(
    [4, END_SIGNATURE],
    [2, 0], // one disk
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

/** Returns the length of {@link endOf} in bytes. */
export function endBytes(entries: readonly ZipEntry[]): number {
  return entries.reduce((sum, { name }) => sum + DIRECTORY_BYTES + name.length, END_BYTES)
}

/** Returns the fields that differ between headers. The caller compares the others with {@link headerOf}. */
export function readHeader(header: Uint8Array) {
  const view = new DataView(header.buffer, header.byteOffset)
  return {
    signature: view.getUint32(0, true),
    crc: view.getUint32(14, true),
    bytes: view.getUint32(18, true),
    nameBytes: view.getUint16(26, true),
  }
}

/** Flags of 4.4.4 that other programs set: deflate levels, sizes after the bytes, names in UTF-8. */
const USUAL_FLAGS = 0x080e
/** Methods stored and deflated, which nearly all programs write (4.4.5). */
const USUAL_METHODS = [0, 8]
/** Highest version (4.4.3). */
const MAX_VERSION = 63

/** Returns whether another program wrote this header. A damaged header of ours differs by one bit, or has impossible values. */
export function isOfAnotherWriter(header: Uint8Array): boolean {
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

/** Returns whether a date has a day from 1 to 31 and a month from 1 to 12 (4.4.6). */
function isDate(date: number): boolean {
  const [day, month] = [date & 31, (date >>> 5) & 15]
  return day > 0 && month > 0 && month <= 12
}

function bitsIn(number: number): number {
  return number === 0 ? 0 : (number & 1) + bitsIn(number >>> 1)
}
