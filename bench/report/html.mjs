// Writes all results into one HTML page that loads no other file.

import { CHART_SCRIPT, CHART_STYLE, chart } from './chart.mjs'
import { CONTENDERS, colourOf, palette } from './contenders.mjs'
import { machineText } from './machine.mjs'
import { escaped } from './text.mjs'

/** @typedef {import('./save.mjs').Result} Result */
/** @typedef {import('./table.mjs').Group} Group */

const STYLE = `
:root { color-scheme: light dark; --ground: #fff; --text: #1b1f24; --quiet: #5c6672; --rule: #d9dee3; --edge: #c6ccd2; --met: #0b6e4f; --missed: #c1292e;
  ${palette('light')} }
@media (prefers-color-scheme: dark) { :root { --ground: #14181d; --text: #e3e7eb; --quiet: #9aa5b1; --rule: #333b44; --edge: #4a545f; --met: #4cc38a; --missed: #ff7b7f;
  ${palette('dark')} } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); max-width: 1360px; margin: 2rem auto; padding: 0 1rem }
a { color: inherit } h1 { margin-bottom: 0 } h2 { margin: 3rem 0 0 } p { margin: .3rem 0 } .facts { color: var(--quiet); font-size: 13px }
nav { columns: 15rem; margin: 1rem 0; padding: 0 } nav a { display: block; padding: .15rem 0 }
.contenders { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(320px, 100%), 1fr)); gap: .25rem 1.5rem; margin: .8rem 0; padding: 0; list-style: none; font-size: 13px }
.contenders li { padding-left: 1.3rem; text-indent: -1.3rem } .contenders i { display: inline-block; width: .8rem; height: .8rem; margin-right: .5rem; border-radius: 2px; vertical-align: -1px }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(560px, 100%), 1fr)); gap: 1.2rem; margin: 1rem 0 }
figure { margin: 0; min-width: 0 } figcaption { font-weight: 600; font-size: 13px } figcaption b { color: var(--missed) }
.chart { min-width: 0; overflow: hidden } .u-legend { font-size: 12px }
.scroll { overflow-x: auto; margin: .6rem 0 1.2rem } table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums }
th, td { padding: .15rem .45rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--rule) }
.u-legend th, .u-legend td { border: 0 } th { font-weight: 600; white-space: normal; vertical-align: bottom } .group { text-align: left } .first { border-left: 2px solid var(--edge) } .met { color: var(--met) } .missed { color: var(--missed); font-weight: 600 }
.bars td:last-child { text-align: left }`

/** @param {readonly Result[]} results */
export function html(results) {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>alvarium-sdk: speed</title>
<style>${CHART_STYLE}${STYLE}</style>
<h1>alvarium-sdk: speed</h1>
${answer(results)}
<p>Each round measures all contenders next to each other; the figures are medians of the rounds. Lower is better in every chart.
Trust the ratios: the µs depend on the machine.</p>
<nav aria-label="Contents"><a href="#bars-met">Bars</a>${results.map(entry).join('')}</nav>
${verdictTable(results)}
${results.map(section).join('\n')}
${CHART_SCRIPT}
</html>
`
}

/**
 * Returns the summary: a chart with the curves of the performance report and, after a full run, a sentence.
 *
 * @param {readonly Result[]} results
 */
function answer(results) {
  const result = results.find(({ suite }) => suite === 'annotators')
  const [drawing, published] = result?.shown.charts ?? []
  if (!result || !drawing) return ''
  const { isQuick } = result.effort
  const curves = [drawing, ...(published?.isPublished ? [published] : [])]
  const series = curves.flatMap((one) => one.series)
  const title = 'One call, by number of annotators'
  return `<h2 id="answer">How fast is it, and against what?</h2>
${chart({ ...drawing, title, unit: 'µs, logarithmic', series }, isQuick)}
<p>${isQuick ? QUICK : sentence(drawing)}</p>
<p>${published?.isPublished ? SOURCE_NOTE : ''} ${SDKS}</p>
<ul class="contenders">${series.map(({ name }) => explained(name)).join('')}</ul>`
}

const QUICK =
  'This was a quick run, which is too short to say how fast anything is. <code>npm run bench</code> measures it.'
const SOURCE_NOTE = `The curves of the Java and Rust SDKs are those of the performance report, from its own machine (i5-6500). Compare how they grow, and
not how high they are.`
/** Result of a manual run (bench/README.md). The other SDKs' toolchains are not in this repository. */
const SDKS = `Of the SDKs that sign for each annotator, with 10 annotators and 20,000 bytes on one machine, the Rust SDK took 9.0 times as long as alvarium-sdk,
Go 17 and Java 50 (2026-11-28).`

/** @param {Result['shown']['charts'][number]} drawing */
function sentence({ series, labels }) {
  const [ours, once, each] = ['ours', 'once', 'each'].map(
    (name) => series.find((one) => one.name === name)?.values.at(-1) ?? Number.NaN,
  )
  const digits = (/** @type {number} */ number) => String(Number(number.toPrecision(2)))
  return `One call with ${labels.at(-1)} annotators and 20,000 bytes takes ${digits(ours)} µs here. Plain Node takes
${digits(once / ours)} times as long if it signs once per call, as we do. It takes ${digits(each / ours)} times as long if it works as other SDKs
do: hash, key file and signature anew for each annotator.`
}

/** @param {Result} result */
const entry = ({ suite, shown }) => `<a href="#${suite}"><b>${escaped(suite)}</b> ${escaped(shown.title)}</a>`

/** @param {readonly Result[]} results */
function verdictTable(results) {
  const judged = results.filter(({ effort }) => !effort.isQuick).flatMap(({ verdicts }) => verdicts)
  if (judged.length === 0) return '<p id="bars-met">Bars: quick runs are too short to judge them.</p>'
  const rows = judged.map(({ isMet, ratio, text, suite }) => {
    const verdict = isMet ? '<td class="met">met</td>' : '<td class="missed">not met</td>'
    return `<tr>${verdict}<td>${ratio.toFixed(2)}</td><td>${escaped(suite)}</td><td>${escaped(text)}</td></tr>`
  })
  const head = '<tr><th></th><th>ratio</th><th>suite</th><td><b>bar</b></td></tr>'
  return `<h2 id="bars-met">Bars</h2><div class="scroll"><table class="bars">${head}${rows.join('')}</table></div>`
}

/** @param {Result} result */
function section({ suite, effort, machine, shown }) {
  const quick = effort.isQuick ? ' <b>A quick run: only a look, no measurement.</b>' : ''
  return `<h2 id="${suite}">${escaped(suite)}</h2>
<p>${escaped(shown.tables[0]?.caption ?? '')}.${quick}</p>
<p class="facts">${escaped(machineText(machine))}</p>
<ul class="contenders">${namesIn(shown).map(explained).join('')}</ul>
<div class="charts">${shown.charts.map((drawing) => chart(drawing, effort.isQuick && !drawing.isPublished)).join('\n')}</div>
${shown.tables.map(captioned).join('\n')}`
}

/**
 * Returns the described contenders of a result's charts and tables, in the order in which they first appear.
 *
 * @param {Result['shown']} shown
 */
function namesIn({ charts, tables }) {
  const drawn = charts.flatMap(({ series }) => series.map(({ name }) => name))
  const listed = tables.flatMap(({ groups }) => groups.map(({ title }) => title))
  return [...new Set([...drawn, ...listed])].filter((name) => Object.hasOwn(CONTENDERS, name))
}

/** @param {string} name */
const explained = (name) =>
  `<li><i style="background: ${colourOf(name)}"></i><b>${escaped(name)}</b>: ${escaped(CONTENDERS[name]?.means ?? '')}</li>`

/**
 * Adds a caption to each table except the first, which has its caption above the charts.
 *
 * @param {import('./table.mjs').Table} table
 * @param {number} at
 */
function captioned({ caption, groups }, at) {
  const above = at === 0 ? '' : `<p>${escaped(caption)}.</p>`
  return `${above}<div class="scroll">${table(groups)}</div>`
}

/** @param {readonly Group[]} groups */
function table(groups) {
  const [names, ...others] = groups.filter(({ columns }) => columns.length > 0)
  if (!names) return ''
  return parts(names, others)
    .map((some) => tablePart([names, ...some]))
    .join('')
}

/** Maximum width in pixels of a table that the page shows without scrolling. */
const WIDTH = 1300

/**
 * Splits groups of columns into tables that fit the page.
 *
 * @param {Group} names
 * @param {readonly Group[]} groups
 */
function parts(names, groups) {
  /** @type {Group[][]} */
  const found = []
  let left = 0
  for (const group of groups) {
    const width = widthOf(group)
    if (width > left || found.length === 0) {
      found.push([])
      left = WIDTH - widthOf(names)
    }
    left -= width
    found.at(-1)?.push(group)
  }
  return found
}

/** Estimates the width of a group in pixels. Only headings wrap. @param {Group} group */
function widthOf({ columns }) {
  const longest = (/** @type {string[]} */ texts) => Math.max(...texts.map((text) => text.length))
  return columns.reduce(
    (sum, { head, values }) => sum + 16 + 7.6 * longest([...head.split(' '), ...values]),
    0,
  )
}

/** @param {readonly Group[]} shown */
function tablePart(shown) {
  const titles = shown.map(({ title, columns }) => {
    return `<th class="first group" colspan="${columns.length}">${escaped(title)}</th>`
  })
  const heads = cells(shown, 'th', ({ head }) => head)
  const count = shown[0]?.columns[0]?.values.length ?? 0
  const rows = Array.from({ length: count }, (_, at) => cells(shown, 'td', ({ values }) => values[at] ?? ''))
  return `<table><tr>${titles.join('')}</tr>${[heads, ...rows].join('')}</table>`
}

/**
 * @param {readonly Group[]} groups
 * @param {'th' | 'td'} tag
 * @param {(column: Group['columns'][number]) => string} pick
 */
function cells(groups, tag, pick) {
  const row = groups.flatMap(({ columns }) =>
    columns.map(
      (column, at) => `<${tag}${at === 0 ? ' class="first"' : ''}>${escaped(pick(column))}</${tag}>`,
    ),
  )
  return `<tr>${row.join('')}</tr>`
}
