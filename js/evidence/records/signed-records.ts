import { type AlvariumError, expected } from '../../foundation/base/errors.js'
import { keyIfAny } from '../../foundation/core/hashing.js'
import type { Action, HashName } from '../../foundation/model/bundle.js'
import type { VerifiedBundle } from '../../verifying/verify/options.js'
import { NOT_SIGNED } from './align.js'
import { NumberList } from './number-list.js'

/** Signed statement about a record. */
export interface SignedRecord {
  /** Number of the statement in the order of the messages, or of the manifest, counted from 1. */
  readonly number: number
  /** Number of the message, from 1. A manifest is one message. */
  readonly message: number
  /** Number of the bundle in its message, from 1. For a manifest, equal to `number`. */
  readonly bundle: number
  /** Payload key of the signed record. For a manifest with a salt, the hash of salt and payload key. */
  readonly key: string
  /** Hash function of the payload key. */
  readonly hash: HashName
}

/** Signed statements about records, in order. Places count from 0. */
export interface SignedOrder {
  /** Number of places. */
  readonly length: number
  readonly hashes: readonly HashName[]
  /**
   * Number of the record at each place. Numbers begin at 0, and none exceeds its place. Equal records have
   * the same number.
   */
  readonly numbers: ArrayLike<number>
  /** True if the statements list the records of one file, so that no record can have been signed twice. */
  readonly isWhole: boolean
  /** Returns a place for each payload; -1 if it was not signed. Pass the payloads in the order of the records. */
  placesOf(payloads: readonly Uint8Array[]): Promise<Int32Array> | Int32Array
  /** Returns the place of a record by its payload key; -1 if it was not signed. */
  placeOfKey(hash: HashName, key: string): Promise<number> | number
  at(place: number): SignedRecord
}

export class SignedRecords implements SignedOrder {
  readonly isWhole = false
  readonly #numbers = new NumberList(Int32Array)
  /** Number of bundles that arrived again, because brokers may deliver a message twice. */
  repeated = 0
  /** Number of bundles with another action. */
  others = 0
  readonly #maxRecords: number
  #action: Action | undefined
  readonly #messages = new NumberList()
  readonly #bundles = new NumberList(Int32Array)
  readonly #numbersOf = new Map<HashName, Map<string, number>>()
  readonly #keys: string[] = []
  readonly #hashes: HashName[] = []
  /** First place of each record number. */
  readonly #firsts = new NumberList(Int32Array)
  readonly #repeats = new RepeatFilter()
  /** Place to try first: the place after the one that was found last. */
  #next = 0

  /** @param action - action of the bundles to keep. Default: the action of the first bundle */
  constructor(maxRecords: number, action: Action | undefined) {
    this.#maxRecords = maxRecords
    this.#action = action
  }

  /** @throws AlvariumError `PAYLOAD_INVALID` for more than `maxRecords` */
  add(message: number, bundles: readonly VerifiedBundle[]): void {
    for (const [at, bundle] of bundles.entries()) {
      this.#action ??= bundle.action
      if (bundle.action === this.#action) this.#addOne(message, at + 1, bundle)
      else this.others++
    }
  }

  get length(): number {
    return this.#numbers.length
  }

  get numbers(): ArrayLike<number> {
    return this.#numbers.all
  }

  get hashes(): HashName[] {
    return [...this.#numbersOf.keys()]
  }

  placesOf(payloads: readonly Uint8Array[]): Int32Array {
    return Int32Array.from(payloads, (bytes) => this.#placeOf(bytes))
  }

  /** Returns the place of a record, without a search if the records are in their signed order. */
  placeOfKey(hash: HashName, key: string): number {
    if (this.#next < this.length) {
      const likely = this.#numbers.at(this.#next)
      if (this.#keys[likely] === key && this.#hashes[likely] === hash) return this.#next++
    }
    const number = this.#numbersOf.get(hash)?.get(key)
    if (number === undefined) return NOT_SIGNED
    this.#next = this.#firsts.at(number) + 1
    return this.#next - 1
  }

  at(place: number): SignedRecord {
    const number = this.#numbers.at(place)
    return {
      number: place + 1,
      message: this.#messages.at(place),
      bundle: this.#bundles.at(place),
      key: this.#keys[number] as string,
      hash: this.#hashes[number] as HashName,
    }
  }

  #placeOf(bytes: Uint8Array): number {
    for (const hash of this.#numbersOf.keys()) {
      const key = keyIfAny(bytes, hash)
      const place = key === undefined ? NOT_SIGNED : this.placeOfKey(hash, key)
      if (place !== NOT_SIGNED) return place
    }
    return NOT_SIGNED
  }

  #addOne(message: number, at: number, { key, hash, id }: VerifiedBundle): void {
    const number = this.#numberFor(hash, key)
    if (this.#repeats.isRepeated(number, id)) {
      this.repeated++
      return
    }
    if (this.length === this.#maxRecords) throw tooMany('messages', this.#maxRecords)
    this.#numbers.push(number)
    this.#messages.push(message)
    this.#bundles.push(at)
  }

  #numberFor(hash: HashName, key: string): number {
    const numbers = this.#numbersOf.get(hash) ?? new Map<string, number>()
    this.#numbersOf.set(hash, numbers)
    const known = numbers.get(key)
    if (known !== undefined) return known
    const number = this.#keys.length
    numbers.set(key, number)
    this.#keys.push(key)
    this.#hashes.push(hash)
    this.#firsts.push(this.length)
    return number
  }
}

/**
 * Recognises repeated bundles by 104 bits of their ids. Stores the first id of each record as two numbers, and ids as
 * strings only for records with several bundles.
 */
class RepeatFilter {
  readonly #firstHalves: number[] = []
  readonly #secondHalves: number[] = []
  readonly #ids = new Set<string>()

  /** Returns whether a bundle was seen before. @param number - number of the bundle's record */
  isRepeated(number: number, id: string): boolean {
    const [first, second] = [halfOf(id, 0), halfOf(id, HALF)]
    const known = this.#firstHalves[number]
    if (known === undefined) {
      this.#firstHalves[number] = first
      this.#secondHalves[number] = second
      return false
    }
    this.#ids.add(`${known} ${this.#secondHalves[number]}`)
    const name = `${first} ${second}`
    const isKnown = this.#ids.has(name)
    this.#ids.add(name)
    return isKnown
  }
}

/** Number of hexadecimal digits of an id that one double can represent exactly. */
const HALF = 13

const halfOf = (id: string, from: number) => Number.parseInt(id.slice(from, from + HALF), 16)

export function tooMany(field: string, maxRecords: number): AlvariumError {
  const got = 'more: compare parts of them, or raise maxRecords'
  return expected('PAYLOAD_INVALID', field, `at most ${maxRecords} records`, got)
}
