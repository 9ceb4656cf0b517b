import { describe, expect, it } from 'vitest'
import { newestOf, runningMean, summaryOf } from '../../examples/demo/panels/score/newest.js'

const hash = 'sha256'
const history = [
  { at: 1, hash, key: 'a', score: 1 },
  { at: 2, hash, key: 'b', score: 0.5 },
  { at: 3, hash, key: 'a', score: 0 },
  { at: 4, hash, key: 'c', score: 0.5 },
] as const

describe('the history of scores in the demo page', () => {
  it('lists the newest score of each payload, newest first', () => {
    expect(newestOf(history, 10).map(({ at }) => at)).toEqual([4, 3, 2])
    expect(newestOf(history, 2).map(({ at }) => at)).toEqual([4, 3])
    expect(newestOf([...history, { at: 5, hash: 'none', key: 'c', score: 1 }], 2)).toMatchObject([
      { at: 5 },
      { at: 4 },
    ])
  })

  it('is smoothed by a running mean over a given number of scores', () => {
    expect(runningMean(history, 2)).toEqual([1, 0.75, 0.25, 0.25])
    expect(runningMean(history, 100)).toEqual([1, 0.75, 0.5, 0.5])
  })

  it('is summed up by its lowest, mean and newest score', () => {
    expect(summaryOf(history)).toEqual({ lowest: 0, mean: 0.5, newest: 0.5 })
  })
})
