import { join } from '../base/bytes/join.js'

// ZIP as a pack has it (PKWARE APPNOTE, 4.3): every entry stored, its sizes before it, and nothing that is optional. So a list of
// names and bytes has one spelling as a file, and there is nothing in it that one reader sees and another does not.

/** What the directory says of an entry. */
export interface ZipEntry {
  /** ASCII. */
  readonly name: string
  readonly bytes: number
  /** CRC-32 of its bytes. */
  readonly crc: number
  /** Where its header begins. */
  readonly at: number
}

/** Without ZIP64, sizes and places have four bytes. The number of entries has two: parts that are full are fewer. */
export const LONGEST_PACK = 2 ** 32 - 1
/** 4.3.7, without the name. */
export const HEADER_BYTES = 30
const DIRECTORY_BYTES = 46
const END_BYTES = 22
/** 4.3.7, 4.3.12 and 4.3.16. */
export const ENTRY_SIGNATURE = 0x04034b50
const DIRECTORY_SIGNATURE = 0x02014b50
const END_SIGNATURE = 0x06054b50
/** 4.4.3: 1.0, which knows of stored files alone. */
const VERSION = 10
/** 4.4.6: midnight of 1980-01-01, the first that there is. A manifest says when a pack was made. */
const NO_DATE = 0x0021

const utf8 = new TextEncoder()

/** Numbers of two and four bytes, one behind the other. */
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

/** What the header and the directory say alike: from the version to the length of the name. */
function described({ name, bytes, crc }: ZipEntry) {
  return [
    [2, VERSION],
    [2, 0], // flags: nothing is encrypted, nothing comes later
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

/** What stands before the bytes of an entry. */
export function headerOf(entry: ZipEntry): Uint8Array {
  return join([fields([4, ENTRY_SIGNATURE], ...described(entry)), utf8.encode(entry.name)]).bytes
}

/** What stands behind the bytes of all: the directory, and its end. */
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
    ...described(entry),
    [2, 0], // no comment
    [2, 0],
    [2, 0],
    [4, 0],
    [4, entry.at],
  )
}

/** How many bytes {@link endOf} has. */
export function endBytes(entries: readonly ZipEntry[]): number {
  return entries.reduce((sum, { name }) => sum + DIRECTORY_BYTES + name.length, END_BYTES)
}

/** What a header says that is not the same in all of them. What else it says is compared with {@link headerOf}. */
export function readHeader(header: Uint8Array) {
  const view = new DataView(header.buffer, header.byteOffset)
  return {
    signature: view.getUint32(0, true),
    crc: view.getUint32(14, true),
    bytes: view.getUint32(18, true),
    nameBytes: view.getUint16(26, true),
  }
}

/** 4.4.4: deflated better or worse, with sizes behind the bytes, with names in UTF-8. */
const USUAL_FLAGS = 0x080e
/** 4.4.5: stored and deflated, which nearly all programs write. */
const USUAL_METHODS = [0, 8]
/** 4.4.3: no version is higher. */
const MAX_VERSION = 63

/**
 * Returns whether a header is one as other programs write them, and not one of ours that was damaged: in that, one bit is different, or nothing
 * makes sense.
 */
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

/** 4.4.6: a day from 1 to 31 of a month from 1 to 12. */
function isDate(date: number): boolean {
  const [day, month] = [date & 31, (date >>> 5) & 15]
  return day > 0 && month > 0 && month <= 12
}

function bitsIn(number: number): number {
  return number === 0 ? 0 : (number & 1) + bitsIn(number >>> 1)
}
