import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from '../../base/bytes/checksum.js'
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

/** Computes the checksum of the bytes between two places. */
export async function checksumOf(pieces: RandomAccess, start: number, end: number): Promise<number> {
  let sum = 0
  for (let at = start; at < end; ) {
    const piece = await pieces.from(at, 1)
    const length = Math.min(piece.length, end - at)
    sum = crc32(piece, 0, length, sum)
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
    const file = await openFile(path)
    const stat = await file?.stat()
    if (file && stat?.isFile()) return new FilePieces(file, stat.size)
    await file?.close()
    return undefined
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

async function openFile(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}
