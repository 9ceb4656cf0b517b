import { crc32c } from './checksum.js'

/** The end of a table: two places in it, in 40 bytes, and these eight. */
const FOOTER = 48
const MAGIC = 0xdb4775248b80fb57n
/** Behind each block: a byte with its compression, four with its checksum. */
const TRAILER = 5

/** Where a block is in a table. */
interface Place {
  readonly start: number
  readonly end: number
}

/**
 * Whether all blocks of one of LevelDB's tables are as they were written. LevelDB itself goes by what they say, unless it is
 * told to look at their checksums, which `classic-level` cannot tell it; an assertion about a key that is too short then ends
 * the process. See doc/table_format.md of LevelDB.
 */
export function isWholeTable(file: Uint8Array): boolean {
  try {
    const footer = file.length - FOOTER
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
    if (view.getBigUint64(footer + 40, true) !== MAGIC) return false
    const reader = new Reader(file, footer)
    const [others, index] = [reader.place(), reader.place()]
    if (!isWholeBlock(file, others) || !isWholeBlock(file, index)) return false
    return placesIn(file, index).every((place) => isWholeBlock(file, place))
  } catch {
    // It ends too early.
    return false
  }
}

function isWholeBlock(file: Uint8Array, { start, end }: Place): boolean {
  if (end + TRAILER > file.length) return false
  const checksum = new DataView(file.buffer, file.byteOffset + end + 1, 4).getUint32(0, true)
  const crc = crc32c(file, start, end + 1)
  // Masked, as a checksum of something that has checksums in it would be a weak one.
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0 === checksum
}

/** What an index leads to: entries of three lengths, a piece of a key, and a place; behind them where some of them begin. */
function placesIn(file: Uint8Array, { start, end }: Place): Place[] {
  const restarts = new DataView(file.buffer, file.byteOffset + end - 4, 4).getUint32(0, true)
  const last = end - 4 - 4 * restarts
  const places: Place[] = []
  for (const reader = new Reader(file, start); reader.at < last; ) {
    reader.number()
    const [key, value] = [reader.number(), reader.number()]
    reader.at += key
    const next = reader.at + value
    places.push(reader.place())
    reader.at = next
  }
  return places
}

/** Reads numbers of seven bits a byte, the lowest first. */
class Reader {
  readonly #file: Uint8Array
  at: number

  constructor(file: Uint8Array, at: number) {
    this.#file = file
    this.at = at
  }

  number(): number {
    let number = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#file[this.at++]
      if (byte === undefined) throw new RangeError('it ends too early')
      number += (byte & 127) * factor
      if (byte < 128) return number
    }
  }

  place(): Place {
    const start = this.number()
    return { start, end: start + this.number() }
  }
}
