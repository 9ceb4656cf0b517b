// One measurement as a table of text.

import { pairedRatio, summary } from './statistics.mjs'

/**
 * @typedef {import('../measure.mjs').Measurement} Measurement
 * @typedef {import('../measure.mjs').MeasuredCell} MeasuredCell
 * @typedef {{ title: string, columns: { head: string, values: string[] }[] }} Group
 */

/** @param {Measurement} measurement */
export function table(measurement) {
  const { suite, effort } = measurement
  const head = `${suite.title}: s for ${effort.calls.toLocaleString('en-US')} calls, ${effort.rounds} rounds`
  const groups = [
    { title: '', columns: [{ head: suite.rows, values: suite.cells.map(({ label }) => label) }] },
    ...suite.contenders.map((name) => contenderGroup(measurement, name)),
    ratioGroup(measurement),
    ...publishedGroups(measurement),
  ]
  return [head, ...lines(groups.map(aligned))].join('\n')
}

/**
 * @param {Measurement} measurement
 * @param {import('../contenders.mjs').ContenderName} name
 * @returns {Group}
 */
function contenderGroup({ cells, effort }, name) {
  const all = cells.map(({ samples }) => summary(samples.get(name) ?? []))
  /** @param {'min' | 'average' | 'max'} part */
  const seconds = (part) => all.map((one) => one[part].toFixed(3))
  const micros = all.map((one) => ((one.median / effort.calls) * 1e6).toFixed(1))
  return {
    title: name,
    columns: [
      { head: 'min', values: seconds('min') },
      { head: 'avg', values: seconds('average') },
      { head: 'max', values: seconds('max') },
      { head: 'µs/call', values: micros },
    ],
  }
}

/** @param {Measurement} measurement @returns {Group} */
function ratioGroup({ suite, cells }) {
  const base = cells.find(({ cell }) => cell.label === suite.base?.label)
  const columns = [
    { head: 'each ÷ ours', values: cells.map((one) => ratio(one, 'each', one, 'ours')) },
    { head: 'ours ÷ once', values: cells.map((one) => ratio(one, 'ours', one, 'once')) },
  ]
  if (suite.base && base) {
    columns.push({ head: suite.base.text, values: cells.map((one) => ratio(one, 'ours', base, 'ours')) })
  }
  return { title: 'ratios', columns }
}

/**
 * @param {MeasuredCell} above
 * @param {import('../contenders.mjs').ContenderName} aboveName
 * @param {MeasuredCell} below
 * @param {import('../contenders.mjs').ContenderName} belowName
 */
function ratio(above, aboveName, below, belowName) {
  return pairedRatio(above.samples.get(aboveName) ?? [], below.samples.get(belowName) ?? []).toFixed(2)
}

/** @param {Measurement} measurement @returns {Group[]} */
function publishedGroups({ suite: { published } }) {
  if (!published) return []
  const columns = Object.entries(published.columns).map(([head, numbers]) => {
    return { head, values: numbers.map((seconds) => seconds.toFixed(3)) }
  })
  return [{ title: published.title, columns }]
}

/** Every line of a group at one width, its title first. @param {Group} group */
function aligned({ title, columns }) {
  const widths = columns.map(({ head, values }) => Math.max(...[head, ...values].map(({ length }) => length)))
  /** @param {(column: Group['columns'][number]) => string} pick */
  const row = (pick) => columns.map((column, at) => pick(column).padStart(widths[at] ?? 0)).join('  ')
  const count = columns[0]?.values.length ?? 0
  const rows = [row(({ head }) => head)]
  for (let at = 0; at < count; at++) rows.push(row(({ values }) => values[at] ?? ''))
  const width = Math.max(title.length, rows[0]?.length ?? 0)
  return [title.padEnd(width), ...rows.map((text) => text.padStart(width))]
}

/** Groups side by side. @param {string[][]} groups */
function lines(groups) {
  const height = groups[0]?.length ?? 0
  return Array.from({ length: height }, (_, at) => groups.map((group) => group[at]).join(' | '))
}
