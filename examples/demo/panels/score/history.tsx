import { useEffect, useRef } from 'preact/hooks'
import { percent, type Scored } from '../../state/scores.ts'
import { theme } from '../../state/theme.ts'
import { count } from '../../ui/text.ts'
import type { ScoreChart } from './chart.ts'
import { runningMean, summaryOf } from './newest.ts'

/** Messages that the line is the mean of. */
const SPAN = 20

/** Scores in the order in which they came about; the library that draws them comes when there is something to draw. */
export function History({ history }: { readonly history: readonly Scored[] }) {
  const box = useRef<HTMLDivElement>(null)
  useChart(box, history)
  return (
    <figure class="history">
      <figcaption class="block-head">
        <h3>History</h3>
        <span class="legend">
          <span class="legend-dot">a payload’s score, after a message about it</span>
          <span class="legend-line">mean of {SPAN}</span>
        </span>
      </figcaption>
      <div ref={box} class="chart" aria-hidden="true" />
      <p class="quiet small">{summary(history)}</p>
    </figure>
  )
}

/** What the chart shows, in a sentence. */
function summary(history: readonly Scored[]): string {
  const { lowest, mean, newest } = summaryOf(history)
  const of = history.length === 1 ? 'One message kept here' : `${count(history.length)} messages kept here`
  return `${of}: lowest score ${percent(lowest)}, mean ${percent(mean)}, newest ${percent(newest)}.`
}

function useChart(box: { readonly current: HTMLDivElement | null }, history: readonly Scored[]): void {
  const chart = useRef<ScoreChart>(undefined)
  const latest = useRef(history)
  latest.current = history
  useEffect(() => {
    let isGone = false
    import('./chart.ts').then(({ ScoreChart }) => {
      if (isGone || !box.current) return
      chart.current = new ScoreChart(box.current)
      chart.current.draw(linesOf(latest.current))
    })
    return () => {
      isGone = true
      chart.current?.close()
    }
  }, [box])
  useEffect(() => chart.current?.draw(linesOf(history)), [history])
  const { value } = theme
  useEffect(() => chart.current?.recolour(), [value])
}

function linesOf(history: readonly Scored[]) {
  return {
    at: history.map(({ at }) => at),
    scores: history.map(({ score }) => score * 100),
    means: runningMean(history, SPAN).map((score) => score * 100),
  }
}
