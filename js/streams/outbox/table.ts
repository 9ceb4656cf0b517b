import { crc32c, masked } from '../../base/bytes/checksum.js'
import { bytesAt, checksumOf, type RandomAccess } from './pieces.js'
import { viewOf } from './record.js'

/** The end of a table: two places in it, in 40 bytes, and these eight. */
const FOOTER = 48
const MAGIC = 0xdb4775248b80fb57n
/** Behind each block: a byte with its compression, four with its checksum. */
const TRAILER = 5
/** A longer index belongs to a table of a gigabyte: LevelDB's have 2 MiB, or one message. */
const LONGEST_INDEX = 8 * 1024 * 1024

/** What the last seven bits of a number count, at most: no place is behind 2^49. */
const LARGEST = 2 ** 42

/** Where a block is in a table. */
interface Block {
  readonly start: number
  readonly end: number
}

/**
 * Whether all blocks of one of LevelDB's tables are as they were written. LevelDB itself goes by what they say, unless it is
 * told to look at their checksums, which `classic-level` cannot tell it; an assertion about a key that is too short then ends
 * the process. See doc/table_format.md of LevelDB.
 */
export async function isWholeTable(file: RandomAccess): Promise<boolean> {
  if (file.size < FOOTER) return false
  const footer = await bytesAt(file, file.size - FOOTER, FOOTER)
  if (viewOf(footer).getBigUint64(40, true) !== MAGIC) return false
  const [others, index] = blocksIn(() => {
    const reader = new Reader(footer)
    return [reader.block(), reader.block()]
  })
  if (!others || !index || index.end - index.start > LONGEST_INDEX) return false
  if (!(await isWholeBlock(file, others)) || !(await isWholeBlock(file, index))) return false
  const entries = await bytesAt(file, index.start, index.end - index.start)
  const blocks = blocksIn(() => blocksOf(entries))
  for (const block of blocks) if (!(await isWholeBlock(file, block))) return false
  return blocks.length > 0
}

async function isWholeBlock(file: RandomAccess, { start, end }: Block): Promise<boolean> {
  if (end + TRAILER > file.size) return false
  const crc = await checksumOf(file, crc32c, start, end + 1)
  const stored = await bytesAt(file, end + 1, TRAILER - 1)
  return masked(crc) === viewOf(stored).getUint32(0, true)
}

/** None if the bytes are something else. */
function blocksIn(read: () => Block[]): Block[] {
  try {
    return read()
  } catch {
    return []
  }
}

/** What an index leads to: entries of three lengths, a piece of a key, and a place; behind them where some of them begin. */
function blocksOf(index: Uint8Array): Block[] {
  const restarts = viewOf(index).getUint32(index.length - 4, true)
  const last = index.length - 4 - 4 * restarts
  const blocks: Block[] = []
  for (const reader = new Reader(index); reader.at < last; ) {
    reader.number()
    const [key, value] = [reader.number(), reader.number()]
    reader.at += key
    const next = reader.at + value
    blocks.push(reader.block())
    reader.at = next
  }
  return blocks
}

/** Reads numbers of seven bits a byte, the lowest first. */
class Reader {
  readonly #bytes: Uint8Array
  at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  number(): number {
    let number = 0
    for (let factor = 1; factor <= LARGEST; factor *= 128) {
      const byte = this.#bytes[this.at++]
      if (byte === undefined) throw new RangeError('it ends too early')
      number += (byte & 127) * factor
      if (byte < 128) return number
    }
    throw new RangeError('it is no number')
  }

  block(): Block {
    const start = this.number()
    return { start, end: start + this.number() }
  }
}
