import { join } from '../../foundation/base/bytes/join.js'
import { isSame } from '../../foundation/base/bytes/same.js'
import type { Range } from '../pruning/ranges.js'

// Encoding: crate/FORMAT.md, section "Logs of stores".

const NUMBER_BYTES = 8

/** Writes a record of the log: big-endian numbers without separators. */
export class RecordWriter {
  readonly #parts: Uint8Array[] = []

  constructor(firstLine: Uint8Array) {
    this.bytes(firstLine)
  }

  bytes(bytes: Uint8Array): void {
    this.#parts.push(bytes)
  }

  flag(value: boolean): void {
    this.bytes(Uint8Array.of(Number(value)))
  }

  /** Writes a 64-bit signed integer. */
  number(value: number): void {
    const bytes = new Uint8Array(NUMBER_BYTES)
    new DataView(bytes.buffer).setBigInt64(0, BigInt(value))
    this.bytes(bytes)
  }

  /** Writes the number of ranges, and then the first and last number of each. */
  ranges(ranges: readonly Range[]): void {
    const bytes = new Uint8Array(4 + 2 * NUMBER_BYTES * ranges.length)
    const view = new DataView(bytes.buffer)
    view.setUint32(0, ranges.length)
    for (const [at, end] of ranges.flat().entries()) view.setBigInt64(4 + NUMBER_BYTES * at, BigInt(end))
    this.bytes(bytes)
  }

  get record(): Uint8Array {
    return join(this.#parts).bytes
  }
}

/** Reads a record of {@link RecordWriter}. Throws RangeError for a short record and for numbers above 53 bits. */
export class RecordReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #end = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  bytes(count: number): Uint8Array {
    if (this.#end + count > this.#bytes.length) throw new RangeError('a record that ends too early')
    this.#end += count
    return this.#bytes.slice(this.#end - count, this.#end)
  }

  flag(): boolean {
    return this.#view.getUint8(this.#end++) === 1
  }

  number(): number {
    this.#end += NUMBER_BYTES
    const number = Number(this.#view.getBigInt64(this.#end - NUMBER_BYTES))
    if (Number.isSafeInteger(number)) return number
    throw new RangeError('a number of more than 53 bits')
  }

  ranges(): Range[] {
    const count = this.#view.getUint32(this.#end)
    this.#end += 4
    if (this.#end + 2 * NUMBER_BYTES * count > this.#bytes.length)
      throw new RangeError('more ranges than bytes')
    return Array.from({ length: count }, (): Range => [this.number(), this.number()])
  }
}

export function readSpelled<T>(
  bytes: Uint8Array,
  read: (reader: RecordReader) => T,
  write: (record: T) => Uint8Array,
): T | undefined {
  try {
    const record = read(new RecordReader(bytes))
    return isSame(write(record), bytes) ? record : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Returns true if the ranges ascend without overlap and have no negative numbers. */
export function isInOrder(ranges: readonly Range[]): boolean {
  return ranges.every(([first, last], at) => first <= last && first > (ranges[at - 1]?.[1] ?? -1))
}
