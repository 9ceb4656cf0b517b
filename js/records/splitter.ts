import { join } from '../base/bytes/join.js'
import { sourceTurns } from '../base/time/turns.js'

/** What a splitter takes out of a text: a line, a record, a value. */
export interface Item {
  /** Which one it is, from 1; of lines, empty ones are counted too. */
  readonly number: number
  /** The line that it begins in, from 1; undefined where there are none. */
  readonly line?: number
  /** Exactly as it stands there; undefined when it is longer than any may be, or was cut off. */
  readonly bytes: Uint8Array | undefined
  readonly isCut?: true
  /** What is wrong with the text, and where, from 1: nothing that comes after it can be told apart. */
  readonly fault?: {
    readonly line: number
    readonly column: number
    readonly expected: string
    readonly got: string
  }
}

/** Record separator of JSON text sequences (RFC 7464 §2.2). */
export const RECORD_SEPARATOR = 0x1e

/** Bytes and lines before the first record of a text, or before the header of CSV. */
export interface TextBeginning {
  /** Number of lines that are left out. */
  readonly lines: number
  /** Separator that a line `sep=;` names, as spreadsheets write it. */
  readonly separator?: string | undefined
  /** True if each record begins with U+001E (RFC 7464, JSON text sequences). */
  readonly isSequence: boolean
}

/** Takes a text apart as it comes. */
export interface Splitter {
  /** Learns what stood before the first record, before the first piece comes. */
  begin?(beginning: TextBeginning): void
  /** The items that end in the next piece. */
  add(piece: Uint8Array): Item[]
  /** What was left when the text ended. */
  end(): Item[]
}

/** The items of what comes, as many together as a piece has: whoever waits for a line gets it when it is there. */
export async function* itemsOf(
  pieces: AsyncIterable<Uint8Array>,
  splitter: Splitter,
): AsyncGenerator<Item[], void> {
  for await (const piece of pieces) {
    // All of a file may come as one piece: its items would take many times its memory, and nobody else had a turn meanwhile.
    for (let from = 0; from < piece.length; from += PART_BYTES) {
      const items = splitter.add(piece.subarray(from, from + PART_BYTES))
      if (items.length > 0) yield items
      const turn = sourceTurns.takeLong()
      if (turn) await turn
    }
  }
  const last = splitter.end()
  if (last.length > 0) yield last
}

/** So much of a piece is taken apart at a time, for about a millisecond. */
const PART_BYTES = 65_536

/** Puts an item together out of pieces, of which it keeps nothing when they are too many. */
export class PieceBuffer {
  readonly #most: number
  #parts: Uint8Array[] = []
  #length = 0
  #isTold = false

  /** @param most - bytes of an item */
  constructor(most: number) {
    this.#most = most
  }

  append(part: Uint8Array): void {
    this.#length += part.length
    if (this.#length > this.#most) this.#parts = []
    else if (part.length > 0) this.#parts.push(part)
  }

  /** Whether it has become too long, which is told once: it may have no end. */
  overflows(): boolean {
    if (this.#isTold || this.#length <= this.#most) return false
    this.#isTold = true
    return true
  }

  /** Whether that was told of what is appended now. */
  get isTold(): boolean {
    return this.#isTold
  }

  /** All that was appended since the last time; undefined when it is too long. */
  take(): Uint8Array | undefined {
    const [parts, length] = [this.#parts, this.#length]
    this.#parts = []
    this.#length = 0
    this.#isTold = false
    if (length > this.#most) return undefined
    return join(parts).bytes
  }

  /** Whether nothing was appended since the last time. */
  get isEmpty(): boolean {
    return this.#length === 0
  }
}

/** Whether there is nothing but white space: lines end with a carriage return on some systems. */
export function isBlank(bytes: Uint8Array): boolean {
  // A call for each byte takes ten times as long, and there may be 16 MiB of them.
  for (const byte of bytes) if (byte !== 0x20 && byte !== RETURN && byte !== 0x09) return false
  return true
}

/** A line without the carriage return that some systems end lines with, too. */
export function withoutReturn(line: Uint8Array): Uint8Array {
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line
}

const RETURN = 0x0d

const NEWLINE = 0x0a

/** Lines, without what ends them; empty ones are passed over. */
export class LineSplitter implements Splitter {
  readonly #line: PieceBuffer
  #number = 1
  #isSequence = false

  /** @param most - bytes of a line; of a longer one nothing is kept */
  constructor(most: number) {
    this.#line = new PieceBuffer(most)
  }

  begin({ lines, isSequence }: TextBeginning): void {
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
    // There may be millions of empty ones.
    if (this.#line.isEmpty) return []
    const { isTold } = this.#line
    const line = this.#line.take()
    const bytes = this.#isSequence && line?.[0] === RECORD_SEPARATOR ? line.subarray(1) : line
    return isTold || (bytes && isBlank(bytes)) ? [] : [this.#item(bytes)]
  }

  #item(bytes: Uint8Array | undefined): Item {
    return { number: this.#number, line: this.#number, bytes: bytes && withoutReturn(bytes) }
  }
}

/** Pieces of one size; the last one is what was left. */
export class ChunkSplitter implements Splitter {
  readonly #size: number
  readonly #chunk: PieceBuffer
  #missing: number
  #number = 0

  /** @param size - bytes of a chunk */
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

/** All that comes, as one item: also nothing. */
export class WholeSplitter implements Splitter {
  readonly #all: PieceBuffer
  #left: number

  /** @param most - bytes of it; what has more is told at once */
  constructor(most: number) {
    this.#all = new PieceBuffer(most)
    this.#left = most
  }

  add(piece: Uint8Array): Item[] {
    this.#all.append(piece)
    this.#left -= piece.length
    return this.#left < 0 ? [{ number: 1, bytes: undefined }] : []
  }

  end(): Item[] {
    return [{ number: 1, bytes: this.#all.take() }]
  }
}
