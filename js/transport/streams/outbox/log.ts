import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { countBefore } from '../../../foundation/base/search.js'
import { carve } from './carve.js'
import { bytesAt } from './pieces.js'
import { OpenSegment, readSegment, type Segment, type SegmentList } from './segment.js'
import type { StoredRecord } from './store.js'

/** Size in bytes at which a file is full, so that the next record begins a new file. */
const MIN_FULL_BYTES = 1024 * 1024

interface RecordPlace {
  readonly number: number
  readonly segment: Segment
  readonly at: number
  readonly length: number
}

/**
 * Log of the records in a folder, in append-only files. Each process begins its own file, so that no record
 * follows one that a killed process wrote in part. The log removes a file when all records in it are settled.
 */
export class RecordLog {
  readonly #folder: string
  /** Places of the unsettled records, in the order of their numbers. */
  #places: RecordPlace[] = []
  #segments: Segment[]
  #open: OpenSegment | undefined
  #nextFile: number
  #settled: number
  #unchecked = 0
  #appending: Promise<unknown> = Promise.resolve()
  #reading: Promise<unknown> = Promise.resolve()

  private constructor(folder: string, found: SegmentList, settled: number) {
    this.#folder = folder
    this.#segments = found.segments
    this.#nextFile = found.next
    this.#settled = settled
  }

  /** Opens a log. Finds every intact record after the last settled record. */
  static async open(folder: string, found: SegmentList, settled: number): Promise<RecordLog> {
    const log = new RecordLog(folder, found, settled)
    for (const segment of found.segments) await log.#search(segment)
    log.#places = newestOf(log.#places)
    return log
  }

  get numbers(): number[] {
    return this.#places.map(({ number }) => number)
  }

  /** Number of possible records that {@link carve} has skipped without a check. */
  get unchecked(): number {
    return this.#unchecked
  }

  append(first: number, records: readonly Uint8Array[]): Promise<void> {
    const appending = this.#append(first, records)
    this.#appending = appending.catch(() => {})
    return appending
  }

  read(from: number, maxCount: number): Promise<StoredRecord[]> {
    const start = this.#indexOf(from)
    const reading = recordsAt(this.#places.slice(start, start + maxCount))
    this.#reading = reading.catch(() => {})
    return reading
  }

  /** Removes the files whose records are all settled. */
  async deleteThrough(number: number): Promise<void> {
    this.#settled = Math.max(this.#settled, number)
    this.#places.splice(0, this.#indexOf(number + 1))
    await this.#removeSettled()
  }

  /** Closes the last file, and removes settled ones. */
  async close(): Promise<void> {
    await this.#appending
    await this.#endFile()
    await this.#removeSettled()
  }

  async #search(segment: Segment): Promise<void> {
    await readSegment(segment.path, async (pieces) => {
      for await (const { number, at, length } of carve(pieces, () => this.#unchecked++)) {
        segment.last = Math.max(segment.last, number)
        if (number > this.#settled) this.#places.push({ number, segment, at, length })
      }
    })
  }

  async #append(first: number, records: readonly Uint8Array[]): Promise<void> {
    const segment = await this.#writable()
    // Set `last` first, so that `deleteThrough` does not remove the file during the write.
    segment.last = Math.max(segment.last, first + records.length - 1)
    let at = await segment.add(Buffer.concat(records)).catch(async (error) => {
      await this.#endFile()
      throw error
    })
    this.#places.splice(this.#indexOf(first))
    for (const [index, { length }] of records.entries()) {
      this.#places.push({ number: first + index, segment, at, length })
      at += length
    }
  }

  async #writable(): Promise<OpenSegment> {
    if (this.#open && this.#open.size >= MIN_FULL_BYTES) await this.#endFile()
    this.#open ??= await OpenSegment.create(join(this.#folder, `records-${this.#nextFile++}`))
    return this.#open
  }

  /** Closes the current file: the next record begins another. */
  async #endFile(): Promise<void> {
    const segment = this.#open
    if (!segment) return
    this.#open = undefined
    this.#segments.push(segment)
    await segment.close()
  }

  async #removeSettled(): Promise<void> {
    await this.#reading
    for (const segment of this.#segments.filter(({ last }) => last <= this.#settled)) {
      await rm(segment.path, { force: true, recursive: true })
      this.#segments = this.#segments.filter((each) => each !== segment)
    }
  }

  #indexOf(number: number): number {
    const places = this.#places
    return countBefore(places.length, (at) => (places[at] as RecordPlace).number < number)
  }
}

/**
 * Sorts places by number. If two places have the same number, only the later one counts, because the call
 * that stored the earlier record was rejected.
 */
function newestOf(places: readonly RecordPlace[]): RecordPlace[] {
  const sorted = [...places].sort((one, other) => one.number - other.number)
  return sorted.filter(({ number }, at) => sorted[at + 1]?.number !== number)
}

/** Reads the records at the given places, damaged or not. Skips places in files that no longer exist. */
async function recordsAt(places: readonly RecordPlace[]): Promise<StoredRecord[]> {
  const found: StoredRecord[] = []
  for (let at = 0; at < places.length; ) {
    const { segment } = places[at] as RecordPlace
    const other = places.findIndex((place, index) => index > at && place.segment !== segment)
    const inFile = places.slice(at, other < 0 ? places.length : other)
    await readSegment(segment.path, async (pieces) => {
      for (const { number, at, length } of inFile)
        found.push({ number, bytes: await bytesAt(pieces, at, length) })
    })
    at += inFile.length
  }
  return found
}
