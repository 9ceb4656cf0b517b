// @internal: a property of a data structure, over 10,000 spans
import { expect, it } from 'vitest'
import { TimeSpans } from '../../dist/evidence/trust/permits/time-spans.js'

const span = (fromMs: number, untilMs: number) => ({ fromMs, untilMs })

it('TimeSpans.at finds the spans that contain a moment, ends included, in their original order', () => {
  const [late, early, all] = [span(20, 30), span(10, 20), span(0, 40)]
  const byTime = new TimeSpans([late, early, all])
  expect([9, 10, 20, 21, 40, 41].map((ms) => byTime.at(ms))).toEqual([
    [all],
    [early, all],
    [late, early, all],
    [late, all],
    [all],
    [],
  ])
  expect(new TimeSpans([]).at(0)).toEqual([])
})

it('TimeSpans.at finds the same spans, among 10,000 overlapping ones, as a search through all of them', () => {
  const spans = Array.from({ length: 10_000 }, (_, at) => {
    const fromMs = (at * 7919) % 10_007
    return span(fromMs, fromMs + ((at * 31) % 97))
  })
  const byTime = new TimeSpans(spans)
  for (let ms = -1; ms < 10_110; ms += 13) {
    expect(byTime.at(ms)).toEqual(spans.filter(({ fromMs, untilMs }) => fromMs <= ms && ms <= untilMs))
  }
})

it('TimeSpans.at returns only the spans that begin last if more spans than its limit contain the moment', () => {
  const spans = [4, 1, 3, 2].map((fromMs) => span(fromMs, 9))
  const byTime = new TimeSpans(spans)
  expect(byTime.at(5, 2)).toEqual([span(4, 9), span(3, 9)])
  expect(byTime.at(2, 2)).toEqual([span(1, 9), span(2, 9)])
  const named = ['b', 'c', 'a'].map((name) => ({ ...span(0, 9), name }))
  const tied = new TimeSpans(named, (one, other) => one.name.localeCompare(other.name))
  expect(tied.at(5, 2).map(({ name }) => name)).toEqual(['b', 'c'])
})
