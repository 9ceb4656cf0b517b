import type { RandomAccess } from './pieces.js'

/**
 * Names of LevelDB files, in which earlier versions of the outbox stored records of the current format. The
 * outbox searches these files for records, and removes them once the records are settled.
 */
const LEVELDB_FILE = /^(?:CURRENT|LOCK|LOG|LOG\.old|opening|MANIFEST-\d+|\d+\.(?:log|ldb|sst|dbtmp))$/
/** Name of the database that earlier outbox versions locked, so that only one outbox opened a folder. */
export const LEVELDB_LOCK_FOLDER = 'opening'
/** Pattern that at least one file name of every LevelDB database matches. */
const DATABASE_FILE = /^(?:CURRENT|\d+\.(?:log|ldb))$/

/** Returns the names of LevelDB files among all names, the oldest file first. */
export function levelDbFiles(names: readonly string[]): string[] {
  if (!names.some((name) => DATABASE_FILE.test(name))) return []
  return names.filter((name) => LEVELDB_FILE.test(name)).sort()
}

/** Size in bytes of the blocks of a LevelDB log. Each block begins with a checksum, a length and a type. */
const BLOCK_BYTES = 32_768
const BLOCK_HEADER_BYTES = 7
const BLOCK_CONTENT_BYTES = BLOCK_BYTES - BLOCK_HEADER_BYTES

/** Contents of a LevelDB log without the headers of the blocks. */
export class LevelDbLog implements RandomAccess {
  readonly size: number
  readonly #file: RandomAccess

  constructor(file: RandomAccess) {
    this.#file = file
    const rest = Math.max(0, (file.size % BLOCK_BYTES) - BLOCK_HEADER_BYTES)
    this.size = Math.floor(file.size / BLOCK_BYTES) * BLOCK_CONTENT_BYTES + rest
  }

  async from(at: number, least: number): Promise<Uint8Array> {
    const first = await this.#inBlock(at)
    if (first.length >= least || at + first.length >= this.size) return first
    const bytes = new Uint8Array(Math.min(Math.max(BLOCK_BYTES, least), this.size - at))
    for (let done = 0; done < bytes.length; ) {
      const part = await this.#inBlock(at + done)
      bytes.set(part.subarray(0, bytes.length - done), done)
      done += part.length
    }
    return bytes
  }

  /** Reads from a position to the end of its block. */
  async #inBlock(at: number): Promise<Uint8Array> {
    const within = at % BLOCK_CONTENT_BYTES
    const length = Math.min(BLOCK_CONTENT_BYTES - within, this.size - at)
    const bytes = await this.#file.from(
      Math.floor(at / BLOCK_CONTENT_BYTES) * BLOCK_BYTES + BLOCK_HEADER_BYTES + within,
      length,
    )
    return bytes.subarray(0, length)
  }
}
