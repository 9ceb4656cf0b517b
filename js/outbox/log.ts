import { checksumOf } from './carve.js'
import { crc32c, masked } from './checksum.js'
import { bytesAt, type Pieces } from './pieces.js'

/** LevelDB cuts its logs into blocks, each of which begins with a header of its own. */
const BLOCK = 32_768
/** A checksum of what comes after it, four bytes; a length, two; and a type, which the checksum covers. */
const HEADER = 7
const TYPE = 6
const INSIDE = BLOCK - HEADER

/** A log of LevelDB's without the headers of its blocks. */
export class LogPieces implements Pieces {
  readonly size: number
  readonly #file: Pieces

  constructor(file: Pieces) {
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
export async function beginsAsLog(file: Pieces): Promise<boolean> {
  if (file.size < HEADER) return false
  const { buffer, byteOffset } = await bytesAt(file, 0, HEADER)
  const view = new DataView(buffer, byteOffset, HEADER)
  const end = HEADER + view.getUint16(4, true)
  if (end > Math.min(file.size, BLOCK)) return false
  return masked(await checksumOf(file, crc32c, TYPE, end)) === view.getUint32(0, true)
}
