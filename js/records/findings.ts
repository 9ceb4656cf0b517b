import type { AlvariumError } from '../base/errors.js'
import { countBefore } from '../base/search.js'
import { type Alignment, aligning, type Numbers } from './align.js'
import type { FoundRecords, RecordPlace } from './found.js'
import { NumberList } from './number-list.js'
import type { SignedOrder, SignedRecord } from './signed.js'
import { STEP } from './subsequences.js'

/** A difference between records and what was signed about them, or a message that did not verify. */
export type Finding =
  /** The records around it are as they were signed; in its place stood another one. */
  | { readonly kind: 'altered'; readonly record: RecordPlace; readonly signed: SignedRecord }
  /** It was signed, and is not there any more. `after` is the record that stood before it; undefined at the beginning. */
  | { readonly kind: 'missing'; readonly signed: SignedRecord; readonly after: RecordPlace | undefined }
  /** No verified message is about it; or, where `isCopy` is true, fewer than there are copies of it. */
  | { readonly kind: 'extra'; readonly record: RecordPlace; readonly isCopy: boolean }
  /** It stands somewhere else. `after` is the record that it stood behind; undefined at the beginning. */
  | {
      readonly kind: 'moved'
      readonly record: RecordPlace
      readonly signed: SignedRecord
      readonly after: RecordPlace | undefined
    }
  /** It was signed more often than it is there: it was signed twice, or a copy of it was removed. `record` is the first that is there. */
  | { readonly kind: 'twice'; readonly record: RecordPlace; readonly signed: SignedRecord }
  /** A message that did not verify, by its number from 1: what it says about records counts as not signed. */
  | { readonly kind: 'refused'; readonly message: number; readonly error: AlvariumError }

/** A finding about records. */
export type RecordDifference = Exclude<Finding, { kind: 'refused' }>

/** Compares records with what was signed, in steps. */
export function* comparing(signed: SignedOrder, found: FoundRecords): Generator<void, Comparison> {
  const numbers = { signed: signed.numbers, found: found.numbers }
  const alignment = yield* aligning(numbers.signed, numbers.found)
  const { partners, isInOrder } = alignment
  const isThere = new Uint8Array(signed.length)
  const [ats, places] = [new NumberList(Int32Array), new NumberList(Int32Array)]
  for (let at = 0; at < partners.length; at++) {
    if (at % STEP === 0) yield
    const place = partners[at] as number
    if (place >= 0) isThere[place] = 1
    if (!isInOrder[at]) continue
    ats.push(at)
    places.push(place)
  }
  const firsts = yield* firstsOf(numbers.found, signed.length)
  const inOrder = { ats: ats.all, places: places.all }
  return new Comparison({ signed, found, numbers, alignment, isThere, ...inOrder, firsts })
}

/** What is known about records and what was signed. */
interface Compared {
  readonly signed: SignedOrder
  readonly found: FoundRecords
  readonly numbers: { readonly signed: Numbers; readonly found: Numbers }
  readonly alignment: Alignment
  /** Which of what was signed is there, in order or not. */
  readonly isThere: Uint8Array
  /** The records that are in order, and where they were signed: both ascending. */
  readonly ats: Numbers
  readonly places: Numbers
  /** The first record of each number. */
  readonly firsts: Int32Array
}

export class Comparison {
  readonly #signed: SignedOrder
  readonly #found: FoundRecords
  readonly #numbers: Compared['numbers']
  readonly #alignment: Alignment
  readonly #isThere: Uint8Array
  readonly #ats: Numbers
  readonly #places: Numbers
  readonly #firsts: Int32Array

  constructor({ signed, found, numbers, alignment, isThere, ats, places, firsts }: Compared) {
    this.#signed = signed
    this.#found = found
    this.#numbers = numbers
    this.#alignment = alignment
    this.#isThere = isThere
    this.#ats = ats
    this.#places = places
    this.#firsts = firsts
  }

  /** What they differ in, in the order of the records. */
  *differences(): Generator<RecordDifference, void> {
    let [from, start] = [0, 0]
    for (let index = 0; index < this.#ats.length; index++) {
      const at = this.#ats[index] as number
      const place = this.#places[index] as number
      if (place > from || at > start) yield* this.#between(from, place, start, at)
      from = place + 1
      start = at + 1
    }
    yield* this.#between(from, this.#signed.length, start, this.#found.length)
  }

  /** Between two records that are in order. Only where as many are new as are gone it is clear which one is in whose place. */
  *#between(from: number, to: number, start: number, end: number): Generator<RecordDifference, void> {
    const isGone = (place: number) => !this.#isThere[place]
    const isNew = (at: number) => this.#alignment.partners[at] === -1
    const areAltered = countOf(from, to, isGone) === countOf(start, end, isNew)
    if (!areAltered) {
      for (let place = from; place < to; place++) if (isGone(place)) yield this.#gone(place, start)
    }
    let place = from
    for (let at = start; at < end; at++) {
      if (!isNew(at)) yield this.#moved(at)
      else if (areAltered) {
        while (!isGone(place)) place++
        yield this.#altered(at, place++)
      } else yield this.#extra(at)
    }
  }

  #gone(place: number, start: number): RecordDifference {
    const signed = this.#signed.at(place)
    const first = this.#firsts[this.#numbers.signed[place] as number] as number
    if (first >= 0 && !this.#signed.isWhole) return { kind: 'twice', record: this.#found.at(first), signed }
    return { kind: 'missing', signed, after: start > 0 ? this.#found.at(start - 1) : undefined }
  }

  #moved(at: number): RecordDifference {
    const place = this.#alignment.partners[at] as number
    const isBefore = (index: number) => (this.#places[index] as number) < place
    const before = this.#ats[countBefore(this.#places.length, isBefore) - 1]
    const after = before === undefined ? undefined : this.#found.at(before)
    return { kind: 'moved', record: this.#found.at(at), signed: this.#signed.at(place), after }
  }

  #altered(at: number, place: number): RecordDifference {
    return { kind: 'altered', record: this.#found.at(at), signed: this.#signed.at(place) }
  }

  #extra(at: number): RecordDifference {
    const isCopy = (this.#numbers.found[at] as number) >= 0
    return { kind: 'extra', record: this.#found.at(at), isCopy }
  }
}

/** Without a list of them: there may be millions between two records. */
function countOf(from: number, until: number, is: (at: number) => boolean): number {
  let count = 0
  for (let at = from; at < until; at++) if (is(at)) count++
  return count
}

/** Where each number is for the first time; -1 for one that is not there. */
function* firstsOf(numbers: Numbers, count: number): Generator<void, Int32Array> {
  const firsts = new Int32Array(count).fill(-1)
  for (let at = numbers.length - 1; at >= 0; at--) {
    if (at % STEP === 0) yield
    const number = numbers[at] as number
    if (number >= 0) firsts[number] = at
  }
  return firsts
}
