// Draws a chart about sets. The horizontal axis of its three panels is the number of payload keys, in powers
// of ten.

/** @typedef {{ count: number, sealS: number, peakMib: number, memberBytes: number, absentBytes: number }} Row */

const [WIDTH, HEIGHT, PANEL, GAP] = [720, 236, 216, 18]
const [LEFT, TOP, BOTTOM] = [18, 58, 186]
/** Distance in pixels from the edge of a panel to its first and last point. */
const INSET = 28

const STYLE = `svg { --ground: #fff; --edge: #d0d7de; --text: #1b1f24; --quiet: #57606a; --one: #0b6e4f; --two: #8250df }
  @media (prefers-color-scheme: dark) {
    svg { --ground: #14181d; --edge: #39424c; --text: #e3e7eb; --quiet: #9aa5b1; --one: #4cc38a; --two: #c297ff }
  }
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: var(--text); text-anchor: middle }
  .ground { fill: var(--ground); stroke: var(--edge) } .t { font-size: 15px; font-weight: 600; text-anchor: start }
  .s { fill: var(--quiet) } .axis { stroke: var(--edge) } .start { text-anchor: start }
  .one { --line: var(--one) } .two { --line: var(--two) }
  path { fill: none; stroke: var(--line); stroke-width: 2 } circle, .key { fill: var(--line) }`

/** Panels of the chart with their lines. `isLog` selects a logarithmic axis. */
const PANELS = [
  { title: 'Seal', unit: 'seconds of CPU', isLog: true, lines: [{ name: 'sealS', mark: 'one' }] },
  { title: 'Memory', unit: 'MiB', isLog: true, lines: [{ name: 'peakMib', mark: 'one' }] },
  {
    title: 'A proof',
    unit: 'bytes',
    isLog: false,
    lines: [
      { name: 'absentBytes', mark: 'two', what: 'absent' },
      { name: 'memberBytes', mark: 'one', what: 'member' },
    ],
  },
]

/** @param {readonly Row[]} rows @returns {string} SVG */
export function chartOf(rows) {
  const panels = PANELS.map((panel, at) => panelOf(panel, rows, LEFT + at * (PANEL + GAP)))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title">
<title id="title">What a set costs, by the number of its payload keys: ${rows.map(sentenceOf).join('. ')}</title>
<style>
  ${STYLE}
</style>
<rect class="ground" x=".5" y=".5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="12"/>
${panels.join('\n')}
<text class="s" x="${WIDTH / 2}" y="${HEIGHT - 10}">payload keys in the set</text>
</svg>
`
}

/** @param {Row} row */
function sentenceOf({ count, sealS, peakMib, memberBytes, absentBytes }) {
  return `${shown(count)}: ${sealS} s, ${peakMib} MiB, proofs of ${shown(memberBytes)} and ${shown(absentBytes)} bytes`
}

function panelOf({ title, unit, isLog, lines }, rows, left) {
  const values = rows.flatMap((row) => lines.map(({ name }) => row[name]))
  const heightOf = scale(isLog ? [Math.min(...values), Math.max(...values)] : [0, Math.max(...values)], isLog)
  const placeOf = scale([rows[0].count, rows.at(-1).count], true)
  const xOf = (row) => round(left + INSET + placeOf(row.count) * (PANEL - 2 * INSET))
  const yOf = (value) => round(BOTTOM - 8 - heightOf(value) * (BOTTOM - TOP - 22))
  const labels = rows.map(
    (row) => `<text class="s" x="${xOf(row)}" y="${BOTTOM + 20}">${power(row.count)}</text>`,
  )
  return [
    `<text class="t" x="${left}" y="28">${title}<tspan class="s" font-weight="400" dx="6">${unit}</tspan></text>`,
    `<line class="axis" x1="${left}" y1="${BOTTOM}" x2="${left + PANEL}" y2="${BOTTOM}"/>`,
    ...labels,
    ...lines.map((line, at) => lineOf(line, rows, { xOf, yOf, isBelow: at > 0 })),
    ...lines.filter(({ what }) => what).map((line, at) => keyOf(line, left + at * 84)),
  ].join('\n')
}

function lineOf({ name, mark }, rows, { xOf, yOf, isBelow }) {
  const points = rows.map((row) => ({ x: xOf(row), y: yOf(row[name]), value: row[name] }))
  const path = points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join('')
  const dots = points.map(({ x, y, value }) => {
    return `<circle cx="${x}" cy="${y}" r="3.5"/><text x="${round(isBelow ? x : x - 5)}" y="${isBelow ? y + 20 : y - 10}">${shown(value)}</text>`
  })
  return `<g class="${mark}"><path d="${path}"/>${dots.join('')}</g>`
}

function keyOf({ mark, what }, left) {
  return `<g class="${mark}"><rect class="key" x="${left}" y="39" width="10" height="10" rx="2"/><text class="s start" x="${left + 15}" y="48">${what}</text></g>`
}

/**
 * Returns a function that maps the range from `least` to `most` to the range from 0 to 1.
 *
 * @param {[least: number, most: number]} ends
 * @param {boolean} isLog
 */
function scale([least, most], isLog) {
  const by = isLog ? Math.log : (/** @type {number} */ value) => value
  return (/** @type {number} */ value) => (by(value) - by(least)) / (by(most) - by(least))
}

/** @param {number} number */
function round(number) {
  return Math.round(10 * number) / 10
}

/** Formats a power of ten, as 10⁴. @param {number} number */
function power(number) {
  return `10${'⁰¹²³⁴⁵⁶⁷⁸⁹'[Math.round(Math.log10(number))]}`
}

/** Formats a number, as 0.14, 24 or 1,034. @param {number} number */
function shown(number) {
  return number < 10 ? `${Number(number.toPrecision(2))}` : Math.round(number).toLocaleString('en-US')
}
