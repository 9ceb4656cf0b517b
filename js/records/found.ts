import { keyIfAny } from '../core/hashing.js'
import { UNSIGNED } from './align.js'
import type { SourceRecord } from './read.js'
import { type SignedRecords, tooMany } from './signed.js'

/** Where a record is. */
export type RecordPlace = Omit<SourceRecord, 'bytes'>

/** What is there, in its order. Of each record only its place is kept. */
export class FoundRecords {
  /** The number that each has among those that were signed. */
  readonly numbers: number[] = []
  readonly #signed: SignedRecords
  readonly #most: number
  readonly #inSource: number[] = []
  readonly #lines: number[] = []
  readonly #names: (string | undefined)[] = []

  /** @param most - how many there may be */
  constructor(signed: SignedRecords, most: number) {
    this.#signed = signed
    this.#most = most
  }

  /** @throws AlvariumError `PAYLOAD_INVALID` when there are too many */
  add({ bytes, number, line = NO_LINE, name }: SourceRecord): void {
    if (this.numbers.length === this.#most) throw tooMany('records', this.#most)
    this.numbers.push(this.#numberOf(bytes))
    this.#inSource.push(number)
    this.#lines.push(line)
    this.#names.push(name)
  }

  at(place: number): RecordPlace {
    const [line, name] = [this.#lines[place] as number, this.#names[place]]
    return {
      number: this.#inSource[place] as number,
      ...(line !== NO_LINE && { line }),
      ...(name !== undefined && { name }),
    }
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
