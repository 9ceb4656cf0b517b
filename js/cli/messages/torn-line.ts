import { type FileHandle, open } from 'node:fs/promises'

/** Maximum length of a line in bytes, equal to the limit of a message. */
const MAX_LINE_BYTES = 16 * 1024 * 1024
const LINE_END = 0x0a
const PIECE_BYTES = 65_536
const BEGINNING_BYTES = 256

/**
 * Cuts off an incomplete message at the end of a file. Its writer was killed before the stream accepted it.
 * Leaves any other text unchanged, because the path may be a mistake.
 *
 * @returns whether the file ended with an incomplete message
 */
export async function cutTornLine(path: string): Promise<boolean> {
  const file = await open(path, 'r+')
  try {
    const { size } = await file.stat()
    if (!(await beginsWithObject(file))) return false
    const line = await lastLine(file, size)
    if (line === undefined || !isTorn(line.toString())) return false
    await file.truncate(size - line.length)
    return true
  } finally {
    await file.close()
  }
}

/**
 * Returns whether a file begins with `{`, as JSON lines do. Ignores white space before it. Other files are
 * not cut, because CBOR may look like an incomplete line.
 */
async function beginsWithObject(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0)
  return buffer.toString('utf8', 0, bytesRead).trimStart().startsWith('{')
}

function isTorn(line: string): boolean {
  if (!line.startsWith('{')) return false
  try {
    JSON.parse(line)
    return false
  } catch {
    return true
  }
}

/** Reads the last line with its line end, if any; returns undefined if the line is too long for a message. */
async function lastLine(file: FileHandle, size: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  for (let from = size; size - from <= MAX_LINE_BYTES; ) {
    if (from === 0) return Buffer.concat(pieces)
    const bytes = Math.min(PIECE_BYTES, from)
    from -= bytes
    const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, from)
    // Skip the file's last byte, which may be the line end of the last line.
    const before = buffer.lastIndexOf(LINE_END, pieces.length === 0 ? -2 : -1)
    if (before >= 0) return Buffer.concat([buffer.subarray(before + 1), ...pieces])
    pieces.unshift(buffer)
  }
  return undefined
}
