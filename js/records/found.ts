import { keyIfAny } from '../core/hashing.js'
import { UNSIGNED } from './align.js'
import type { SourceRecord } from './read.js'
import { type SignedRecords, tooMany } from './signed.js'

/** Where a record is. */
export type RecordPlace = Omit<SourceRecord, 'bytes'>

/** What is there, in its order. Of each record only its place is kept. */
export class FoundRecords {
  /** The number that each has among those that were signed. */
  numbers: number[] = []
  readonly #signed: SignedRecords
  readonly #most: number
  #inSource: number[] = []
  #lines: number[] = []
  #names: (string | undefined)[] = []
  /** What each has in a column, where that is asked for. */
  #values: string[] = []

  /** @param most - how many there may be */
  constructor(signed: SignedRecords, most: number) {
    this.#signed = signed
    this.#most = most
  }

  /** @throws AlvariumError `PAYLOAD_INVALID` when there are too many */
  add({ bytes, number, line = NO_LINE, name, by }: SourceRecord): void {
    if (this.numbers.length === this.#most) throw tooMany('records', this.#most)
    this.numbers.push(this.#numberOf(bytes))
    this.#inSource.push(number)
    this.#lines.push(line)
    this.#names.push(name)
    if (by !== undefined) this.#values.push(by)
  }

  at(place: number): RecordPlace {
    const [line, name] = [this.#lines[place] as number, this.#names[place]]
    const by = this.#values[place]
    return {
      number: this.#inSource[place] as number,
      ...(line !== NO_LINE && { line }),
      ...(by !== undefined && { by }),
      ...(name !== undefined && { name }),
    }
  }

  /** Puts them in the order of what they have in a column, where all were told. */
  sort(): void {
    if (this.#values.length === 0 || this.#values.length < this.numbers.length) return
    const order = orderOf(this.#values)
    const sorted = <T>(list: readonly T[]): T[] => order.map((at) => list[at] as T)
    this.numbers = sorted(this.numbers)
    this.#inSource = sorted(this.#inSource)
    this.#lines = sorted(this.#lines)
    this.#names = sorted(this.#names)
    this.#values = sorted(this.#values)
  }

  #numberOf(bytes: Uint8Array): number {
    for (const hash of this.#signed.hashes) {
      const key = keyIfAny(bytes, hash)
      const number = key === undefined ? UNSIGNED : this.#signed.numberOf(hash, key)
      if (number !== UNSIGNED) return number
    }
    return UNSIGNED
  }
}

const NO_LINE = 0

/**
 * Places in the order of their values: numbers by size, integers by all of their digits, then texts by their UTF-16 code units; those that are alike as they stand.
 *
 * @returns for each place in that order, which one it was
 */
export function orderOf(values: readonly string[]): number[] {
  const numbers = Float64Array.from(values, numberIn)
  const compare = (one: number, other: number): number => {
    const [a, b] = [numbers[one] as number, numbers[other] as number]
    if (a !== b) return a < b ? -1 : 1
    const compareAlike = a < Number.POSITIVE_INFINITY ? compareDigits : compareTexts
    return compareAlike(values[one] as string, values[other] as string) || one - other
  }
  return values.map((_, at) => at).sort(compare)
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

const INTEGER = /^\s*-?\d+\s*$/

/** Of numbers that are alike as doubles: ids of 19 digits have more than those. */
function compareDigits(one: string, other: string): number {
  if (one === other || !INTEGER.test(one) || !INTEGER.test(other)) return 0
  return Number(BigInt(one) - BigInt(other))
}

/** Texts stand behind all numbers. */
function numberIn(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : Number.POSITIVE_INFINITY
}
