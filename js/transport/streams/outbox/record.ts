import { crc32 } from '../../../foundation/base/bytes/checksum.js'
import { expected, textOf } from '../../../foundation/base/errors.js'
import type { PublishOptions } from '../stream.js'

const VERSION = 2
export const MAGIC = Uint8Array.of(VERSION, 0x41, 0x4c, 0x56)
export const MASK_BYTES = 4

/** Options of `publish` that an outbox stores with a message, and passes to the stream. */
export type StoredOptions = Omit<PublishOptions, 'signal'>

export interface RecordContent {
  readonly message: Uint8Array
  readonly options: StoredOptions
  /** Time of storage in milliseconds since 1970, by the clock of the machine that stored the message. */
  readonly storedAt: number
  /** Total bytes of this record and all earlier ones, also deleted ones. */
  readonly end: number
}

export interface NewRecord {
  readonly number: number
  readonly message: Uint8Array
  readonly options: Uint8Array
  readonly storedAt: number
  readonly end: number
}

/**
 * Layout of a record of version 2. All numbers are little-endian:
 *
 * - four bytes (the version and `ALV`) that mark the beginning of a record in damaged files
 * - the CRC-32 of all bytes after the CRC-32
 * - the length of the record and the length of the options, four bytes each
 * - the number, `storedAt` and `end`, eight bytes each
 * - the options as JSON
 * - the message
 *
 * A message may contain a copy of a record, which a search must not find as a record. An outbox therefore
 * masks a message that contains the first four bytes of a record, as in RFC 6455, 5.3. Four random bytes
 * precede the message, which is combined with them by XOR. The highest bit of the options' length is set.
 * Options need no mask, because JSON has no byte 2.
 */
const CRC = 4
const LENGTH = 8
const OPTIONS = 12
const NUMBER = 16
const STORED_AT = 24
const END = 32
const HEADER = 40
/** Length of the header, with the length of the record in it. */
export const HEAD_LENGTH = HEADER
/** Offset in a record from which its checksum covers all bytes. */
export const CHECKED_FROM = LENGTH
/** Bit in the length of the options that marks a masked message. */
const MASKED_BIT = 0x8000_0000

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Encodes options as JSON. Caches the last result, because messages without trace contexts have the same
 * options.
 */
export function optionBytes(options: object): Uint8Array {
  const json = JSON.stringify(options)
  if (json !== last.json) last = { json, bytes: encoder.encode(json) }
  return last.bytes
}

let last = { json: '', bytes: new Uint8Array() }

/**
 * Returns whether bytes contain the first four bytes of a record. The search of damaged files would otherwise
 * mistake a copy of a record in a message, which anyone may have written, for a stored record.
 */
export function hasMagic(bytes: Uint8Array): boolean {
  // Search for the first byte alone: no JSON message contains it, and the search takes almost no time.
  const first = bytes.indexOf(VERSION)
  if (first < 0) return false
  for (let at = first; at <= bytes.length - MAGIC.length; at++) {
    if (bytes[at] === VERSION && MAGIC.every((byte, next) => bytes[at + next] === byte)) return true
  }
  return false
}

/**
 * Returns a random mask and the masked bytes. No record can begin in them, and authors of messages cannot
 * predict the mask.
 */
function mask(bytes: Uint8Array): Uint8Array {
  const all = new Uint8Array(MASK_BYTES + bytes.length)
  do {
    crypto.getRandomValues(all.subarray(0, MASK_BYTES))
    for (let at = 0; at < bytes.length; at++) {
      all[MASK_BYTES + at] = (bytes[at] as number) ^ (all[at % MASK_BYTES] as number)
    }
  } while (hasMagic(all))
  return all
}

function unmask(all: Uint8Array): Uint8Array {
  // `slice()` of a Buffer would share the memory.
  const bytes = new Uint8Array(all.subarray(MASK_BYTES))
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = (bytes[at] as number) ^ (all[at % MASK_BYTES] as number)
  return bytes
}

export function recordLength(options: Uint8Array, message: Uint8Array): number {
  return HEADER + options.length + (hasMagic(message) ? MASK_BYTES : 0) + message.length
}

/** Returns the minimum length in bytes of a record with this message, whatever its options. */
export function minRecordLength(message: Uint8Array): number {
  return HEADER + message.length
}

export function writeRecord({ number, message, options, storedAt, end }: NewRecord): Uint8Array {
  const isMasked = hasMagic(message)
  const body = isMasked ? mask(message) : message
  const record = new Uint8Array(HEADER + options.length + body.length)
  const view = viewOf(record)
  record.set(MAGIC)
  view.setUint32(LENGTH, record.length, true)
  view.setUint32(OPTIONS, isMasked ? options.length + MASKED_BIT : options.length, true)
  view.setFloat64(NUMBER, number, true)
  view.setFloat64(STORED_AT, storedAt, true)
  view.setFloat64(END, end, true)
  record.set(options, HEADER)
  record.set(body, HEADER + options.length)
  view.setUint32(CRC, crc32(record, LENGTH), true)
  return record
}

/** Reads a record. @throws AlvariumError `STORE_DAMAGED` if the record is damaged or has another number */
export function readRecord(number: number, record: Uint8Array): RecordContent {
  try {
    const head = headAt(record)
    if (head?.length !== record.length || head.checksum !== crc32(record, CHECKED_FROM))
      throw new RangeError('a record whose checksum does not match')
    if (head.number !== number) throw new RangeError(`a record with the number ${head.number}`)
    return contentOf(record)
  } catch (cause) {
    throw expected('STORE_DAMAGED', 'store', `record ${number} as it was stored`, textOf(cause), cause)
  }
}

export interface RecordHead {
  readonly number: number
  readonly storedAt: number
  readonly length: number
  /** Checksum of all bytes from {@link CHECKED_FROM} on. */
  readonly checksum: number
}

/** Reads the header of a record at the start of the bytes, if one begins there. */
export function headAt(bytes: Uint8Array): RecordHead | undefined {
  if (bytes.length < HEADER || MAGIC.some((byte, at) => bytes[at] !== byte)) return undefined
  const view = viewOf(bytes)
  const length = view.getUint32(LENGTH, true)
  const { options, isMasked } = partsIn(view)
  if (length < HEADER + options + (isMasked ? MASK_BYTES : 0)) return undefined
  const [number, storedAt] = [view.getFloat64(NUMBER, true), view.getFloat64(STORED_AT, true)]
  if (!Number.isSafeInteger(number) || number < 0 || !Number.isFinite(storedAt)) return undefined
  return { number, storedAt, length, checksum: view.getUint32(CRC, true) }
}

function partsIn(view: DataView): { options: number; isMasked: boolean } {
  const options = view.getUint32(OPTIONS, true)
  return options < MASKED_BIT
    ? { options, isMasked: false }
    : { options: options - MASKED_BIT, isMasked: true }
}

function contentOf(record: Uint8Array): RecordContent {
  const view = viewOf(record)
  const { options, isMasked } = partsIn(view)
  const message = HEADER + options
  const body = record.subarray(message)
  return {
    // Share no memory with the record.
    message: isMasked ? unmask(body) : new Uint8Array(body),
    options: JSON.parse(decoder.decode(record.subarray(HEADER, message))),
    storedAt: view.getFloat64(STORED_AT, true),
    end: view.getFloat64(END, true),
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
