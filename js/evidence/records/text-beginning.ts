import { join } from '../../foundation/base/bytes/join.js'
import { AlvariumError } from '../../foundation/base/errors.js'
import { isUtf16, stripBom } from '../../foundation/base/text/text.js'
import type { RecordFormat } from './format.js'
import { RECORD_SEPARATOR, type Splitter, type TextPreamble } from './splitter.js'

interface FoundBeginning extends TextPreamble {
  readonly bytes: number
}

const NEWLINE = 0x0a

export interface TextOptions {
  readonly format: RecordFormat
  /** Number of lines to skip after a byte order mark and a line `sep=;`. */
  readonly skipLines?: number | undefined
  readonly name?: string | undefined
}

/**
 * Removes the text before the first record: a byte order mark, a CSV line `sep=;`, and lines to skip. Calls
 * `begin` of the splitter. Refuses UTF-16, in which the byte of a line feed can be one half of a character,
 * or both (U+0A0A).
 *
 * @throws AlvariumError `PAYLOAD_INVALID` for a text that begins like UTF-16 (a byte order mark, or a letter and a NUL
 * byte) or like gzip
 */
export async function* textPieces(
  pieces: AsyncIterable<Uint8Array>,
  splitter: Splitter,
  options: TextOptions,
): AsyncGenerator<Uint8Array, void> {
  const reading = new BeginningReader(splitter, options)
  for await (const piece of pieces) {
    const rest = reading.add(piece)
    if (rest.length > 0) yield rest
  }
  const rest = reading.end()
  if (rest.length > 0) yield rest
}

const NOTHING = new Uint8Array(0)

class BeginningReader {
  readonly #splitter: Splitter
  readonly #options: TextOptions
  #head: Uint8Array = NOTHING
  #isRead = false
  #found: FoundBeginning | undefined
  #skipped = 0

  constructor(splitter: Splitter, options: TextOptions) {
    this.#splitter = splitter
    this.#options = options
  }

  add(piece: Uint8Array): Uint8Array {
    if (this.#isRead) return piece
    if (this.#found) return this.#skip(piece)
    this.#head = join([this.#head, piece]).bytes
    return this.#look(false)
  }

  /** Returns the bytes of a text that ended before its beginning was recognised. */
  end(): Uint8Array {
    return this.#found || this.#isRead ? NOTHING : this.#look(true)
  }

  #look(isEnd: boolean): Uint8Array {
    const { format, name = 'records' } = this.#options
    if (this.#head.length < 2 && !isEnd) return NOTHING
    const other = otherFormatOf(this.#head)
    if (other !== undefined)
      throw new AlvariumError('PAYLOAD_INVALID', `${name}: expected ${TEXT}, got ${other}`)
    this.#found = readBeginning(this.#head, format, isEnd)
    return this.#found ? this.#skip(this.#head.subarray(this.#found.bytes)) : NOTHING
  }

  #skip(bytes: Uint8Array): Uint8Array {
    const { skipLines = 0 } = this.#options
    let rest = bytes
    while (this.#skipped < skipLines) {
      const end = rest.indexOf(NEWLINE)
      if (end < 0) return NOTHING
      this.#skipped++
      rest = rest.subarray(end + 1)
    }
    const { lines = 0, isSequence = false, separator } = this.#found ?? {}
    this.#isRead = true
    this.#splitter.begin?.({ lines: lines + this.#skipped, separator, isSequence })
    return rest
  }
}

/** `PART_OF_SEPARATOR_LINE` matches any incomplete beginning of a line `sep=;`. */
const SEPARATOR_LINE = /^sep=([^\r\n"])\r?\n/i
const PART_OF_SEPARATOR_LINE = /^(?:s(?:e(?:p(?:=(?:[^\r\n"]\r?)?)?)?)?)?$/i
const MAX_LINE_BYTES = 'sep=;\r\n'.length

/**
 * Recognises the beginning of a text. Returns undefined if more bytes are needed.
 *
 * @param isEnd - true if no bytes follow
 */
function readBeginning(head: Uint8Array, format: RecordFormat, isEnd: boolean): FoundBeginning | undefined {
  if (!isEnd && head.length < MARK.length && MARK.startsWith(latin1(head))) return undefined
  const text = stripBom(head)
  const bytes = head.length - text.length
  if (text.length === 0 && !isEnd) return undefined
  if (format !== 'csv') {
    return { bytes, lines: 0, isSequence: text[0] === RECORD_SEPARATOR }
  }
  const line = latin1(text.subarray(0, MAX_LINE_BYTES))
  const [all, separator] = SEPARATOR_LINE.exec(line) ?? []
  if (all !== undefined) return { bytes: bytes + all.length, lines: 1, separator, isSequence: false }
  return PART_OF_SEPARATOR_LINE.test(line) && !isEnd ? undefined : { bytes, lines: 0, isSequence: false }
}

const MARK = '\xef\xbb\xbf'

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}

const TEXT = 'text in UTF-8, or with one byte for each character as Latin-1'
const WIDE = 'UTF-16: convert it (iconv -f utf-16 -t utf-8), or take it as one record (format whole)'
const GZIP =
  'a gzip file: unpack it (gunzip, or DecompressionStream), or take it as one record (format whole)'

function otherFormatOf([first, second]: Uint8Array): string | undefined {
  if (first === undefined || second === undefined) return undefined
  // gzip files begin with these bytes (RFC 1952 §2.3.1).
  if (first === 0x1f && second === 0x8b) return GZIP
  return isUtf16(Uint8Array.of(first, second)) || (first === 0) !== (second === 0) ? WIDE : undefined
}
