// Charts of the HTML report: the page contains their data as JSON, and uPlot, which draws them.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { contenderOf } from './contenders.mjs'
import { escaped } from './text.mjs'

/** @typedef {import('./chart-data.mjs').Drawing} Drawing */

const library = createRequire(import.meta.url).resolve('uplot/dist/uPlot.iife.min.js')

export const CHART_STYLE = readFileSync(library.replace('uPlot.iife.min.js', 'uPlot.min.css'), 'utf8')

/** Scripts for the end of the page. They draw the charts, and redraw them when the width or the colours change. */
export const CHART_SCRIPT = [library, new URL('draw.js', import.meta.url)]
  .map((path) => `<script>${readFileSync(path, 'utf8').replaceAll('</', '<\\/')}</script>`)
  .join('\n')

/** @param {Drawing} drawing @param {boolean} isQuick */
export function chart(drawing, isQuick) {
  const series = drawing.series.map((one) => ({ ...one, colour: contenderOf(one.name).colour }))
  const shown = escaped(JSON.stringify({ ...drawing, series, isQuick }))
  const title = escaped(`${drawing.title}: ${drawing.unit}`)
  const names = escaped(drawing.series.map(({ name }) => name).join(', '))
  const quick = isQuick ? ' <b>quick</b>' : ''
  return `<figure><figcaption>${title}${quick}</figcaption>
<div class="chart" role="img" aria-label="${title}, of ${names}; the table below has the figures" data-chart="${shown}"></div></figure>`
}
