import { NumberList } from './number-list.js'
import {
  type Budget,
  longestCommon,
  longestIncreasing,
  type Numbers,
  type Pair,
  STEP,
} from './subsequences.js'

export type { Numbers }

/** What stands in for the key of a record that nobody signed. */
export const UNSIGNED = -1

/** Which record is which of those that were signed. */
export interface Alignment {
  /** For each record the place of its like among those that were signed; -1 where it has none. */
  readonly partners: Int32Array
  /** For each record 1 if it stands between the same as it did; 0 if it has moved, or has no partner. */
  readonly isInOrder: Uint8Array
}

/** Steps for each record that comparing those that are alike may take. */
const STEPS_EACH = 64
const STEPS_FREE = 1_000_000

/**
 * Finds each record among those that were signed, so that as few as possible have moved. Records are numbers here: those that are
 * alike have the same one.
 *
 * Records that are alike at both ends are paired first. Records that are there once on both sides come next, as in patience diff: a
 * longest part of them that is still in order.
 * Between these, those that are there more than once are compared by Myers's algorithm. Where that would take too long, the first of
 * them is taken for the first, and so on: which of them have moved may then be told otherwise, and how many are missing may not.
 * So it takes n log n steps, whoever wrote the records.
 *
 * In steps of about a millisecond: a million records take seconds.
 *
 * @param signed - what was signed, in order: numbers from 0, none above the first place that it stands at
 * @param found - what is there, in order; {@link UNSIGNED} for what was never signed
 */
export function aligning(signed: Numbers, found: Numbers): Generator<void, Alignment> {
  return new Aligning(signed, found).result()
}

class Aligning {
  readonly #signed: Numbers
  readonly #found: Numbers
  readonly #partners: Int32Array
  readonly #isInOrder: Uint8Array
  readonly #isTaken: Uint8Array
  readonly #budget: Budget

  constructor(signed: Numbers, found: Numbers) {
    this.#signed = signed
    this.#found = found
    this.#partners = new Int32Array(found.length).fill(-1)
    this.#isInOrder = new Uint8Array(found.length)
    this.#isTaken = new Uint8Array(signed.length)
    this.#budget = { steps: STEPS_FREE + STEPS_EACH * (signed.length + found.length) }
  }

  *result(): Generator<void, Alignment> {
    const rest = yield* this.#matchEnds({
      from: 0,
      to: this.#signed.length,
      start: 0,
      end: this.#found.length,
    })
    let { from, start } = rest
    if (!isEmpty(rest)) {
      const { places, ats } = yield* anchorsIn(this.#signed, this.#found, rest)
      for (let index = 0; index < places.length; index++) {
        if (index % STEP === 0) yield
        const [place, at] = [places[index] as number, ats[index] as number]
        if (from < place && start < at) yield* this.#between({ from, to: place, start, end: at })
        this.#keep(place, at)
        from = place + 1
        start = at + 1
      }
      yield* this.#between({ from, to: rest.to, start, end: rest.end })
    }
    yield* this.#move()
    return { partners: this.#partners, isInOrder: this.#isInOrder }
  }

  #keep(place: number, at: number): void {
    this.#partners[at] = place
    this.#isInOrder[at] = 1
    this.#isTaken[place] = 1
  }

  /** Keeps what is alike at both ends of a range. Returns what is between them. */
  *#matchEnds(range: Range): Generator<void, Range> {
    let { from, to, start, end } = range
    while (from < to && start < end && this.#signed[from] === this.#found[start]) {
      if (from % STEP === 0) yield
      this.#keep(from++, start++)
    }
    while (from < to && start < end && this.#signed[to - 1] === this.#found[end - 1]) {
      if (to % STEP === 0) yield
      this.#keep(--to, --end)
    }
    return { from, to, start, end }
  }

  /** Compares what was signed between two places with what is there between two others. */
  *#between(range: Range): Generator<void, void> {
    const rest = yield* this.#matchEnds(range)
    if (isEmpty(rest)) return
    const { from, to, start, end } = rest
    const places = yield* placesOf(this.#signed, from, to, yield* numbersIn(this.#found, start, end))
    const ats = yield* placesOf(this.#found, start, end, yield* numbersIn(this.#signed, from, to))
    const numbers = yield* at(this.#signed, places)
    const others = yield* at(this.#found, ats)
    const pairs = yield* longestCommon(numbers, others, this.#budget)
    for (const [one, other] of pairs ?? (yield* orderedInTurn(numbers, others))) {
      if (one % STEP === 0) yield
      this.#keep(places[one] as number, ats[other] as number)
    }
  }

  /** What is there, and was signed, and stands somewhere else now. */
  *#move(): Generator<void, void> {
    const places = yield* placesWhere(this.#signed.length, (place) => !this.#isTaken[place])
    const ats = yield* placesWhere(this.#found.length, (at) => this.#partners[at] === -1)
    const numbers = yield* at(this.#signed, places)
    const others = yield* at(this.#found, ats)
    for (const [one, other] of yield* inTurn(numbers, others)) {
      if (one % STEP === 0) yield
      this.#partners[ats[other] as number] = places[one] as number
    }
  }
}

/** Places of signed records, `from` to `to`, and of records that are there, `start` to `end`. */
interface Range {
  readonly from: number
  readonly to: number
  readonly start: number
  readonly end: number
}

function isEmpty({ from, to, start, end }: Range): boolean {
  return from === to || start === end
}

/** Pairs records that are in a range exactly once on both sides, as many of them as are in order. */
function* anchorsIn(signed: Numbers, found: Numbers, { from, to, start, end }: Range) {
  const placeOf = yield* placesOfSingles(signed, from, to, signed.length)
  const atOf = yield* placesOfSingles(found, start, end, signed.length)
  const [places, ats] = [new NumberList(Int32Array), new NumberList(Int32Array)]
  for (let at = start; at < end; at++) {
    if (at % STEP === 0) yield
    const number = found[at] as number
    const place = placeOf[number] ?? NONE
    if (place < 0 || atOf[number] !== at) continue
    places.push(place)
    ats.push(at)
  }
  const order = yield* longestIncreasing(places.all)
  return { places: order.map((one) => places.at(one)), ats: order.map((one) => ats.at(one)) }
}

/** A longest part of the pairs in which both sides ascend; the second one does already. */
function* inOrder(pairs: readonly Pair[]): Generator<void, Pair[]> {
  const firsts: number[] = []
  for (const [first] of pairs) {
    if (firsts.length % STEP === 0) yield
    firsts.push(first)
  }
  return yield* at(pairs, yield* longestIncreasing(firsts))
}

/** Items of a list by their places. */
function* at<T>(list: ArrayLike<T>, places: Iterable<number>): Generator<void, T[]> {
  const items: T[] = []
  for (const place of places) {
    if (items.length % STEP === 0) yield
    items.push(list[place] as T)
  }
  return items
}

/** Places below `count` that have something about them. */
function* placesWhere(count: number, has: (place: number) => boolean): Generator<void, number[]> {
  const places: number[] = []
  for (let place = 0; place < count; place++) {
    if (place % STEP === 0) yield
    if (has(place)) places.push(place)
  }
  return places
}

/** Which numbers are between two places. */
function* numbersIn(numbers: Numbers, from: number, to: number): Generator<void, Set<number>> {
  const all = new Set<number>()
  for (let at = from; at < to; at++) {
    if (at % STEP === 0) yield
    all.add(numbers[at] as number)
  }
  return all
}

const NONE = -1
const MORE = -2

/** Returns for each number below `count` its place between two, if it is there once. */
function* placesOfSingles(
  numbers: Numbers,
  from: number,
  to: number,
  count: number,
): Generator<void, Int32Array> {
  const places = new Int32Array(count).fill(NONE)
  for (let at = from; at < to; at++) {
    if (at % STEP === 0) yield
    const number = numbers[at] as number
    if (number !== UNSIGNED) places[number] = places[number] === NONE ? at : MORE
  }
  return places
}

/** Places between two, of numbers that are among those. */
function* placesOf(
  numbers: Numbers,
  from: number,
  to: number,
  among: ReadonlySet<number>,
): Generator<void, number[]> {
  const places: number[] = []
  for (let at = from; at < to; at++) {
    if (at % STEP === 0) yield
    const number = numbers[at] as number
    if (number !== UNSIGNED && among.has(number)) places.push(at)
  }
  return places
}

/** Of those that are alike the first with the first, the second with the second, as far as these are in order. */
function* orderedInTurn(first: Numbers, second: Numbers): Generator<void, Pair[]> {
  return yield* inOrder(yield* inTurn(first, second))
}

/** Of those that are alike the first with the first, the second with the second, in the order of the second sequence. */
function* inTurn(first: Numbers, second: Numbers): Generator<void, Pair[]> {
  /** Where the next one of each is that has no partner yet, and where the one of its like is that follows it. */
  const next = new Map<number, number>()
  const following = new Int32Array(first.length)
  for (let at = first.length - 1; at >= 0; at--) {
    if (at % STEP === 0) yield
    following[at] = next.get(first[at] as number) ?? -1
    next.set(first[at] as number, at)
  }
  const pairs: Pair[] = []
  for (let at = 0; at < second.length; at++) {
    if (at % STEP === 0) yield
    const number = second[at] as number
    const place = next.get(number) ?? -1
    if (place === -1) continue
    pairs.push([place, at])
    next.set(number, following[place] as number)
  }
  return pairs
}
