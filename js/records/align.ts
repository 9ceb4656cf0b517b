import { type Budget, longestCommon, longestIncreasing, type Pair } from './subsequences.js'

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
 * Those that are there once on both sides are told first, as in patience diff: a longest part of them that is still in order.
 * Between these, those that are there more than once are compared by Myers's algorithm. Where that would take too long, the first of
 * them is taken for the first, and so on: which of them have moved may then be told otherwise, and how many are missing may not.
 * So it takes n log n steps, whoever wrote the records.
 *
 * @param signed - what was signed, in order: numbers from 0, none above the first place that it stands at
 * @param found - what is there, in order; {@link UNSIGNED} for what was never signed
 */
export function align(signed: readonly number[], found: readonly number[]): Alignment {
  return new Aligning(signed, found).result()
}

class Aligning {
  readonly #signed: readonly number[]
  readonly #found: readonly number[]
  readonly #partners: Int32Array
  readonly #isInOrder: Uint8Array
  readonly #isTaken: Uint8Array
  readonly #budget: Budget

  constructor(signed: readonly number[], found: readonly number[]) {
    this.#signed = signed
    this.#found = found
    this.#partners = new Int32Array(found.length).fill(-1)
    this.#isInOrder = new Uint8Array(found.length)
    this.#isTaken = new Uint8Array(signed.length)
    this.#budget = { steps: STEPS_FREE + STEPS_EACH * (signed.length + found.length) }
  }

  result(): Alignment {
    let [from, start] = [0, 0]
    for (const [place, at] of anchorsOf(this.#signed, this.#found)) {
      this.#between(from, place, start, at)
      this.#keep(place, at)
      from = place + 1
      start = at + 1
    }
    this.#between(from, this.#signed.length, start, this.#found.length)
    this.#move()
    return { partners: this.#partners, isInOrder: this.#isInOrder }
  }

  #keep(place: number, at: number): void {
    this.#partners[at] = place
    this.#isInOrder[at] = 1
    this.#isTaken[place] = 1
  }

  /** Compares what was signed between two places with what is there between two others. */
  #between(from: number, to: number, start: number, end: number): void {
    while (from < to && start < end && this.#signed[from] === this.#found[start]) this.#keep(from++, start++)
    while (from < to && start < end && this.#signed[to - 1] === this.#found[end - 1]) this.#keep(--to, --end)
    if (from === to || start === end) return
    const there = new Set(this.#found.slice(start, end))
    const places = placesOf(this.#signed, from, to, there)
    const ats = placesOf(
      this.#found,
      start,
      end,
      new Set(places.map((place) => this.#signed[place] as number)),
    )
    const numbers = places.map((place) => this.#signed[place] as number)
    const others = ats.map((at) => this.#found[at] as number)
    for (const [one, other] of longestCommon(numbers, others, this.#budget) ??
      orderedInTurn(numbers, others)) {
      this.#keep(places[one] as number, ats[other] as number)
    }
  }

  /** What is there, and was signed, and stands somewhere else now. */
  #move(): void {
    const places = [...this.#signed.keys()].filter((place) => !this.#isTaken[place])
    const ats = [...this.#found.keys()].filter((at) => this.#partners[at] === -1)
    const numbers = places.map((place) => this.#signed[place] as number)
    const others = ats.map((at) => this.#found[at] as number)
    for (const [one, other] of inTurn(numbers, others)) {
      this.#partners[ats[other] as number] = places[one] as number
    }
  }
}

/** What is on both sides exactly once, as much of it as is in order. */
function anchorsOf(signed: readonly number[], found: readonly number[]): Pair[] {
  const places = placesOfSingles(signed, signed.length)
  const ats = placesOfSingles(found, signed.length)
  const pairs: Pair[] = []
  for (const [at, number] of found.entries()) {
    const place = places[number] ?? NONE
    if (place >= 0 && ats[number] === at) pairs.push([place, at])
  }
  return longestIncreasing(pairs.map(([place]) => place)).map((one) => pairs[one] as Pair)
}

const NONE = -1
const MORE = -2

/** For each number below `count` where it is, if it is there once. */
function placesOfSingles(numbers: readonly number[], count: number): Int32Array {
  const places = new Int32Array(count).fill(NONE)
  for (const [at, number] of numbers.entries()) {
    if (number !== UNSIGNED) places[number] = places[number] === NONE ? at : MORE
  }
  return places
}

/** Places between two, of numbers that are among those. */
function placesOf(
  numbers: readonly number[],
  from: number,
  to: number,
  among: ReadonlySet<number>,
): number[] {
  const places: number[] = []
  for (let at = from; at < to; at++) {
    const number = numbers[at] as number
    if (number !== UNSIGNED && among.has(number)) places.push(at)
  }
  return places
}

/** Of those that are alike the first with the first, the second with the second, as far as these are in order. */
function orderedInTurn(first: readonly number[], second: readonly number[]): Pair[] {
  const pairs = inTurn(first, second)
  return longestIncreasing(pairs.map(([place]) => place)).map((one) => pairs[one] as Pair)
}

/** Of those that are alike the first with the first, the second with the second, in the order of the second sequence. */
function inTurn(first: readonly number[], second: readonly number[]): Pair[] {
  /** Where the next one of each is that has no partner yet, and where the one of its like is that follows it. */
  const next = new Map<number, number>()
  const following = new Int32Array(first.length)
  for (let at = first.length - 1; at >= 0; at--) {
    following[at] = next.get(first[at] as number) ?? -1
    next.set(first[at] as number, at)
  }
  const pairs: Pair[] = []
  for (const [at, number] of second.entries()) {
    const place = next.get(number) ?? -1
    if (place === -1) continue
    pairs.push([place, at])
    next.set(number, following[place] as number)
  }
  return pairs
}
