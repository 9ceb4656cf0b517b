import { type FileHandle, open } from 'node:fs/promises'
import { crc32c, masked } from '../../base/bytes/checksum.js'
import { isMissing } from './folder.js'

/** Bytes that are read at a time, and kept in memory: a file may be large, and whatever else the process does has its turn in between. */
const PIECE = 256 * 1024

/** Bytes that are read as they are needed. */
export interface RandomAccess {
  readonly size: number
  /** What is in memory from there on: at least so many bytes, fewer only at the end of the file. Valid until the next call. */
  from(at: number, least: number): Promise<Uint8Array>
}

/** A copy of so many bytes from there on. */
export async function bytesAt(pieces: RandomAccess, at: number, length: number): Promise<Uint8Array> {
  return (await pieces.from(at, length)).slice(0, length)
}

/** The checksum of what is between two places. */
export async function checksumOf(
  pieces: RandomAccess,
  checksum: typeof crc32c,
  start: number,
  end: number,
): Promise<number> {
  let sum = 0
  for (let at = start; at < end; ) {
    const piece = await pieces.from(at, 1)
    const length = Math.min(piece.length, end - at)
    sum = checksum(piece, 0, length, sum)
    at += length
  }
  return sum
}

/** A file, in pieces. */
export class FilePieces implements RandomAccess {
  readonly size: number
  readonly #file: FileHandle
  #bytes = new Uint8Array()
  #start = 0
  #end = 0

  private constructor(file: FileHandle, size: number) {
    this.#file = file
    this.size = size
  }

  /** Nothing if there is no file. */
  static async open(path: string): Promise<FilePieces | undefined> {
    try {
      const file = await open(path, 'r')
      return new FilePieces(file, (await file.stat()).size)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  async from(at: number, least: number): Promise<Uint8Array> {
    const end = Math.min(at + least, this.size)
    if (at < this.#start || end > this.#end) await this.#read(at, Math.max(PIECE, end - at))
    return this.#bytes.subarray(at - this.#start, this.#end - this.#start)
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  async #read(at: number, length: number): Promise<void> {
    // Another one than before when it has to be longer; never one for each piece, which a collection would have to find.
    if (this.#bytes.length < length || this.#bytes.length > 2 * PIECE) this.#bytes = new Uint8Array(length)
    this.#start = this.#end = at
    while (this.#end < Math.min(at + length, this.size)) {
      const { bytesRead } = await this.#file.read(
        this.#bytes,
        this.#end - at,
        length - (this.#end - at),
        this.#end,
      )
      if (bytesRead === 0) throw new RangeError(`the file ended at ${this.#end} while it was read`)
      this.#end += bytesRead
    }
  }
}

/** LevelDB cuts its logs into blocks, each of which begins with a header of its own. */
const BLOCK = 32_768
/** A checksum of what comes after it, four bytes; a length, two; and a type, which the checksum covers. */
const HEADER = 7
const TYPE = 6
const INSIDE = BLOCK - HEADER

/** A log of LevelDB's without the headers of its blocks. */
export class LogPieces implements RandomAccess {
  readonly size: number
  readonly #file: RandomAccess

  constructor(file: RandomAccess) {
    this.#file = file
    const rest = Math.max(0, (file.size % BLOCK) - HEADER)
    this.size = Math.floor(file.size / BLOCK) * INSIDE + rest
  }

  async from(at: number, least: number): Promise<Uint8Array> {
    const first = await this.#inBlock(at)
    if (first.length >= least || at + first.length >= this.size) return first
    const bytes = new Uint8Array(Math.min(Math.max(BLOCK, least), this.size - at))
    for (let done = 0; done < bytes.length; ) {
      const part = await this.#inBlock(at + done)
      bytes.set(part.subarray(0, bytes.length - done), done)
      done += part.length
    }
    return bytes
  }

  /** From there to the end of its block. */
  async #inBlock(at: number): Promise<Uint8Array> {
    const within = at % INSIDE
    const length = Math.min(INSIDE - within, this.size - at)
    const bytes = await this.#file.from(Math.floor(at / INSIDE) * BLOCK + HEADER + within, length)
    return bytes.subarray(0, length)
  }
}

/** Whether a file begins as a log does, whatever its name is. */
export async function beginsAsLog(file: RandomAccess): Promise<boolean> {
  if (file.size < HEADER) return false
  const { buffer, byteOffset } = await bytesAt(file, 0, HEADER)
  const view = new DataView(buffer, byteOffset, HEADER)
  const end = HEADER + view.getUint16(4, true)
  if (end > Math.min(file.size, BLOCK)) return false
  return masked(await checksumOf(file, crc32c, TYPE, end)) === view.getUint32(0, true)
}
