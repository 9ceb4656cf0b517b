import type { AlvariumError } from '../../foundation/base/errors.js'
import { countBefore } from '../../foundation/base/search.js'
import { type Alignment, alignSteps } from './align.js'
import type { FoundRecords, RecordPlace } from './found-records.js'
import { NumberList } from './number-list.js'
import type { SignedOrder, SignedRecord } from './signed-records.js'
import { type Numbers, STEP } from './subsequences.js'

/** Difference between records and their signed messages, or a message that did not verify. */
export type Finding =
  /** New record in place of a missing one, in a gap between unchanged records with equally many of both. */
  | { readonly kind: 'altered'; readonly record: RecordPlace; readonly signed: SignedRecord }
  /** Signed record that is absent. `after` is the found record before the gap; undefined at the beginning. */
  | { readonly kind: 'missing'; readonly signed: SignedRecord; readonly after: RecordPlace | undefined }
  /** Record without a verified message. `isCopy` is true if the record was signed, but less often than it occurs. */
  | { readonly kind: 'extra'; readonly record: RecordPlace; readonly isCopy: boolean }
  /** Record that has moved. `after` is the record that it followed when it was signed; undefined at the beginning. */
  | {
      readonly kind: 'moved'
      readonly record: RecordPlace
      readonly signed: SignedRecord
      readonly after: RecordPlace | undefined
    }
  /** Record that was signed twice, or that lost a copy. `record` is the first place where the record still occurs. */
  | { readonly kind: 'twice'; readonly record: RecordPlace; readonly signed: SignedRecord }
  /** Message that did not verify, and its number, counted from 1. The records in the message count as not signed. */
  | { readonly kind: 'refused'; readonly message: number; readonly error: AlvariumError }

export type RecordDifference = Exclude<Finding, { kind: 'refused' }>

export function* compareSteps(signed: SignedOrder, found: FoundRecords): Generator<void, Comparison> {
  const numbers = { signed: signed.numbers, found: found.numbers }
  const alignment = yield* alignSteps(numbers.signed, numbers.found)
  const { partners, isInOrder } = alignment
  const isPresent = new Uint8Array(signed.length)
  const [ats, places] = [new NumberList(Int32Array), new NumberList(Int32Array)]
  for (let at = 0; at < partners.length; at++) {
    if (at % STEP === 0) yield
    const place = partners[at] as number
    if (place >= 0) isPresent[place] = 1
    if (!isInOrder[at]) continue
    ats.push(at)
    places.push(place)
  }
  const firsts = yield* firstsOf(numbers.found, signed.length)
  const inOrder = { ats: ats.all, places: places.all }
  return new Comparison({ signed, found, numbers, alignment, isPresent, ...inOrder, firsts })
}

interface ComparisonFacts {
  readonly signed: SignedOrder
  readonly found: FoundRecords
  readonly numbers: { readonly signed: Numbers; readonly found: Numbers }
  readonly alignment: Alignment
  /** Flag of each signed record: 1 if the record was found, in order or not. */
  readonly isPresent: Uint8Array
  /** Places of the records that are in order, among the found records and in the signed order. Both lists ascend. */
  readonly ats: Numbers
  readonly places: Numbers
  /** First found record with each number; -1 if there is none. */
  readonly firsts: Int32Array
}

export class Comparison {
  readonly #facts: ComparisonFacts

  constructor(facts: ComparisonFacts) {
    this.#facts = facts
  }

  *differences(): Generator<RecordDifference, void> {
    const { signed, found, ats, places } = this.#facts
    let [from, start] = [0, 0]
    for (let index = 0; index < ats.length; index++) {
      const [at, place] = [ats[index] as number, places[index] as number]
      if (place > from || at > start) yield* this.#between(from, place, start, at)
      from = place + 1
      start = at + 1
    }
    yield* this.#between(from, signed.length, start, found.length)
  }

  /**
   * Yields the differences in the gap between two records that are in order. If the gap has as many new
   * records as missing ones, the new ones count as altered.
   */
  *#between(from: number, to: number, start: number, end: number): Generator<RecordDifference, void> {
    const { isPresent, alignment } = this.#facts
    const isMissing = (place: number) => !isPresent[place]
    const isNew = (at: number) => alignment.partners[at] === -1
    const areAltered = countOf(from, to, isMissing) === countOf(start, end, isNew)
    if (!areAltered) {
      for (let place = from; place < to; place++) if (isMissing(place)) yield this.#missing(place, start)
    }
    let place = from
    for (let at = start; at < end; at++) {
      if (!isNew(at)) yield this.#moved(at)
      else if (areAltered) {
        while (!isMissing(place)) place++
        yield this.#altered(at, place++)
      } else yield this.#extra(at)
    }
  }

  #missing(place: number, start: number): RecordDifference {
    const { signed, found, numbers, firsts } = this.#facts
    const first = firsts[numbers.signed[place] as number] as number
    if (first >= 0 && !signed.isWhole)
      return { kind: 'twice', record: found.at(first), signed: signed.at(place) }
    const after = start > 0 ? found.at(start - 1) : undefined
    return { kind: 'missing', signed: signed.at(place), after }
  }

  #moved(at: number): RecordDifference {
    const { signed, found, alignment, ats, places } = this.#facts
    const place = alignment.partners[at] as number
    const isBefore = (index: number) => (places[index] as number) < place
    const before = ats[countBefore(places.length, isBefore) - 1]
    const after = before === undefined ? undefined : found.at(before)
    return { kind: 'moved', record: found.at(at), signed: signed.at(place), after }
  }

  #altered(at: number, place: number): RecordDifference {
    const { signed, found } = this.#facts
    return { kind: 'altered', record: found.at(at), signed: signed.at(place) }
  }

  #extra(at: number): RecordDifference {
    const { found, numbers } = this.#facts
    return { kind: 'extra', record: found.at(at), isCopy: (numbers.found[at] as number) >= 0 }
  }
}

function countOf(from: number, until: number, is: (at: number) => boolean): number {
  let count = 0
  for (let at = from; at < until; at++) if (is(at)) count++
  return count
}

/** Returns the first place of each number below `count`; -1 for absent numbers. */
function* firstsOf(numbers: Numbers, count: number): Generator<void, Int32Array> {
  const firsts = new Int32Array(count).fill(-1)
  for (let at = numbers.length - 1; at >= 0; at--) {
    if (at % STEP === 0) yield
    const number = numbers[at] as number
    if (number >= 0) firsts[number] = at
  }
  return firsts
}
