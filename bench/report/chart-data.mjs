// Converts a measurement to the data of charts, which chart.mjs draws.

import { heapBytesPerCall } from './memory.mjs'
import { median, summary } from './statistics.mjs'

/**
 * @typedef {import('../measure.mjs').Measurement} Measurement
 * @typedef {import('../suites/suite.mjs').Chart} Chart
 * @typedef {{ name: string, values: (number | null)[] }} Series one value per tick; null (as in JSON) for a
 * missing one
 *
 * @typedef {object} Drawing
 * @property {string} title
 * @property {string} unit of the values
 * @property {'lines' | 'bars'} kind
 * @property {'linear' | 'log' | 'log-y'} scale
 * @property {string[]} labels of the ticks
 * @property {number[]} [ticks] positions of the points of lines
 * @property {Series[]} series
 * @property {boolean} [isPublished] true for figures of the performance report instead of this run
 */

/** @param {Measurement} measurement @returns {Drawing[]} */
export function charts(measurement) {
  const { suite } = measurement
  const own = suite.charts.map((chart) => drawing(measurement, chart))
  const [first] = suite.charts
  return suite.published && first ? [...own, publishedDrawing(suite.published, first, suite.cells)] : own
}

/**
 * Figures that a chart can show about a contender in one row of the table.
 *
 * @type {Record<NonNullable<Chart['of']>, { unit: string, value: (row: Measurement['cells'][number], name: string) => number | undefined }>}
 */
const SHOWN = {
  time: { unit: 'µs per call, here', value: ({ samples }, name) => micros(samples.get(name)) },
  p99: { unit: 'µs per call, here', value: ({ samples }, name) => slowest(samples.get(name)) },
  bytes: { unit: 'bytes per call', value: ({ bytes }, name) => bytes.get(name) },
  heap: { unit: 'bytes of JavaScript heap per call', value: heapBytesPerCall },
}

/** @param {number[] | undefined} seconds */
const micros = (seconds) => seconds && median(seconds) * 1e6

/** @param {number[] | undefined} seconds */
const slowest = (seconds) => seconds && summary(seconds).p99 * 1e6

/** @param {Measurement} measurement @param {Chart} chart @returns {Drawing} */
function drawing({ suite, cells }, chart) {
  const { unit, value } = SHOWN[chart.of ?? 'time']
  const shown = chart.x ? along(cells, chart.x) : cells
  const series = suite.contenders.map((name) => {
    return { name, values: shown.map((row) => value(row, name) ?? null) }
  })
  const present = series.filter(({ values }) => values.some((value) => value !== null))
  return {
    ...frame(
      chart,
      shown.map(({ cell }) => cell),
    ),
    unit,
    series: present,
  }
}

/**
 * Returns the cells of a chart from left to right.
 *
 * @param {Measurement['cells']} cells
 * @param {NonNullable<Chart['x']>} x
 */
function along(cells, x) {
  const placed = cells.flatMap((one) => {
    const place = x(one.cell)
    return place === undefined ? [] : [{ one, place }]
  })
  return placed.sort((a, b) => a.place - b.place).map(({ one }) => one)
}

/**
 * @param {import('./published.mjs').Published} published
 * @param {Chart} chart
 * @param {readonly import('../suites/suite.mjs').Cell[]} cells
 * @returns {Drawing}
 */
function publishedDrawing({ calls, columns }, chart, cells) {
  const series = Object.entries(columns).map(([name, seconds]) => {
    return { name, values: seconds.map((one) => (one / calls) * 1e6) }
  })
  return { ...frame(chart, cells), unit: 'µs per call, as published (i5-6500)', series, isPublished: true }
}

/** @param {Chart} chart @param {readonly import('../suites/suite.mjs').Cell[]} cells */
function frame({ title, scale, x }, cells) {
  if (!x)
    return { title, scale, kind: /** @type {const} */ ('bars'), labels: cells.map(({ label }) => label) }
  const ticks = cells.map((cell) => x(cell) ?? 0)
  const labels = ticks.map((tick) => tick.toLocaleString('en-US'))
  return { title, scale, kind: /** @type {const} */ ('lines'), labels, ticks }
}
