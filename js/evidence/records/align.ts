import { NumberList } from './number-list.js'
import {
  type Budget,
  itemsAt,
  longestCommon,
  longestIncreasing,
  type Numbers,
  numbersIn,
  type Pair,
  placesWhere,
  STEP,
} from './subsequences.js'

/** Number that stands for every record that nobody signed. */
export const NOT_SIGNED = -1

/** Pairs of found and signed records that are equal. */
export interface Alignment {
  /** Place of the equal signed record for each found record; -1 if there is none. */
  readonly partners: Int32Array
  /**
   * Flag for each found record: 1 if it is in the signed order; 0 if it moved, or equals no signed record.
   */
  readonly isInOrder: Uint8Array
}

/** Number of steps per record that {@link longestCommon} may take. */
const STEPS_PER_RECORD = 64
const MIN_STEPS = 1_000_000

/**
 * Pairs each found record with an equal signed record, so that as few records as possible have moved. Records are
 * given as numbers, and equal records have the same number.
 *
 * Equal records at both ends are paired first. Next come records that occur once on each side, as in patience diff:
 * the longest subsequence of them that is in order. Between these, Myers's algorithm compares records that occur more
 * than once. If that would take too long, equal records are paired in their order of occurrence. Other
 * records may then be reported as moved, but the number of missing records stays the same. The total is n log n steps
 * for any input.
 *
 * The generator yields about once per millisecond. A million records take seconds.
 *
 * @param signed - numbers of the signed records in order. No number exceeds the place, from 0, of its first record
 * @param found - numbers of the found records in order; {@link NOT_SIGNED} for records that were never signed
 */
export function alignSteps(signed: Numbers, found: Numbers): Generator<void, Alignment> {
  return new Aligner(signed, found).result()
}

class Aligner {
  readonly #signed: Numbers
  readonly #found: Numbers
  readonly #partners: Int32Array
  readonly #isInOrder: Uint8Array
  readonly #isPaired: Uint8Array
  readonly #budget: Budget

  constructor(signed: Numbers, found: Numbers) {
    this.#signed = signed
    this.#found = found
    this.#partners = new Int32Array(found.length).fill(-1)
    this.#isInOrder = new Uint8Array(found.length)
    this.#isPaired = new Uint8Array(signed.length)
    this.#budget = { steps: MIN_STEPS + STEPS_PER_RECORD * (signed.length + found.length) }
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
        this.#pair(place, at)
        from = place + 1
        start = at + 1
      }
      yield* this.#between({ from, to: rest.to, start, end: rest.end })
    }
    yield* this.#move()
    return { partners: this.#partners, isInOrder: this.#isInOrder }
  }

  #pair(place: number, at: number): void {
    this.#partners[at] = place
    this.#isInOrder[at] = 1
    this.#isPaired[place] = 1
  }

  /** Pairs equal records at both ends of a range, and returns the rest of the range. */
  *#matchEnds(range: Range): Generator<void, Range> {
    let { from, to, start, end } = range
    while (from < to && start < end && this.#signed[from] === this.#found[start]) {
      if (from % STEP === 0) yield
      this.#pair(from++, start++)
    }
    while (from < to && start < end && this.#signed[to - 1] === this.#found[end - 1]) {
      if (to % STEP === 0) yield
      this.#pair(--to, --end)
    }
    return { from, to, start, end }
  }

  *#between(range: Range): Generator<void, void> {
    const rest = yield* this.#matchEnds(range)
    if (isEmpty(rest)) return
    const { from, to, start, end } = rest
    const [isSigned, isFound] = [
      yield* numbersIn(this.#signed, from, to),
      yield* numbersIn(this.#found, start, end),
    ]
    const places = yield* placesWhere(from, to, (place) => isFound.has(this.#signed[place] as number))
    const ats = yield* placesWhere(start, end, (at) => isSigned.has(this.#found[at] as number))
    const numbers = yield* itemsAt(this.#signed, places)
    const others = yield* itemsAt(this.#found, ats)
    const pairs = yield* longestCommon(numbers, others, this.#budget)
    for (const [one, other] of pairs ?? (yield* pairInOrder(numbers, others))) {
      if (one % STEP === 0) yield
      this.#pair(places[one] as number, ats[other] as number)
    }
  }

  /** Pairs equal records that have no partner yet, regardless of their order: they have moved. */
  *#move(): Generator<void, void> {
    const places = yield* placesWhere(0, this.#signed.length, (place) => !this.#isPaired[place])
    const ats = yield* placesWhere(0, this.#found.length, (at) => this.#partners[at] === -1)
    const numbers = yield* itemsAt(this.#signed, places)
    const others = yield* itemsAt(this.#found, ats)
    for (const [one, other] of yield* pairInTurn(numbers, others)) {
      if (one % STEP === 0) yield
      this.#partners[ats[other] as number] = places[one] as number
    }
  }
}

/** Range of signed records from `from` to `to`, and of found records from `start` to `end`. Ends are exclusive. */
interface Range {
  readonly from: number
  readonly to: number
  readonly start: number
  readonly end: number
}

function isEmpty({ from, to, start, end }: Range): boolean {
  return from === to || start === end
}

/** Pairs records that occur once on each side, and returns a longest subsequence of the pairs that is in order. */
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

const NONE = -1
const SEVERAL = -2

/** Returns the only place of each number below `count`; `NONE` for no place, `SEVERAL` for more. */
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
    if (number !== NOT_SIGNED) places[number] = places[number] === NONE ? at : SEVERAL
  }
  return places
}

/** Pairs equal numbers in order of occurrence, and keeps a longest subsequence of pairs that is in order. */
function* pairInOrder(first: Numbers, second: Numbers): Generator<void, Pair[]> {
  const pairs = yield* pairInTurn(first, second)
  const firsts: number[] = []
  for (const [place] of pairs) {
    if (firsts.length % STEP === 0) yield
    firsts.push(place)
  }
  return yield* itemsAt(pairs, yield* longestIncreasing(firsts))
}

/** Pairs each nth occurrence of a number in `first` with the nth in `second`. Pairs follow the order of `second`. */
function* pairInTurn(first: Numbers, second: Numbers): Generator<void, Pair[]> {
  /** First unpaired place of each number. `following` has, for each place, the next place with the same number. */
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
