import { checksumOf, type RandomAccess } from './pieces.js'
import { CHECKED_FROM, HEAD_LENGTH, headAt, MAGIC, type RecordHead } from './record.js'

/** Header of a possible record, with its position in the file. */
export interface CarvedRecord extends RecordHead {
  readonly at: number
}

/**
 * Limit for the total length of possible records whose checksums do not match. The limit is this factor
 * times the sum of the file size and the current position. Without it, overlapping headers that each claim
 * a long record take quadratic time.
 */
const MAX_FAILED_PASSES = 4

/**
 * Yields every intact record of version 2 that is in one piece in a file, even if the rest of the file is damaged.
 * Skips records inside of another record.
 *
 * @param onSkip - called for each possible record that is not checked, because too many checksums failed
 */
export async function* carve(
  pieces: RandomAccess,
  onSkip: () => void = () => {},
): AsyncGenerator<CarvedRecord> {
  let wastedBytes = 0
  const isAcceptable = ({ at, length }: CarvedRecord) => {
    const isAffordable = wastedBytes + length <= MAX_FAILED_PASSES * (pieces.size + at)
    if (!isAffordable) onSkip()
    return isAffordable
  }
  for (let head = await headFrom(pieces, 0, isAcceptable); head; ) {
    const isRecord = await isIntact(pieces, head)
    if (isRecord) yield head
    else wastedBytes += head.length
    head = await headFrom(pieces, head.at + (isRecord ? head.length : 1), isAcceptable)
  }
}

/** Returns the first acceptable header at or after `from`. Its record must end within the file. */
async function headFrom(
  pieces: RandomAccess,
  from: number,
  isAcceptable: (head: CarvedRecord) => boolean,
): Promise<CarvedRecord | undefined> {
  for (let start = from; start + HEAD_LENGTH <= pieces.size; ) {
    const piece = await pieces.from(start, HEAD_LENGTH)
    for (const within of magicIn(piece)) {
      const head = headAt(piece.subarray(within))
      const at = start + within
      if (head && at + head.length <= pieces.size && isAcceptable({ ...head, at })) return { ...head, at }
    }
    // A header may continue in the next piece.
    start += piece.length - HEAD_LENGTH + 1
  }
  return undefined
}

/** Yields the offset of each possible record, if the piece contains its whole header. */
function* magicIn({ buffer, byteOffset, byteLength }: Uint8Array): Generator<number> {
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  for (let at = bytes.indexOf(MAGIC); at >= 0; at = bytes.indexOf(MAGIC, at + 1)) {
    if (at + HEAD_LENGTH <= byteLength) yield at
  }
}

async function isIntact(pieces: RandomAccess, { at, length, checksum }: CarvedRecord): Promise<boolean> {
  return (await checksumOf(pieces, at + CHECKED_FROM, at + length)) === checksum
}
