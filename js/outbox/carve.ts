import { crc32 } from './checksum.js'
import type { Pieces } from './pieces.js'
import { CHECKED_FROM, HEAD_LENGTH, type Head, headAt, MAGIC } from './record.js'

/** Where an intact record is, and what its head says. */
export interface Carved extends Head {
  readonly at: number
}

/** Every intact record of version 2 that lies in one piece, wherever it is: neither structure nor name of the file matters. */
export async function* carve(pieces: Pieces): AsyncGenerator<Carved> {
  for (let at = await magicFrom(pieces, 0); at !== undefined; ) {
    const head = await intactAt(pieces, at)
    if (head) yield { ...head, at }
    at = await magicFrom(pieces, at + (head?.length ?? 1))
  }
}

/** The checksum of what is between two places. */
export async function checksumOf(
  pieces: Pieces,
  checksum: typeof crc32,
  start: number,
  end: number,
): Promise<number> {
  let sum = 0
  for (let at = start; at < end; ) {
    const piece = await pieces.from(at, 1)
    const length = Math.min(piece.length, end - at)
    sum = checksum(piece, 0, length, sum)
    at += length
  }
  return sum
}

async function magicFrom(pieces: Pieces, from: number): Promise<number | undefined> {
  for (let at = from; at + HEAD_LENGTH <= pieces.size; ) {
    const { buffer, byteOffset, byteLength } = await pieces.from(at, HEAD_LENGTH)
    const found = Buffer.from(buffer, byteOffset, byteLength).indexOf(MAGIC)
    if (found >= 0) return at + found
    // It may begin at the end of this piece.
    at += byteLength - MAGIC.length + 1
  }
  return undefined
}

async function intactAt(pieces: Pieces, at: number): Promise<Head | undefined> {
  if (at + HEAD_LENGTH > pieces.size) return undefined
  const head = headAt(await pieces.from(at, HEAD_LENGTH))
  if (!head || at + head.length > pieces.size) return undefined
  const sum = await checksumOf(pieces, crc32, at + CHECKED_FROM, at + head.length)
  return sum === head.checksum ? head : undefined
}
