import { join } from 'node:path'
import { crc32 } from '../../base/bytes/checksum.js'
import { filesIn } from './folder.js'
import { type Mark, readMark } from './mark.js'
import { beginsAsLog, bytesAt, checksumOf, FilePieces, LogPieces, type RandomAccess } from './pieces.js'
import { CHECKED_FROM, HEAD_LENGTH, headAt, MAGIC, type RecordHead } from './record.js'
import type { StoredRecord } from './store.js'

/** Where an intact record is, and what its head says. */
export interface Carved extends RecordHead {
  readonly at: number
}

/**
 * How many times the bytes of a file may be checksummed in vain: so often from the start, and so often again for what was passed.
 * Heads that overlap, each of which says that its record is long, would otherwise take time by the square of the file.
 */
const TIMES = 4

/**
 * Every intact record of version 2 that lies in one piece, wherever it is: neither structure nor name of the file matters. What lies
 * inside of one is passed over with it.
 *
 * @param passedOver - is called for each place where a record may begin that was not looked at, as too much was checksummed in vain
 */
export async function* carve(
  pieces: RandomAccess,
  passedOver: () => void = () => {},
): AsyncGenerator<Carved> {
  let inVain = 0
  const mayBe = ({ at, length }: Carved) => {
    const isAffordable = inVain + length <= TIMES * (pieces.size + at)
    if (!isAffordable) passedOver()
    return isAffordable
  }
  for (let head = await headFrom(pieces, 0, mayBe); head; ) {
    const isRecord = await isIntact(pieces, head)
    if (isRecord) yield head
    else inVain += head.length
    head = await headFrom(pieces, head.at + (isRecord ? head.length : 1), mayBe)
  }
}

/** The first head from there on whose record ends within the file, and may be one. */
async function headFrom(
  pieces: RandomAccess,
  from: number,
  mayBe: (head: Carved) => boolean,
): Promise<Carved | undefined> {
  for (let start = from; start + HEAD_LENGTH <= pieces.size; ) {
    const piece = await pieces.from(start, HEAD_LENGTH)
    for (const within of magicIn(piece)) {
      const head = headAt(piece.subarray(within))
      const at = start + within
      if (head && at + head.length <= pieces.size && mayBe({ ...head, at })) return { ...head, at }
    }
    // One may begin where this piece ends.
    start += piece.length - HEAD_LENGTH + 1
  }
  return undefined
}

/** Where a head may begin, and end, in these bytes. */
function* magicIn({ buffer, byteOffset, byteLength }: Uint8Array): Generator<number> {
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  for (let at = bytes.indexOf(MAGIC); at >= 0; at = bytes.indexOf(MAGIC, at + 1)) {
    if (at + HEAD_LENGTH <= byteLength) yield at
  }
}

async function isIntact(pieces: RandomAccess, { at, length, checksum }: Carved): Promise<boolean> {
  return (await checksumOf(pieces, crc32, at + CHECKED_FROM, at + length)) === checksum
}

/** Where a record was found. */
interface FoundRecord {
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
export class CarvedRecords {
  /** In the order in which they lie in their files. */
  readonly #places = new Map<number, FoundRecord>()
  readonly #isWanted: (number: number) => boolean
  #mark: { bytes: Uint8Array; says: Mark } | undefined
  #unchecked = 0

  private constructor(isWanted: (number: number) => boolean) {
    this.#isWanted = isWanted
  }

  /** Every intact record that is wanted, in whatever file of the folders it is. */
  static async in(folders: readonly string[], isWanted: (number: number) => boolean): Promise<CarvedRecords> {
    const found = new CarvedRecords(isWanted)
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

  /** In how many places a record may begin that were not looked at, see {@link carve}. */
  get unchecked(): number {
    return this.#unchecked
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
      await this.#addMark(file)
      // As it was written, and in no other way: what is no record then may seem to be one.
      const isInLog = path.endsWith('.log') || (await beginsAsLog(file))
      const pieces = isInLog ? new LogPieces(file) : file
      for await (const carved of carve(pieces, () => this.#unchecked++)) this.#add(carved, path, isInLog)
    } finally {
      await file.close()
    }
  }

  #add({ number, at, length, storedAt }: Carved, path: string, isInLog: boolean): void {
    const other = this.#places.get(number)
    // A number is used again after an append has failed: the later record counts.
    if (number === 0 || !this.#isWanted(number) || (other && other.storedAt >= storedAt)) return
    this.#places.delete(number)
    this.#places.set(number, { path, isInLog, at, length, storedAt })
  }

  /** It has a file of its own; one in a message would be whatever somebody likes. */
  async #addMark(file: RandomAccess): Promise<void> {
    const length = headAt(await bytesAt(file, 0, HEAD_LENGTH))?.length ?? 0
    const bytes = await bytesAt(file, 0, Math.min(length, LONGEST_MARK))
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

function recordAt({ isInLog, at, length }: FoundRecord, file: FilePieces): Promise<Uint8Array> {
  return bytesAt(isInLog ? new LogPieces(file) : file, at, length)
}
