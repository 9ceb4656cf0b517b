import { join } from '../base/bytes/join.js'

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

/** Takes a text apart as it comes. */
export interface Splitter {
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
    const items = splitter.add(piece)
    if (items.length > 0) yield items
  }
  const last = splitter.end()
  if (last.length > 0) yield last
}

/** Puts an item together out of pieces, of which it keeps nothing when they are too many. */
export class Gathering {
  readonly #most: number
  #parts: Uint8Array[] = []
  #length = 0

  /** @param most - bytes of an item */
  constructor(most: number) {
    this.#most = most
  }

  append(part: Uint8Array): void {
    this.#length += part.length
    if (this.#length > this.#most) this.#parts = []
    else if (part.length > 0) this.#parts.push(part)
  }

  /** All that was appended since the last time; undefined when it is too long. */
  take(): Uint8Array | undefined {
    const [parts, length] = [this.#parts, this.#length]
    this.#parts = []
    this.#length = 0
    if (length > this.#most) return undefined
    return join(parts).bytes
  }
}

/** Whether there is nothing but white space: lines end with a carriage return on some systems. */
export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === RETURN || byte === 0x09)
}

/** A line without the carriage return that some systems end lines with, too. */
export function withoutReturn(line: Uint8Array): Uint8Array {
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line
}

const RETURN = 0x0d
