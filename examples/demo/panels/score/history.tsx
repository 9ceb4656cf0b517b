import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { percent, type Scored } from '../../state/scores.ts'
import { theme } from '../../state/theme.ts'
import { NO_CHART, useLazy } from '../../ui/lazy.tsx'
import { count } from '../../ui/text.ts'
import type { ScoreChart } from './chart.ts'
import { runningMean, summaryOf } from './newest.ts'

/** Number of messages in the line's mean. */
const SPAN = 20

const loadChart = () => import('./chart.ts')

/** Shows scores in the order of their messages. Loads the chart's library when there is something to draw. */
export function History({ history }: { readonly history: readonly Scored[] }) {
  const box = useRef<HTMLDivElement>(null)
  const isMissing = useChart(box, history)
  return (
    <figure class="history">
      <figcaption class="block-head">
        <h3>History</h3>
        <span class="legend">
          <span class="legend-dot">a payload’s score, after a message about it</span>
          <span class="legend-line">mean of {SPAN}</span>
        </span>
      </figcaption>
      <div ref={box} class="chart" aria-hidden={!isMissing}>
        {isMissing && NO_CHART}
      </div>
      <p class="quiet small">{summary(history)}</p>
    </figure>
  )
}

function summary(history: readonly Scored[]): string {
  const { lowest, mean, newest } = summaryOf(history)
  const of = history.length === 1 ? 'One message kept here' : `${count(history.length)} messages kept here`
  return `${of}: lowest score ${percent(lowest)}, mean ${percent(mean)}, newest ${percent(newest)}.`
}

/**
 * Draws the chart.
 *
 * @returns true if there is no chart because its code did not load
 */
function useChart(box: RefObject<HTMLDivElement | null>, history: readonly Scored[]): boolean | undefined {
  const chart = useRef<ScoreChart>(undefined)
  const { module, isMissing } = useLazy(loadChart)
  useEffect(() => {
    if (!module || !box.current) return
    const opened = new module.ScoreChart(box.current)
    chart.current = opened
    return () => opened.close()
  }, [box, module])
  useEffect(() => chart.current?.draw(linesOf(history)), [module, history])
  const { value } = theme
  useEffect(() => chart.current?.recolour(), [value])
  return isMissing
}

function linesOf(history: readonly Scored[]) {
  return {
    at: history.map(({ at }) => at),
    scores: history.map(({ score }) => score * 100),
    means: runningMean(history, SPAN).map((score) => score * 100),
  }
}
