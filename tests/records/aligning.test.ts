// @internal: check() does not show which records were aligned, nor in how many steps

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alignSteps, NOT_SIGNED } from '../../dist/evidence/records/align.js'
import { longestCommon, longestIncreasing } from '../../dist/evidence/records/subsequences.js'
import { runSync } from '../../dist/foundation/base/time/turns.js'
import { runs } from '../support/runs.js'

const few = fc.array(fc.nat({ max: 3 }), { maxLength: 12 })

/** Returns the length of the longest common subsequence of two lists, by the textbook table. */
function lengthOfCommon(first: readonly number[], second: readonly number[]): number {
  let row = new Array<number>(second.length + 1).fill(0)
  for (const one of first) {
    const next = [0]
    for (const [at, other] of second.entries()) {
      next.push(one === other ? (row[at] as number) + 1 : Math.max(next[at] as number, row[at + 1] as number))
    }
    row = next
  }
  return row.at(-1) as number
}

/** Returns both lists with numbers from 0 in order of first appearance, as keys get them; unsigned values have none. */
function numbered(signed: readonly number[], found: readonly number[]): [number[], number[]] {
  const numbers = new Map<number, number>()
  for (const one of signed) if (!numbers.has(one)) numbers.set(one, numbers.size)
  return [signed.map((one) => numbers.get(one) as number), found.map((one) => numbers.get(one) ?? NOT_SIGNED)]
}

const isAscending = (numbers: readonly number[]) =>
  numbers.every((one, at) => at === 0 || one > (numbers[at - 1] as number))

describe('the longest common subsequence', () => {
  it('is a subsequence of both sequences, and none is longer', () => {
    fc.assert(
      fc.property(few, few, (first, second) => {
        const pairs = runSync(longestCommon(first, second, { steps: 1e6 })) ?? []
        expect(pairs.length).toBe(lengthOfCommon(first, second))
        expect(pairs.map(([one]) => first[one])).toEqual(pairs.map(([, other]) => second[other]))
        expect([pairs.map(([one]) => one), pairs.map(([, other]) => other)].every(isAscending)).toBe(true)
      }),
      runs(300),
    )
  })

  it('is not computed if that would take too many steps', () => {
    const [first, second] = [0, 1].map((one) => Array.from({ length: 500 }, (_, at) => (at * 7 + one) % 5))
    expect(runSync(longestCommon(first as number[], second as number[], { steps: 100 }))).toBeUndefined()
  })

  it('of distinct numbers and their sorted order is the longest ascending subsequence', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 99 }), { maxLength: 12 }), (numbers) => {
        const places = [...runSync(longestIncreasing(numbers))]
        expect(isAscending(places)).toBe(true)
        expect(isAscending(places.map((place) => numbers[place] as number))).toBe(true)
        expect(places.length).toBe(
          lengthOfCommon(
            numbers,
            numbers.toSorted((a, b) => a - b),
          ),
        )
      }),
      runs(300),
    )
  })
})

describe("aligning a file's records with their signed payload keys", () => {
  // claim: records-15
  it('pairs as many equal records as possible, and marks only ascending pairs as in order', () => {
    fc.assert(
      fc.property(few, few, (before, after) => {
        const [signed, found] = numbered(before, after)
        const { partners, isInOrder } = runSync(alignSteps(signed, found))
        const paired = [...partners.keys()].filter((at) => (partners[at] as number) >= 0)
        const places = paired.map((at) => partners[at] as number)
        expect(places.map((place) => signed[place])).toEqual(paired.map((at) => found[at]))
        expect(new Set(places).size).toBe(places.length)
        expect(places.length).toBe(lengthOfCommon(signed.toSorted(), found.toSorted()))
        expect(isAscending(paired.filter((at) => isInOrder[at]).map((at) => partners[at] as number))).toBe(
          true,
        )
      }),
      runs(500),
    )
  })

  it('marks only the moved record as out of order, however far it has moved', () => {
    const signed = Array.from({ length: 50 }, (_, at) => at)
    for (const to of [0, 20, 49]) {
      const found = signed.toSpliced(10, 1).toSpliced(to, 0, 10)
      const { partners, isInOrder } = runSync(alignSteps(signed, found))
      expect([...partners]).toEqual(found)
      expect(found.filter((_, at) => !isInOrder[at])).toEqual([10].filter(() => to !== 10))
    }
  })

  it('pairs the remaining records in order if one of many equal records is missing', () => {
    const signed = Array.from({ length: 400 }, (_, at) => (at % 3) % 2)
    const { partners, isInOrder } = runSync(alignSteps(signed, signed.toSpliced(200, 1)))
    expect(isInOrder.every((one) => one === 1)).toBe(true)
    expect(new Set(partners).size).toBe(399)
  })

  it('pairs each record with an equal key even if finding the longest common order would require too many steps', () => {
    const length = 12_000
    const signed = Array.from({ length }, (_, at) => at % 2)
    const found = Array.from({ length }, (_, at) => (at < length / 2 ? 1 : 0))
    const { partners } = runSync(alignSteps(signed, found))
    expect(partners.every((place, at) => signed[place] === found[at])).toBe(true)
    expect(new Set(partners).size).toBe(length)
  })

  it('yields after every few thousand records, so that the event loop can run, however the records differ', () => {
    const length = 40_000
    const signed = Array.from({ length }, (_, at) => at)
    const others = {
      same: signed,
      reversed: signed.toReversed(),
      strange: signed.map(() => NOT_SIGNED),
      cut: signed.slice(length / 2),
    }
    for (const [how, found] of Object.entries(others)) {
      // Each side is read at least four times, but common ends only once.
      const looks = (['same', 'cut'].includes(how) ? 1 : 4) * (length + found.length)
      expect([...alignSteps(signed, found)].length, how).toBeGreaterThan(looks / 4096)
    }
  })
})
