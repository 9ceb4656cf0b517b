import { join } from '../../foundation/base/bytes/join.js'
import { sourceTurns } from '../../foundation/base/time/turns.js'

/** Item that a splitter found in a text: a line, a record or a value. */
export interface Item {
  /** Number of the item, counted from 1. Numbers of lines include empty lines. */
  readonly number: number
  /** Line in which the item begins, from 1; undefined for formats without lines. */
  readonly line?: number
  /** Exact bytes in the text; undefined if the item is too long, was cut off, or has a fault. */
  readonly bytes: Uint8Array | undefined
  readonly isCut?: true
  /** Fault in the text, and its position from 1. Items after a fault cannot be separated. */
  readonly fault?: {
    readonly line: number
    readonly column: number
    readonly expected: string
    readonly got: string
  }
}

/** Record separator of JSON text sequences (RFC 7464 §2.2). */
export const RECORD_SEPARATOR = 0x1e

/** Facts about the text before the first record, or before the header of CSV. */
export interface TextPreamble {
  /** Number of lines before the first record, or before the header of CSV. */
  readonly lines: number
  /** Separator from a line `sep=;`, as spreadsheets write it. */
  readonly separator?: string | undefined
  /** True if each record begins with U+001E (RFC 7464, JSON text sequences). */
  readonly isSequence: boolean
}

export interface Splitter {
  /** Receives facts about the text. Called before the first piece. */
  begin?(beginning: TextPreamble): void
  add(piece: Uint8Array): Item[]
  end(): Item[]
}

/** Yields items in groups, each as soon as it has arrived. */
export async function* itemsOf(
  pieces: AsyncIterable<Uint8Array>,
  splitter: Splitter,
): AsyncGenerator<Item[], void> {
  for await (const piece of pieces) {
    // Split large pieces, because the items of a whole file would take many times its memory and block the event loop.
    for (let from = 0; from < piece.length; from += PART_BYTES) {
      const items = splitter.add(piece.subarray(from, from + PART_BYTES))
      if (items.length > 0) yield items
      const turn = sourceTurns.yieldIfDueLong()
      if (turn) await turn
    }
  }
  const last = splitter.end()
  if (last.length > 0) yield last
}

/** Number of bytes to split in one step. A step takes about a millisecond. */
const PART_BYTES = 65_536

/** Collects the parts of one item. Discards an item that is too long. */
export class PieceBuffer {
  readonly #maxBytes: number
  #parts: Uint8Array[] = []
  #length = 0
  /** True if `overflows` has reported the current item. */
  isOverflowReported = false

  /** @param maxBytes - maximum length of an item in bytes */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  append(part: Uint8Array): void {
    this.#length += part.length
    if (this.#length > this.#maxBytes) this.#parts = []
    else if (part.length > 0) this.#parts.push(part)
  }

  /**
   * Returns true once for each item that is too long. It does not wait for the end of the item, which may
   * never come.
   */
  overflows(): boolean {
    if (this.isOverflowReported || this.#length <= this.#maxBytes) return false
    this.isOverflowReported = true
    return true
  }

  /** Returns the item, or undefined if it was too long, and begins the next one. */
  take(): Uint8Array | undefined {
    const [parts, length] = [this.#parts, this.#length]
    this.#parts = []
    this.#length = 0
    this.isOverflowReported = false
    return length > this.#maxBytes ? undefined : join(parts).bytes
  }

  get isEmpty(): boolean {
    return this.#length === 0
  }
}

/** Returns whether bytes are only spaces, tabs and carriage returns. */
export function isBlank(bytes: Uint8Array): boolean {
  // Loop without calls, because one call per byte would take ten times as long for up to 16 MiB.
  for (const byte of bytes) if (byte !== 0x20 && byte !== RETURN && byte !== 0x09) return false
  return true
}

/** Returns a line without the carriage return that some systems write before the line feed. */
export function withoutReturn(line: Uint8Array): Uint8Array {
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line
}

const RETURN = 0x0d

const NEWLINE = 0x0a

/** Splits lines, without their line ends. Skips empty lines. */
export class LineSplitter implements Splitter {
  readonly #line: PieceBuffer
  #number = 1
  #isSequence = false

  /** @param maxBytes - maximum length of a line in bytes; longer lines are discarded */
  constructor(maxBytes: number) {
    this.#line = new PieceBuffer(maxBytes)
  }

  begin({ lines, isSequence }: TextPreamble): void {
    this.#number += lines
    this.#isSequence = isSequence
  }

  add(piece: Uint8Array): Item[] {
    const items: Item[] = []
    let from = 0
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, from)) {
      if (at > from) this.#line.append(piece.subarray(from, at))
      items.push(...this.end())
      this.#number++
      from = at + 1
    }
    this.#line.append(piece.subarray(from))
    if (this.#line.overflows()) items.push(this.#item(undefined))
    return items
  }

  end(): Item[] {
    // Return early, because there may be millions of empty lines.
    if (this.#line.isEmpty) return []
    const { isOverflowReported } = this.#line
    const line = this.#line.take()
    const bytes = this.#isSequence && line?.[0] === RECORD_SEPARATOR ? line.subarray(1) : line
    return isOverflowReported || (bytes && isBlank(bytes)) ? [] : [this.#item(bytes)]
  }

  #item(bytes: Uint8Array | undefined): Item {
    return { number: this.#number, line: this.#number, bytes: bytes && withoutReturn(bytes) }
  }
}

/** Splits pieces of one size. The last one may be shorter. */
export class ChunkSplitter implements Splitter {
  readonly #size: number
  readonly #chunk: PieceBuffer
  #missing: number
  #number = 0

  constructor(size: number) {
    this.#size = size
    this.#missing = size
    this.#chunk = new PieceBuffer(size)
  }

  add(piece: Uint8Array): Item[] {
    const items: Item[] = []
    let from = 0
    while (piece.length - from >= this.#missing) {
      this.#chunk.append(piece.subarray(from, from + this.#missing))
      from += this.#missing
      items.push(this.#item())
    }
    this.#chunk.append(piece.subarray(from))
    this.#missing -= piece.length - from
    return items
  }

  end(): Item[] {
    return this.#missing < this.#size ? [this.#item()] : []
  }

  #item(): Item {
    this.#missing = this.#size
    return { number: ++this.#number, bytes: this.#chunk.take() }
  }
}

/** Returns the whole input as one item, even if the input is empty. */
export class WholeSplitter implements Splitter {
  readonly #all: PieceBuffer

  /** @param maxBytes - maximum length of the input in bytes; a longer input is reported at once */
  constructor(maxBytes: number) {
    this.#all = new PieceBuffer(maxBytes)
  }

  add(piece: Uint8Array): Item[] {
    this.#all.append(piece)
    return this.#all.overflows() ? [{ number: 1, bytes: undefined }] : []
  }

  end(): Item[] {
    return [{ number: 1, bytes: this.#all.take() }]
  }
}
