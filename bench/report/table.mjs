// Makes the tables of a measurement: their columns, which all report formats share, and their text.

import { memoryTable } from './memory.mjs'
import { pairedRatio, summary } from './statistics.mjs'

/**
 * @typedef {import('../measure.mjs').Measurement} Measurement
 * @typedef {import('../measure.mjs').MeasuredCell} MeasuredCell
 * @typedef {import('../suites/suite.mjs').Cell} Cell
 * @typedef {{ head: string, values: string[] }} Column
 * @typedef {{ title: string, columns: Column[] }} Group
 * @typedef {{ caption: string, groups: Group[] }} Table
 * @typedef {{ seconds: ReturnType<typeof summary>, cell: Cell, calls: number }} Cost
 * @typedef {[head: string, text: (cost: Cost) => string]} Part
 */

const NOTHING = '–'

/** @param {number} seconds */
const micros = (seconds) => (seconds * 1e6).toFixed(seconds < 1e-5 ? 2 : 1)
/** @type {Part} */
const MICROS = ['µs', ({ seconds }) => micros(seconds.median)]
/**
 * Returns a formatter of the total time for as many calls as the performance report made.
 *
 * @param {'min' | 'average' | 'max'} part
 * @returns {Part[1]}
 */
const total =
  (part) =>
  ({ seconds, calls }) =>
    (seconds[part] * calls).toFixed(3)

/** Columns for each contender. @type {Record<import('../suites/suite.mjs').Suite['columns'], Part[]>} */
const PARTS = {
  report: [['min s', total('min')], ['avg s', total('average')], ['max s', total('max')], MICROS],
  rate: [MICROS, ['per s', ({ seconds }) => Math.round(1 / seconds.median).toLocaleString('en-US')]],
  bytes: [
    MICROS,
    ['MB/s', ({ seconds, cell }) => ((cell.payloadBytes ?? 0) / seconds.median / 1e6).toFixed(0)],
  ],
  micros: [MICROS],
  latency: [
    ['mean µs', ({ seconds }) => micros(seconds.average)],
    ['± 95 %', ({ seconds }) => micros(seconds.margin)],
    ['p50', ({ seconds }) => micros(seconds.median)],
    ['p99', ({ seconds }) => micros(seconds.p99)],
  ],
}

/** @param {Measurement} measurement @returns {Table[]} */
export function tables(measurement) {
  const hasRows = measurement.cells.length > 0
  const times = hasRows ? [{ caption: caption(measurement), groups: groups(measurement) }] : []
  const memory = measurement.suite.hasGarbage ? [memoryTable(measurement)] : []
  return [...times, ...memory, ...(measurement.more ? [measurement.more] : [])]
}

/** @param {Measurement} measurement @returns {Group[]} */
function groups(measurement) {
  const { suite, cells } = measurement
  return [
    { title: '', columns: [{ head: suite.rows, values: cells.map(({ cell }) => cell.label) }] },
    ...suite.contenders.map((name) => contenderGroup(measurement, name)),
    { title: 'ratios', columns: suite.ratios.map((one) => ratioColumn(measurement, one)) },
    ...publishedGroups(measurement),
  ]
}

/** @param {Measurement} measurement @param {string} name @returns {Group} */
function contenderGroup({ suite, cells, effort: { calls } }, name) {
  const columns = PARTS[suite.columns].map(([head, text]) => {
    const values = cells.map(({ cell, samples }) => {
      const seconds = samples.get(name)
      return seconds ? text({ seconds: summary(seconds), cell, calls }) : NOTHING
    })
    return { head, values }
  })
  return { title: name, columns }
}

/** @param {Measurement} measurement @param {import('../suites/suite.mjs').Ratio} ratio @returns {Column} */
function ratioColumn({ cells }, { head, above, below, base }) {
  const values = cells.map((row) => {
    const bottom = base === undefined ? row : cells.find(({ cell }) => cell.label === base)
    const [high, low] = [row.samples.get(above), bottom?.samples.get(below)]
    return high && low ? pairedRatio(high, low).toFixed(2) : NOTHING
  })
  return { head, values }
}

/** @param {Measurement} measurement @returns {Group[]} */
function publishedGroups({ suite: { published } }) {
  if (!published) return []
  const columns = Object.entries(published.columns).map(([head, numbers]) => {
    return { head, values: numbers.map((seconds) => seconds.toFixed(3)) }
  })
  return [{ title: published.title, columns }]
}

/** @param {Measurement} measurement */
function caption({ suite, effort: { calls, rounds }, cells }) {
  if (suite.isEachCallTimed) return `${suite.title}: µs of every call in ${rounds} rounds`
  const seconds = suite.columns === 'report' ? `, s for ${calls.toLocaleString('en-US')} calls` : ''
  const most = cells.some(({ cell }) => cell.mostRounds) ? 'up to ' : ''
  return `${suite.title}: µs per call, median of ${most}${rounds} rounds${seconds}`
}

/** @param {Measurement} measurement */
export function text(measurement) {
  const all = tables(measurement).map((table) =>
    [table.caption, ...lines(table.groups.map(aligned))].join('\n'),
  )
  return all.join('\n\n')
}

/** Returns the lines of a group, padded to one width. The first line is the title. @param {Group} group */
function aligned({ title, columns }) {
  const widths = columns.map(({ head, values }) => Math.max(...[head, ...values].map(({ length }) => length)))
  /** @param {(column: Column) => string} pick */
  const row = (pick) => columns.map((column, at) => pick(column).padStart(widths[at] ?? 0)).join('  ')
  const count = columns[0]?.values.length ?? 0
  const rows = [row(({ head }) => head)]
  for (let at = 0; at < count; at++) rows.push(row(({ values }) => values[at] ?? ''))
  const width = Math.max(title.length, rows[0]?.length ?? 0)
  return [title.padEnd(width), ...rows.map((text) => text.padStart(width))]
}

/** Joins groups side by side. @param {string[][]} all */
function lines(all) {
  const height = all[0]?.length ?? 0
  return Array.from({ length: height }, (_, at) => all.map((group) => group[at]).join(' | '))
}
