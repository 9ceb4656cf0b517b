import { keyIfAny } from '../core/hashing.js'
import type { HashName } from '../model/bundle.js'
import { at, UNSIGNED } from './align.js'
import { orderOf } from './order.js'
import type { SourceRecord } from './read.js'
import { type SignedRecords, tooMany } from './signed.js'

/** Where a record is. */
export type RecordPlace = Omit<SourceRecord, 'bytes'>

/** @internal A record that may be larger than memory: a whole file. */
export interface LongRecord extends RecordPlace {
  /** Its payload key by a hash. */
  keyFor(hash: HashName): Promise<string>
}

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
  add(record: SourceRecord): void {
    this.#add(record, this.#numberOf(record.bytes))
  }

  /** @throws AlvariumError as {@link add} */
  async addLong(record: LongRecord): Promise<void> {
    let found = UNSIGNED
    for (const hash of this.#signed.hashes) {
      // That is about the bytes themselves, of which no message has so many.
      if (found === UNSIGNED && hash !== 'none')
        found = this.#signed.numberOf(hash, await record.keyFor(hash))
    }
    this.#add(record, found)
  }

  #add({ number, line = NO_LINE, name, by }: RecordPlace, found: number): void {
    if (this.numbers.length === this.#most) throw tooMany('records', this.#most)
    this.numbers.push(found)
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

  /** Puts them in the order of what they have in a column, where all were told: in steps. */
  *sort(): Generator<void, void> {
    if (this.#values.length === 0 || this.#values.length < this.numbers.length) return
    const order = yield* orderOf(this.#values)
    this.numbers = yield* at(this.numbers, order)
    this.#inSource = yield* at(this.#inSource, order)
    this.#lines = yield* at(this.#lines, order)
    this.#names = yield* at(this.#names, order)
    this.#values = yield* at(this.#values, order)
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
