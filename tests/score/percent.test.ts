import { percentOf } from 'alvarium-sdk/score'
import { describe, expect, it } from 'vitest'
import { verdictOf } from '../support/fabrics.js'

describe('a score in percent', () => {
  it.each([
    [5, 8, 62.5],
    [999, 1000, 99.9],
    [2, 3, 66.66],
    [99_999, 100_000, 99.99],
  ])('for the score %i/%i is %d', (yes, all, percent) => {
    expect(percentOf(yes / all)).toBe(percent)
  })

  it('cannot be computed from a number outside 0 to 1, or from "unknown"', () => {
    for (const score of [2_000, 10_000, -1, Number.NaN, 'unknown' as unknown as number]) {
      expect(() => percentOf(score)).toThrow(/^score: expected a number from 0 to 1, got /)
    }
  })

  it('is rounded down, so that a score just below a whole percent never shows as that percent', () => {
    const below = (score: number) => score * (1 - Number.EPSILON / 2)
    for (let percent = 1; percent <= 100; percent++) {
      expect(percentOf(percent / 100)).toBe(percent)
      expect(percentOf(below(percent / 100))).toBeLessThan(percent)
      expect(percentOf(percent / 100 - 1e-13)).toBeLessThan(percent)
    }
  })

  it('is below 100 if a negative answer lowers the score, however small its weight', () => {
    const heavy = Array.from({ length: 10_000 }, () => ({ key: 'A', answers: { heavy: true } }))
    const light = { key: 'A', answers: { light: false } }
    const { score } = verdictOf([...heavy, light], { weights: { heavy: 1_000_000 }, repeats: 'each' })
    expect([score, percentOf(score as number)]).toEqual([0.9999, 99.99])
  })
})
