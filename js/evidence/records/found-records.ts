import { compareTexts } from '../../foundation/base/text/text.js'
import type { HashName } from '../../foundation/model/bundle.js'
import { NOT_SIGNED } from './align.js'
import { NumberList } from './number-list.js'
import type { SourceRecord } from './read.js'
import { type SignedOrder, tooMany } from './signed-records.js'
import { itemsAt, STEP } from './subsequences.js'

/** Position of a record: name of its source, number, line, and value in the column `by`. */
export type RecordPlace = Omit<SourceRecord, 'bytes'>

/** @internal Record that may be larger than memory, such as a whole file. */
export interface LongRecord extends RecordPlace {
  /** Returns the payload key of the record for a hash function. */
  keyFor(hash: HashName): Promise<string>
}

/** Places of the found records, without their bytes. `sort` orders them by the column `by`. */
export class FoundRecords {
  readonly #signed: SignedOrder
  readonly #maxRecords: number
  /** Place of each record in the signed order; -1 if the record was not signed. */
  readonly #places = new NumberList(Int32Array)
  readonly #numbersInSource = new NumberList()
  readonly #lines = new NumberList()
  /** Names of sources, without consecutive duplicates. `#nameOf` has an index into this list for each record. */
  readonly #names: (string | undefined)[] = []
  readonly #nameOf = new NumberList(Int32Array)
  /** Value of each record in the column `by`; empty without that option. */
  #values: string[] = []

  constructor(signed: SignedOrder, maxRecords: number) {
    this.#signed = signed
    this.#maxRecords = maxRecords
  }

  get length(): number {
    return this.#places.length
  }

  /** Number of each record, or `NOT_SIGNED`. Equal records have the same number. */
  get numbers(): Int32Array {
    const [{ numbers }, found] = [this.#signed, new Int32Array(this.length)]
    for (let at = 0; at < found.length; at++) {
      const place = this.#places.at(at)
      found[at] = place < 0 ? NOT_SIGNED : (numbers[place] as number)
    }
    return found
  }

  /** @throws AlvariumError `PAYLOAD_INVALID` for more than `maxRecords` */
  async add(records: readonly SourceRecord[]): Promise<void> {
    const places = await this.#signed.placesOf(records.map(({ bytes }) => bytes))
    for (const [at, record] of records.entries()) this.#add(record, places[at] as number)
  }

  /** @throws AlvariumError as {@link add} */
  async addLong(record: LongRecord): Promise<void> {
    let found = NOT_SIGNED
    for (const hash of this.#signed.hashes) {
      // Skip the hash `none`. Its key is the payload itself, which is longer here than any key in a message.
      if (found === NOT_SIGNED && hash !== 'none')
        found = await this.#signed.placeOfKey(hash, await record.keyFor(hash))
    }
    this.#add(record, found)
  }

  #add({ number, line = NO_LINE, name, by }: RecordPlace, place: number): void {
    if (this.length === this.#maxRecords) throw tooMany('records', this.#maxRecords)
    this.#places.push(place)
    this.#numbersInSource.push(number)
    this.#lines.push(line)
    if (this.#names.length === 0 || this.#names.at(-1) !== name) this.#names.push(name)
    this.#nameOf.push(this.#names.length - 1)
    if (by !== undefined) this.#values.push(by)
  }

  at(place: number): RecordPlace {
    const [line, name] = [this.#lines.at(place), this.#names[this.#nameOf.at(place)]]
    const by = this.#values[place]
    return {
      number: this.#numbersInSource.at(place),
      ...(line !== NO_LINE && { line }),
      ...(by !== undefined && { by }),
      ...(name !== undefined && { name }),
    }
  }

  /** Sorts the records by their values in the column `by`. Does nothing if a record has no such value. */
  *sort(): Generator<void, void> {
    if (this.#values.length === 0 || this.#values.length < this.length) return
    const order = yield* orderOf(this.#values)
    for (const list of [this.#places, this.#numbersInSource, this.#lines, this.#nameOf])
      yield* list.reorder(order)
    this.#values = yield* itemsAt(this.#values, order)
  }
}

const NO_LINE = 0

/**
 * Returns the places of values in sorted order. Numbers come first, by size, and integers by all of their digits. Texts
 * follow, by UTF-16 code units. Equal values keep their order.
 */
export function* orderOf(values: readonly string[]): Generator<void, Uint32Array> {
  const numbers = new Float64Array(values.length)
  const texts: string[] = []
  for (const [at, value] of values.entries()) {
    if (at % STEP === 0) yield
    numbers[at] = numberIn(value)
    texts.push(textOf(value, numbers[at]))
  }
  return yield* mergeSort(Uint32Array.from(numbers.keys()), (one, other) => {
    const [a, b] = [numbers[one] as number, numbers[other] as number]
    if (a !== b) return a < b ? -1 : 1
    const [text, second] = [texts[one] as string, texts[other] as string]
    if (a === Number.POSITIVE_INFINITY) return compareTexts(text, second)
    return Math.sign(a) * (text.length - second.length || compareTexts(text, second))
  })
}

/** Returns the number in a text; infinity for other texts, because they sort after all numbers. */
function numberIn(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : Number.POSITIVE_INFINITY
}

const INTEGER = /^-?0*([1-9]\d*)$/

/**
 * Returns the text by which values with equal numbers are sorted: the value itself if it is not a number, or
 * the digits of an integer that a double cannot represent, such as an id of 19 digits.
 */
function textOf(value: string, number: number): string {
  if (number === Number.POSITIVE_INFINITY) return value
  return Number.isSafeInteger(number) ? '' : (INTEGER.exec(value.trim())?.[1] ?? '')
}

/**
 * Sorts by merging, which keeps the order of equal items (D. E. Knuth, TAOCP 3, 5.2.4). Yields often, because long
 * values make each comparison slow.
 */
function* mergeSort(
  places: Uint32Array,
  compare: (one: number, other: number) => number,
): Generator<void, Uint32Array> {
  let [from, into]: [Uint32Array, Uint32Array] = [places, new Uint32Array(places.length)]
  for (let width = 1; width < places.length; width *= 2) {
    for (let start = 0; start < places.length; start += 2 * width) {
      const [middle, end] = [start + width, Math.min(start + 2 * width, places.length)]
      let [one, other] = [start, middle]
      for (let at = start; at < end; at++) {
        if (at % STEP === 0) yield
        const isOther =
          other < end && (one === middle || compare(from[one] as number, from[other] as number) > 0)
        into[at] = from[isOther ? other++ : one++] as number
      }
    }
    ;[from, into] = [into, from]
  }
  return from
}
