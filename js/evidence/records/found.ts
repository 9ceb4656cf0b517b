import type { HashName } from '../../foundation/model/bundle.js'
import { UNSIGNED } from './align.js'
import { NumberList } from './number-list.js'
import { orderOf } from './order.js'
import type { SourceRecord } from './read.js'
import { type SignedOrder, tooMany } from './signed.js'
import { STEP } from './subsequences.js'

/** Place of a record. */
export type RecordPlace = Omit<SourceRecord, 'bytes'>

/** @internal Record that may be larger than memory: a whole file. */
export interface LongRecord extends RecordPlace {
  /** Returns the payload key of the record by a hash. */
  keyFor(hash: HashName): Promise<string>
}

/** Found records in their order. Only their places are kept. */
export class FoundRecords {
  readonly #signed: SignedOrder
  readonly #most: number
  /** Place of each record in the signed order; -1 for none. */
  readonly #places = new NumberList(Int32Array)
  readonly #inSource = new NumberList()
  readonly #lines = new NumberList()
  /** Names of sources, without consecutive duplicates; `#nameOf` has the index of each record's name. */
  readonly #names: (string | undefined)[] = []
  readonly #nameOf = new NumberList(Int32Array)
  /** Value of each record in the column `by`, if that is given. */
  #values: string[] = []

  /** @param most - maximum number of records */
  constructor(signed: SignedOrder, most: number) {
    this.#signed = signed
    this.#most = most
  }

  get length(): number {
    return this.#places.length
  }

  /** Number of each record in the signed order. */
  get numbers(): Int32Array {
    const [{ numbers }, found] = [this.#signed, new Int32Array(this.length)]
    for (let at = 0; at < found.length; at++) {
      const place = this.#places.at(at)
      found[at] = place < 0 ? UNSIGNED : (numbers[place] as number)
    }
    return found
  }

  /** Adds records that are in memory. @throws AlvariumError `PAYLOAD_INVALID` if there are too many */
  async add(records: readonly SourceRecord[]): Promise<void> {
    const places = await this.#signed.placesOf(records.map(({ bytes }) => bytes))
    for (const [at, record] of records.entries()) this.#add(record, places[at] as number)
  }

  /** Adds a long record. @throws AlvariumError as {@link add} */
  async addLong(record: LongRecord): Promise<void> {
    let found = UNSIGNED
    for (const hash of this.#signed.hashes) {
      // Skip `none`: such a key is the payload itself, and no message has one of that length.
      if (found === UNSIGNED && hash !== 'none')
        found = await this.#signed.placeOfKey(hash, await record.keyFor(hash))
    }
    this.#add(record, found)
  }

  #add({ number, line = NO_LINE, name, by }: RecordPlace, place: number): void {
    if (this.length === this.#most) throw tooMany('records', this.#most)
    this.#places.push(place)
    this.#inSource.push(number)
    this.#lines.push(line)
    if (this.#names.length === 0 || this.#names.at(-1) !== name) this.#names.push(name)
    this.#nameOf.push(this.#names.length - 1)
    if (by !== undefined) this.#values.push(by)
  }

  at(place: number): RecordPlace {
    const [line, name] = [this.#lines.at(place), this.#names[this.#nameOf.at(place)]]
    const by = this.#values[place]
    return {
      number: this.#inSource.at(place),
      ...(line !== NO_LINE && { line }),
      ...(by !== undefined && { by }),
      ...(name !== undefined && { name }),
    }
  }

  /** Sorts the records by their values in the column `by`, in steps. Does nothing if a record has no value. */
  *sort(): Generator<void, void> {
    if (this.#values.length === 0 || this.#values.length < this.length) return
    const order = yield* orderOf(this.#values)
    for (const list of [this.#places, this.#inSource, this.#lines, this.#nameOf]) yield* list.reorder(order)
    const values: string[] = []
    for (const place of order) {
      if (values.length % STEP === 0) yield
      values.push(this.#values[place] as string)
    }
    this.#values = values
  }
}

const NO_LINE = 0
