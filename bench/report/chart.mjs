// A chart as SVG: lines over numbers, or groups of bars. Drawn here: the report needs nothing more, and a
// charting library that draws without a browser would be the largest of the development dependencies.

import { colour } from './colours.mjs'

/** @typedef {import('./chart-data.mjs').Drawing} Drawing */
/** @typedef {(value: number) => number} Scale */

const [WIDTH, HEIGHT] = [640, 340]
const EDGE = { left: 64, right: 16, top: 34, bottom: 66 }
const NAMES_PER_LINE = 5

/** @param {Drawing} drawing @returns {string} */
export function chart(drawing) {
  const y = valueScale(drawing)
  const marks = drawing.kind === 'bars' ? bars(drawing, y.at) : lines(drawing, y.at)
  const title = text(EDGE.left, 16, `${drawing.title}: ${drawing.unit}`, 'class="title"')
  const parts = [title, grid(y), marks, legend(drawing)]
  const label = escaped(`${drawing.title}, ${drawing.unit}`)
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">${parts.join('')}</svg>`
}

/** The vertical axis, and where its lines are. @param {Drawing} drawing */
function valueScale({ series, scale }) {
  const values = series.flatMap((one) => one.values).filter((value) => value !== null)
  const most = Math.max(...values, Number.MIN_VALUE)
  const marks = scale === 'log' ? powersOfTen(Math.min(...values), most) : roundSteps(most)
  const [first, last] = /** @type {[number, number]} */ ([marks[0], marks.at(-1)])
  const at = scaled(scale, [first, last], [HEIGHT - EDGE.bottom, EDGE.top])
  return { at, marks }
}

/**
 * @param {Drawing['scale']} kind
 * @param {[number, number]} from
 * @param {[number, number]} to
 * @returns {Scale}
 */
function scaled(kind, from, to) {
  const by = kind === 'log' ? Math.log10 : Number
  const [start, end] = [by(from[0]), by(from[1])]
  const span = end - start || 1
  return (value) => to[0] + ((by(value) - start) / span) * (to[1] - to[0])
}

/** @param {number} least @param {number} most */
function powersOfTen(least, most) {
  const first = Math.floor(Math.log10(least))
  const last = Math.max(Math.ceil(Math.log10(most)), first + 1)
  return Array.from({ length: last - first + 1 }, (_, at) => 10 ** (first + at))
}

/** About five steps of 1, 2 or 5 times a power of ten, from 0. @param {number} most */
function roundSteps(most) {
  const power = 10 ** Math.floor(Math.log10(most / 5))
  const step = power * ([1, 2, 5].find((factor) => most / (power * factor) <= 6) ?? 10)
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, at) => at * step)
}

/** @param {{ at: Scale, marks: number[] }} scale */
function grid({ at, marks }) {
  return marks
    .map((mark) => {
      const y = at(mark).toFixed(1)
      const line = `<line x1="${EDGE.left}" x2="${WIDTH - EDGE.right}" y1="${y}" y2="${y}" class="grid"/>`
      return line + text(EDGE.left - 6, Number(y) + 4, short(mark), 'text-anchor="end"')
    })
    .join('')
}

/** @param {Drawing} drawing @param {Scale} y */
function lines({ series, ticks = [], labels, scale }, y) {
  const ends = /** @type {[number, number]} */ ([Math.min(...ticks), Math.max(...ticks)])
  const x = scaled(scale, ends, [EDGE.left + 8, WIDTH - EDGE.right - 24])
  const names = spaced(ticks.map(x)).map((at) =>
    text(
      x(/** @type {number} */ (ticks[at])),
      HEIGHT - EDGE.bottom + 16,
      labels[at] ?? '',
      'text-anchor="middle"',
    ),
  )
  const paths = series.map(({ values }, index) => {
    const points = values.flatMap((value, at) =>
      value === null ? [] : [`${x(/** @type {number} */ (ticks[at])).toFixed(1)},${y(value).toFixed(1)}`],
    )
    return `<polyline points="${points.join(' ')}" stroke="${colour(index)}" class="line"/>${dots(points, index)}`
  })
  return [...names, ...paths].join('')
}

/** Those places whose labels have room. @param {number[]} places ascending @returns {number[]} */
function spaced(places) {
  let last = -Infinity
  return places.flatMap((place, at) => {
    if (place - last < 44) return []
    last = place
    return [at]
  })
}

/** @param {string[]} points @param {number} index */
function dots(points, index) {
  return points
    .map((point) => {
      const [x, y] = point.split(',')
      return `<circle cx="${x}" cy="${y}" r="3" fill="${colour(index)}"/>`
    })
    .join('')
}

/** @param {Drawing} drawing @param {Scale} y */
function bars({ series, labels }, y) {
  const group = (WIDTH - EDGE.left - EDGE.right) / labels.length
  const width = (group * 0.8) / series.length
  const bottom = HEIGHT - EDGE.bottom
  const columns = series.flatMap(({ values }, index) =>
    values.map((value, at) => {
      if (value === null) return ''
      const left = EDGE.left + group * (at + 0.1) + width * index
      const size = `x="${left.toFixed(1)}" y="${y(value).toFixed(1)}" width="${width.toFixed(1)}"`
      return `<rect ${size} height="${(bottom - y(value)).toFixed(1)}" fill="${colour(index)}"/>`
    }),
  )
  const names = labels.flatMap((label, at) => {
    // Long labels take two lines.
    return label.split(', ').map((line, down) => {
      return text(EDGE.left + group * (at + 0.5), bottom + 14 + 12 * down, line, 'text-anchor="middle"')
    })
  })
  return [...columns, ...names].join('')
}

/** @param {Drawing} drawing */
function legend({ series }) {
  const step = (WIDTH - EDGE.left - EDGE.right) / NAMES_PER_LINE
  return series
    .map(({ name }, index) => {
      const left = EDGE.left + step * (index % NAMES_PER_LINE)
      const top = HEIGHT - 30 + 15 * Math.floor(index / NAMES_PER_LINE)
      const box = `<rect x="${left}" y="${top}" width="10" height="10" fill="${colour(index)}"/>`
      return box + text(left + 14, top + 9, name)
    })
    .join('')
}

/** @param {number} value */
const short = (value) =>
  value >= 1 || value === 0 ? value.toLocaleString('en-US') : String(Number(value.toPrecision(2)))

/**
 * @param {number} x
 * @param {number} y
 * @param {string} content
 * @param {string} attributes
 */
function text(x, y, content, attributes = '') {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${escaped(content)}</text>`
}

/** @param {string} plain */
export function escaped(plain) {
  return plain
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
