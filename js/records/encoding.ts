import { AlvariumError } from '../base/errors.js'
import { exactText, isUtf16 } from '../base/text/text.js'

/**
 * What bytes say. Those that are not UTF-8 count as Latin-1: a replacement character would stand for any of them, and make values alike.
 * Not every platform decodes Windows-1252, and some decode it wrong.
 */
export function textIn(bytes: Uint8Array): string {
  try {
    return exactText(bytes)
  } catch {
    return latin1(bytes)
  }
}

function latin1(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += MOST_ARGUMENTS) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + MOST_ARGUMENTS)))
  }
  return parts.join('')
}

/** All platforms take so many in a call. */
const MOST_ARGUMENTS = 8192

/**
 * The same pieces of a text. What ends a line is one byte: in UTF-16 it may be half of a character, or both halves of one (U+0A0A), which would then
 * count as empty lines, however many there are.
 *
 * @throws AlvariumError `PAYLOAD_INVALID` when it begins as only UTF-16 does, with its mark, or with a letter and a NUL byte; or as gzip does
 */
export async function* assumedText(
  pieces: AsyncIterable<Uint8Array>,
  name = 'records',
): AsyncGenerator<Uint8Array, void> {
  const start: number[] = []
  for await (const piece of pieces) {
    if (start.length < 2) {
      start.push(...piece.subarray(0, 2))
      const other = otherIn(start)
      if (other !== undefined)
        throw new AlvariumError('PAYLOAD_INVALID', `${name}: expected ${TEXT}, got ${other}`)
    }
    yield piece
  }
}

const TEXT = 'text in UTF-8, or with one byte for each character as Latin-1'
const WIDE = 'UTF-16: convert it (iconv -f utf-16 -t utf-8), or take it as one record (format whole)'
const GZIP = 'a gzip file: unpack it (gunzip), or take it as one record (format whole)'

function otherIn([first, second]: readonly number[]): string | undefined {
  if (first === undefined || second === undefined) return undefined
  // RFC 1952 §2.3.1.
  if (first === 0x1f && second === 0x8b) return GZIP
  return isUtf16(Uint8Array.of(first, second)) || (first === 0) !== (second === 0) ? WIDE : undefined
}
