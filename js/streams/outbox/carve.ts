import { checksumOf, type RandomAccess } from './pieces.js'
import { CHECKED_FROM, HEAD_LENGTH, headAt, MAGIC, type RecordHead } from './record.js'

/** Where an intact record is, and what its head says. */
export interface Carved extends RecordHead {
  readonly at: number
}

/**
 * How many times the bytes of a file may be checksummed in vain: so often from the start, and so often again for what was passed.
 * Heads that overlap, each of which says that its record is long, would otherwise take time by the square of the file.
 */
const TIMES = 4

/**
 * Every intact record of version 2 that lies in one piece, wherever it is: neither structure nor name of the file matters. What lies
 * inside of one is passed over with it.
 *
 * @param passedOver - is called for each place where a record may begin that was not looked at, as too much was checksummed in vain
 */
export async function* carve(
  pieces: RandomAccess,
  passedOver: () => void = () => {},
): AsyncGenerator<Carved> {
  let inVain = 0
  const mayBe = ({ at, length }: Carved) => {
    const isAffordable = inVain + length <= TIMES * (pieces.size + at)
    if (!isAffordable) passedOver()
    return isAffordable
  }
  for (let head = await headFrom(pieces, 0, mayBe); head; ) {
    const isRecord = await isIntact(pieces, head)
    if (isRecord) yield head
    else inVain += head.length
    head = await headFrom(pieces, head.at + (isRecord ? head.length : 1), mayBe)
  }
}

/** The first head from there on whose record ends within the file, and may be one. */
async function headFrom(
  pieces: RandomAccess,
  from: number,
  mayBe: (head: Carved) => boolean,
): Promise<Carved | undefined> {
  for (let start = from; start + HEAD_LENGTH <= pieces.size; ) {
    const piece = await pieces.from(start, HEAD_LENGTH)
    for (const within of magicIn(piece)) {
      const head = headAt(piece.subarray(within))
      const at = start + within
      if (head && at + head.length <= pieces.size && mayBe({ ...head, at })) return { ...head, at }
    }
    // One may begin where this piece ends.
    start += piece.length - HEAD_LENGTH + 1
  }
  return undefined
}

/** Where a head may begin, and end, in these bytes. */
function* magicIn({ buffer, byteOffset, byteLength }: Uint8Array): Generator<number> {
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  for (let at = bytes.indexOf(MAGIC); at >= 0; at = bytes.indexOf(MAGIC, at + 1)) {
    if (at + HEAD_LENGTH <= byteLength) yield at
  }
}

async function isIntact(pieces: RandomAccess, { at, length, checksum }: Carved): Promise<boolean> {
  return (await checksumOf(pieces, at + CHECKED_FROM, at + length)) === checksum
}
