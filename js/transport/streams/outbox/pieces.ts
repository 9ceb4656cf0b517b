import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from '../../../foundation/base/bytes/checksum.js'
import { ifPresent } from '../../../foundation/base/if-present.js'

/** Number of bytes per read, because files may be too large for memory. */
const PIECE_BYTES = 256 * 1024

/** Access to bytes, such as those of a file, that are read on demand. */
export interface RandomAccess {
  readonly size: number
  /**
   * Returns at least `least` bytes, or fewer at the end of the file. The bytes are valid until the next call.
   */
  from(at: number, least: number): Promise<Uint8Array>
}

export async function bytesAt(pieces: RandomAccess, at: number, length: number): Promise<Uint8Array> {
  return (await pieces.from(at, length)).slice(0, length)
}

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

  /** Opens a file. Returns undefined if the path is missing or not a file. */
  static async open(path: string): Promise<FilePieces | undefined> {
    const file = await ifPresent(open(path, 'r'))
    const stat = await file?.stat()
    if (file && stat?.isFile()) return new FilePieces(file, stat.size)
    await file?.close()
    return undefined
  }

  async from(at: number, least: number): Promise<Uint8Array> {
    const end = Math.min(at + least, this.size)
    if (at < this.#start || end > this.#end) await this.#read(at, Math.max(PIECE_BYTES, end - at))
    return this.#bytes.subarray(at - this.#start, this.#end - this.#start)
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  async #read(at: number, length: number): Promise<void> {
    // A new buffer for each piece would burden the garbage collector.
    if (this.#bytes.length < length || this.#bytes.length > 2 * PIECE_BYTES)
      this.#bytes = new Uint8Array(length)
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
