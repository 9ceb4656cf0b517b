import { type AlvariumError, expected } from '../base/errors.js'
import type { Action, HashName } from '../model/bundle.js'
import type { VerifiedBundle } from '../verify/options.js'
import { UNSIGNED } from './align.js'

/** What was signed about a record, and where that stands. */
export interface SignedRecord {
  /** Which one it is in the order of the messages, from 1. */
  readonly number: number
  /** Which message it is in, from 1. */
  readonly message: number
  /** Which bundle of the message it is, from 1. */
  readonly bundle: number
  /** The payload key of the record as it was signed. */
  readonly key: string
  /** The hash that made the key. */
  readonly hash: HashName
}

/** What was signed, in the order of the messages. Records that are alike have the same number here, from 0. */
export class SignedRecords {
  /** The number of each of them. */
  readonly numbers: number[] = []
  /** Bundles that came again: the same ones, as brokers deliver them twice. */
  repeated = 0
  /** Bundles about other actions. */
  others = 0
  readonly #most: number
  #action: Action | undefined
  readonly #messages: number[] = []
  readonly #bundles: number[] = []
  readonly #numbersOf = new Map<HashName, Map<string, number>>()
  readonly #keys: string[] = []
  readonly #hashes: HashName[] = []
  /** Where each number stands for the first time. */
  readonly #firsts: number[] = []
  readonly #repeats = new Repeats()
  /** The place behind the one that was asked for last. */
  #next = 0

  /**
   * @param most - how many there may be
   * @param action - what they have to say; what the first of them says, unless given
   */
  constructor(most: number, action: Action | undefined) {
    this.#most = most
    this.#action = action
  }

  /** @throws AlvariumError `PAYLOAD_INVALID` when there are too many */
  add(message: number, bundles: readonly VerifiedBundle[]): void {
    for (const [at, bundle] of bundles.entries()) {
      this.#action ??= bundle.action
      if (bundle.action === this.#action) this.#addOne(message, at + 1, bundle)
      else this.others++
    }
  }

  /** Which hashes made their keys. */
  get hashes(): HashName[] {
    return [...this.#numbersOf.keys()]
  }

  /** Which number a record with this key has. Where records are as they were signed, nothing has to be looked up. */
  numberOf(hash: HashName, key: string): number {
    const likely = this.numbers[this.#next] ?? UNSIGNED
    if (this.#keys[likely] === key && this.#hashes[likely] === hash) {
      this.#next++
      return likely
    }
    const number = this.#numbersOf.get(hash)?.get(key) ?? UNSIGNED
    if (number !== UNSIGNED) this.#next = (this.#firsts[number] as number) + 1
    return number
  }

  at(place: number): SignedRecord {
    const number = this.numbers[place] as number
    return {
      number: place + 1,
      message: this.#messages[place] as number,
      bundle: this.#bundles[place] as number,
      key: this.#keys[number] as string,
      hash: this.#hashes[number] as HashName,
    }
  }

  #addOne(message: number, at: number, { key, hash, id }: VerifiedBundle): void {
    const number = this.#numberFor(hash, key)
    if (this.#repeats.isOne(number, id)) {
      this.repeated++
      return
    }
    if (this.numbers.length === this.#most) throw tooMany('messages', this.#most)
    this.numbers.push(number)
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
    this.#firsts.push(this.numbers.length)
    return number
  }
}

/** Knows bundles that come again by 104 bits of their id, and only of records that are signed more than once in full. */
class Repeats {
  readonly #firstHalves: number[] = []
  readonly #secondHalves: number[] = []
  readonly #ids = new Set<string>()

  /** Whether it has come before. @param number - of its record */
  isOne(number: number, id: string): boolean {
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

/** Hexadecimal digits that a number holds exactly. */
const HALF = 13

const halfOf = (id: string, from: number) => Number.parseInt(id.slice(from, from + HALF), 16)

export function tooMany(what: string, most: number): AlvariumError {
  const got = 'more: compare parts of them, or raise maxRecords'
  return expected('PAYLOAD_INVALID', what, `at most ${most} records`, got)
}
