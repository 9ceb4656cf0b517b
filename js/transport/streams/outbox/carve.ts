import { checksumOf, type RandomAccess } from './pieces.js'
import { CHECKED_FROM, HEAD_LENGTH, headAt, MAGIC, type RecordHead } from './record.js'

/** Position of an intact record, with its head. */
export interface CarvedRecord extends RecordHead {
  readonly at: number
}

/**
 * Limit for checksums computed without success, as multiples of the file's size: so often from the start, and so often
 * again for the bytes passed. Overlapping heads that each claim a long record would otherwise take time by the square
 * of the file.
 */
const MAX_FAILED_PASSES = 4

/**
 * Yields every intact record of version 2 that is in one piece, anywhere in a file of any structure and name. Records
 * inside a record are skipped.
 *
 * @param onSkip - is called for each possible beginning of a record that was skipped, because too many checksums
 * failed
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

/** Returns the first head from there on whose record ends within the file and is acceptable to `mayBe`. */
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
    // A head may straddle the end of this piece.
    start += piece.length - HEAD_LENGTH + 1
  }
  return undefined
}

/** Yields positions at which a whole head may begin in these bytes. */
function* magicIn({ buffer, byteOffset, byteLength }: Uint8Array): Generator<number> {
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  for (let at = bytes.indexOf(MAGIC); at >= 0; at = bytes.indexOf(MAGIC, at + 1)) {
    if (at + HEAD_LENGTH <= byteLength) yield at
  }
}

async function isIntact(pieces: RandomAccess, { at, length, checksum }: CarvedRecord): Promise<boolean> {
  return (await checksumOf(pieces, at + CHECKED_FROM, at + length)) === checksum
}
