import type { PublishOptions } from '../streams/stream.js'

/** What goes with a message to the stream, and is stored with it. */
export type KeptOptions = Omit<PublishOptions, 'signal'>

/** A message as it waits in the store. */
export interface Stored {
  readonly message: Uint8Array
  readonly options: KeptOptions
  /** Milliseconds since 1970, by the clock of the machine that stored it. */
  readonly storedAt: number
  /** How long this record and all before it have ever been, in bytes: what two of them differ by is stored between them. */
  readonly end: number
}

/**
 * A record: one byte with the version of this layout, two numbers of eight bytes (`storedAt`, `end`), four bytes with the
 * length of the options, the options as JSON, the message. All numbers are little-endian.
 */
const VERSION = 1
const STORED_AT = 1
const END = 9
const LENGTH = 17
const HEADER = 21

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The options as they are stored. */
export function optionBytes(options: KeptOptions): Uint8Array {
  return encoder.encode(JSON.stringify(options))
}

/** How long a record gets, in bytes. */
export function recordLength(options: Uint8Array, message: Uint8Array): number {
  return HEADER + options.length + message.length
}

export function writeRecord(
  message: Uint8Array,
  options: Uint8Array,
  { storedAt, end }: Pick<Stored, 'storedAt' | 'end'>,
): Uint8Array {
  const record = new Uint8Array(recordLength(options, message))
  const view = new DataView(record.buffer)
  view.setUint8(0, VERSION)
  view.setFloat64(STORED_AT, storedAt, true)
  view.setFloat64(END, end, true)
  view.setUint32(LENGTH, options.length, true)
  record.set(options, HEADER)
  record.set(message, HEADER + options.length)
  return record
}

/** @throws RangeError when the bytes are not a record of this version */
export function readRecord(record: Uint8Array): Stored {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength)
  const version = view.getUint8(0)
  if (version !== VERSION)
    throw new RangeError(`store: expected records of version ${VERSION}, got ${version}`)
  const message = HEADER + view.getUint32(LENGTH, true)
  return {
    // A copy, of which nothing else is in the same memory.
    message: new Uint8Array(record.subarray(message)),
    options: JSON.parse(decoder.decode(record.subarray(HEADER, message))),
    storedAt: view.getFloat64(STORED_AT, true),
    end: view.getFloat64(END, true),
  }
}
