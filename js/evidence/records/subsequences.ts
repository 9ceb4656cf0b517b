import { countBefore } from '../../foundation/base/search.js'

/** Number of items that a generator processes before it yields. */
export const STEP = 4096

export interface Budget {
  steps: number
}

export type Numbers = ArrayLike<number>

/** Places of the same number in two sequences. */
export type Pair = readonly [first: number, second: number]

/** Maximum number of differences. Memory grows with the square of the number of differences, up to 32 MiB. */
const MAX_DIFFERENCES = 4096

/**
 * Finds a longest common subsequence of two sequences, by the greedy algorithm of E. W. Myers, "An O(ND)
 * difference algorithm and its variations" (1986). The time depends on the number of differences.
 *
 * @param budget - number of steps that may be taken; reduced by the steps that were taken
 * @returns pairs of places, in order; undefined if the search would take more steps or memory than allowed
 */
export function* longestCommon(
  first: Numbers,
  second: Numbers,
  budget: Budget,
): Generator<void, Pair[] | undefined> {
  const rounds: Int32Array[] = []
  let left = budget.steps
  for (let differences = 0; differences <= MAX_DIFFERENCES; differences++) {
    if (left - budget.steps >= STEP) {
      yield
      left = budget.steps
    }
    const round = nextRound(rounds.at(-1), first, second, budget)
    rounds.push(round)
    const middle = (first.length - second.length + differences) / 2
    if (round[middle] === first.length) return tracePairs(rounds, middle, first.length)
    if (budget.steps < 0) return undefined
  }
  return undefined
}

/**
 * Returns how far each diagonal reaches in the first sequence, with one more difference than in `last`. With
 * d differences, the diagonals -d, -d + 2 … d have the indexes 0, 1 … d.
 */
function nextRound(
  last: Int32Array | undefined,
  first: Numbers,
  second: Numbers,
  budget: Budget,
): Int32Array {
  const round = new Int32Array(last ? last.length + 1 : 1)
  for (let at = 0; at < round.length; at++) {
    const diagonal = 2 * at - (round.length - 1)
    const start = last ? startOf(last, at) : 0
    let x = start
    while (x < first.length && x - diagonal < second.length && first[x] === second[x - diagonal]) x++
    budget.steps -= 1 + x - start
    round[at] = x
  }
  return round
}

/**
 * Returns the place where a diagonal begins: one step from the neighbouring diagonal that has come further.
 */
function startOf(last: Int32Array, at: number): number {
  return comesFromAbove(last, at) ? (last[at] as number) : (last[at - 1] as number) + 1
}

function comesFromAbove(last: Int32Array, at: number): boolean {
  return at === 0 || (at < last.length && (last[at - 1] as number) < (last[at] as number))
}

/** Traces the pairs from the end back through results of `nextRound`. */
function tracePairs(rounds: readonly Int32Array[], end: number, length: number): Pair[] {
  const pairs: Pair[] = []
  let [at, x] = [end, length]
  for (let round = rounds.length - 1; round >= 0; round--) {
    const diagonal = 2 * at - round
    const last = rounds[round - 1]
    const start = last ? startOf(last, at) : 0
    while (x > start) pairs.push([--x, x - diagonal])
    if (!last) break
    const isAbove = comesFromAbove(last, at)
    if (!isAbove) at--
    x = last[at] as number
  }
  return pairs.reverse()
}

/**
 * Finds a longest strictly increasing subsequence, in n log n steps (patience sorting; M. L. Fredman, 1975).
 *
 * @returns the places of the subsequence, in order
 */
export function* longestIncreasing(numbers: Numbers): Generator<void, Int32Array> {
  /**
   * Item n is the place of the smallest number that ends an increasing subsequence of n + 1 numbers. The first `count`
   * items are set.
   */
  const ends = new Int32Array(numbers.length)
  let count = 0
  /** Place before each place, in a longest increasing subsequence that ends there; -1 if there is none. */
  const before = new Int32Array(numbers.length)
  for (let at = 0; at < numbers.length; at++) {
    if (at % STEP === 0) yield
    const length = lengthBefore(numbers[at] as number, numbers, ends, count)
    before[at] = length > 0 ? (ends[length - 1] as number) : -1
    ends[length] = at
    count = Math.max(count, length + 1)
  }
  const places = new Int32Array(count)
  for (let at = ends[count - 1] ?? -1, left = count; left > 0; at = before[at] as number) places[--left] = at
  return places
}

/**
 * Returns the length of the longest subsequence that a number can extend. Tests the longest one of all first,
 * the usual case.
 */
function lengthBefore(number: number, numbers: Numbers, ends: Int32Array, count: number): number {
  if (count === 0 || (numbers[ends[count - 1] as number] as number) < number) return count
  return countBefore(count - 1, (length) => (numbers[ends[length] as number] as number) < number)
}

export function* itemsAt<T>(list: ArrayLike<T>, places: Iterable<number>): Generator<void, T[]> {
  const items: T[] = []
  for (const place of places) {
    if (items.length % STEP === 0) yield
    items.push(list[place] as T)
  }
  return items
}

export function* placesWhere(
  from: number,
  to: number,
  has: (place: number) => boolean,
): Generator<void, number[]> {
  const places: number[] = []
  for (let place = from; place < to; place++) {
    if (place % STEP === 0) yield
    if (has(place)) places.push(place)
  }
  return places
}

export function* numbersIn(numbers: Numbers, from: number, to: number): Generator<void, Set<number>> {
  const all = new Set<number>()
  for (let at = from; at < to; at++) {
    if (at % STEP === 0) yield
    all.add(numbers[at] as number)
  }
  return all
}
