import type { RandomAccess } from './pieces.js'

/**
 * Names of LevelDB's files, in which earlier versions of the outbox stored records. The format of a record is the same
 * as now. These files are searched for records, and removed once the records are settled.
 */
const FILES = /^(?:CURRENT|LOCK|LOG|LOG\.old|opening|MANIFEST-\d+|\d+\.(?:log|ldb|sst|dbtmp))$/
/** Name of a database folder whose lock kept two outboxes from opening a folder at the same time. */
export const FOLDER_OF_LEVEL = 'opening'
/** Names of which every database has at least one. */
const DATABASE = /^(?:CURRENT|\d+\.(?:log|ldb))$/

/** Returns LevelDB's names, in the order in which the files were written. */
export function levelFiles(names: readonly string[]): string[] {
  if (!names.some((name) => DATABASE.test(name))) return []
  return names.filter((name) => FILES.test(name)).sort()
}

/** Size of the blocks of a LevelDB log. Each begins with a header: a checksum, a length and a type. */
const BLOCK = 32_768
const HEADER = 7
const INSIDE = BLOCK - HEADER

/** A log of LevelDB without the headers of its blocks. */
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

  /** Reads from a position to the end of its block. */
  async #inBlock(at: number): Promise<Uint8Array> {
    const within = at % INSIDE
    const length = Math.min(INSIDE - within, this.size - at)
    const bytes = await this.#file.from(Math.floor(at / INSIDE) * BLOCK + HEADER + within, length)
    return bytes.subarray(0, length)
  }
}
