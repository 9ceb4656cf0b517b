import { join } from 'node:path'
import { type Carved, carve } from './carve.js'
import { filesIn } from './folder.js'
import { type Mark, readMark } from './mark.js'
import { bytesAt, FilePieces, LogPieces, type Pieces } from './pieces.js'
import type { StoredRecord } from './store.js'

/** Where a record was found. */
interface Place {
  readonly path: string
  /** Whether the headers of a log's blocks are in between. */
  readonly isInLog: boolean
  readonly at: number
  readonly length: number
  readonly storedAt: number
}

/** A longer one is no mark: it has at most a thousand ranges. */
const LONGEST_MARK = 1024 * 1024

/** Intact records in the files of some folders, and the newest mark. Where they are is kept, and not what is in them. */
export class Findings {
  /** In the order in which they lie in their files. */
  readonly #places = new Map<number, Place>()
  readonly #isWanted: (number: number) => boolean
  #mark: { bytes: Uint8Array; says: Mark } | undefined

  private constructor(isWanted: (number: number) => boolean) {
    this.#isWanted = isWanted
  }

  /** Every intact record that is wanted, in whatever file of the folders it is. */
  static async in(folders: readonly string[], isWanted: (number: number) => boolean): Promise<Findings> {
    const found = new Findings(isWanted)
    for (const folder of folders) {
      for (const name of await filesIn(folder)) await found.#search(join(folder, name))
    }
    return found
  }

  get mark(): Uint8Array | undefined {
    return this.#mark?.bytes
  }

  get size(): number {
    return this.#places.size
  }

  numbers(): number[] {
    return [...this.#places.keys()].sort((one, other) => one - other)
  }

  /** As a store's `read`. */
  async read(from: number, most: number): Promise<StoredRecord[]> {
    const numbers = this.numbers().filter((number) => number >= from)
    const found: StoredRecord[] = []
    for await (const [number, bytes] of this.records(numbers.slice(0, most))) found.push({ number, bytes })
    return found
  }

  forgetThrough(number: number): void {
    for (const each of this.#places.keys()) if (each <= number) this.#places.delete(each)
  }

  /** Every record with its number, or those with these numbers. */
  async *records(numbers: Iterable<number> = this.#places.keys()): AsyncGenerator<[number, Uint8Array]> {
    let file: { path: string; pieces: FilePieces } | undefined
    try {
      for (const number of numbers) {
        const place = this.#places.get(number)
        if (!place) continue
        if (file?.path !== place.path) {
          await file?.pieces.close()
          file = await opened(place.path)
        }
        yield [number, await recordAt(place, file.pieces)]
      }
    } finally {
      await file?.pieces.close()
    }
  }

  async #search(path: string): Promise<void> {
    const file = await FilePieces.open(path)
    if (!file) return
    try {
      // In tables a record lies in one piece; in logs, in one piece but for the headers of blocks.
      for await (const carved of carve(file)) await this.#add(carved, path, false, file)
      const log = new LogPieces(file)
      for await (const carved of carve(log)) await this.#add(carved, path, true, log)
    } finally {
      await file.close()
    }
  }

  async #add(
    { number, at, length, storedAt }: Carved,
    path: string,
    isInLog: boolean,
    pieces: Pieces,
  ): Promise<void> {
    if (number === 0) return this.#addMark(await bytesAt(pieces, at, Math.min(length, LONGEST_MARK)))
    const other = this.#places.get(number)
    // A number is given again when an append has failed: the later one counts.
    if (!this.#isWanted(number) || (other && other.storedAt >= storedAt)) return
    this.#places.delete(number)
    this.#places.set(number, { path, isInLog, at, length, storedAt })
  }

  #addMark(bytes: Uint8Array): void {
    const says = readMark(bytes)
    if (!says) return
    const isNewer = !this.#mark || says.last + says.settled > this.#mark.says.last + this.#mark.says.settled
    if (isNewer) this.#mark = { bytes, says }
  }
}

async function opened(path: string): Promise<{ path: string; pieces: FilePieces }> {
  const pieces = await FilePieces.open(path)
  if (!pieces) throw new RangeError(`expected ${path}, in which records were found, got none`)
  return { path, pieces }
}

function recordAt({ isInLog, at, length }: Place, file: FilePieces): Promise<Uint8Array> {
  return bytesAt(isInLog ? new LogPieces(file) : file, at, length)
}
