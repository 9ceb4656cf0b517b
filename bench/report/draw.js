// Draws the charts that chart.mjs put on the report's page, with uPlot from the previous script.

/**
 * @typedef {import('./chart-data.mjs').Drawing & { series: { colour: number }[], isQuick: boolean }} Shown
 * @typedef {import('uplot').default} UPlot
 */

/* global uPlot */

const HEIGHT = 300
const LOG = 3
const LINEAR = 1
const FONT = '11px system-ui, sans-serif'
/** Share of a group's width that its bars fill. */
const GROUP = 0.8

/** Returns the value of a CSS custom property in the current colour scheme. @param {string} name */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()

/** @param {number} value */
const short = (value) =>
  value >= 1 || value === 0 ? value.toLocaleString('en-US') : String(Number(value.toPrecision(2)))

/** Minimum distance of ticks in pixels, so that labels do not touch. */
const MIN_STEP = 40

/**
 * Returns options for a line chart. Shows a tick at each point if the labels do not touch.
 *
 * @param {Shown} shown
 * @param {number} width
 */
function lines({ series, ticks, scale }, width) {
  const distr = scale === 'log' ? LOG : LINEAR
  const steps = ticks.slice(1).map((tick, at) => tick - ticks[at])
  const hasRoom = (Math.min(...steps) / (ticks.at(-1) - ticks[0])) * (width - 100) > MIN_STEP
  const splits = distr === LINEAR && hasRoom ? { splits: () => ticks } : {}
  return {
    data: [ticks, ...series.map(({ values }) => values)],
    x: { time: false, distr },
    axis: { ...splits, values: (_, splits) => splits.map((split) => (split === null ? '' : short(split))) },
    paths: undefined,
    points: { show: true, size: 6 },
  }
}

/**
 * Returns options for a chart of grouped bars. Each bar has its own position on the axis.
 *
 * @param {Shown} shown
 * @param {number} width
 */
function bars({ series, labels }, width) {
  const offsets = series.map((_, at) => ((at - (series.length - 1) / 2) * GROUP) / series.length)
  const places = labels.flatMap((_, group) => offsets.map((offset) => group + offset))
  const valuesOf = ({ values }, at) =>
    places.map((_, place) =>
      place % series.length === at ? values[Math.floor(place / series.length)] : null,
    )
  const longest = Math.max(...labels.map((label) => label.length))
  const isNarrow = longest * 7 * labels.length > width
  return {
    data: [places, ...series.map(valuesOf)],
    x: { time: false, range: [-0.6, labels.length - 0.4] },
    axis: {
      splits: labels.map((_, group) => group),
      values: labels,
      grid: { show: false },
      ...(isNarrow && { rotate: 45, size: 25 + 4.5 * longest }),
    },
    paths: uPlot.paths.bars({ size: [0.92, 60] }),
    points: { show: false },
  }
}

/** Writes on the chart of a quick run that it is not a measurement. @param {UPlot} plot */
function markAsQuick({ ctx, bbox }) {
  ctx.save()
  ctx.font = `600 ${20 * devicePixelRatio}px system-ui, sans-serif`
  ctx.fillStyle = colour('quiet')
  ctx.globalAlpha = 0.5
  ctx.textAlign = 'center'
  ctx.fillText(
    'quick run, no measurement',
    bbox.left + bbox.width / 2,
    bbox.top + bbox.height / 2,
    bbox.width,
  )
  ctx.restore()
}

/** @param {Shown} shown @param {number} width */
function optionsOf(shown, width) {
  const { data, x, axis, paths, points } = shown.kind === 'bars' ? bars(shown, width) : lines(shown, width)
  const drawn = { stroke: colour('text'), font: FONT, ticks: { stroke: colour('rule') } }
  const grid = { stroke: colour('rule'), width: 1 }
  const y = shown.scale !== 'linear' ? { distr: LOG } : { range: (_, __, most) => [0, most * 1.05] }
  const options = {
    width,
    height: HEIGHT,
    legend: { live: shown.kind === 'lines' },
    cursor: { drag: { x: false, y: false } },
    scales: { x, y },
    axes: [
      { ...drawn, grid, ...axis },
      {
        ...drawn,
        grid,
        size: 62,
        values: (_, splits) => splits.map((split) => (split === null ? '' : short(split))),
      },
    ],
    series: [
      { label: 'at', value: (_, at) => (at === null ? '' : short(at)) },
      ...shown.series.map(({ name, colour: at }) => ({
        label: name,
        stroke: colour(`colour-${at}`),
        width: 2,
        spanGaps: true,
        points,
        value: (_, value) => (value === null ? '' : short(value)),
        ...(paths && { paths, fill: colour(`colour-${at}`) }),
      })),
    ],
    hooks: shown.isQuick ? { draw: [markAsQuick] } : {},
  }
  return { options, data }
}

/** @type {Map<Element, UPlot>} */
const plots = new Map()

/** @param {HTMLElement} place */
function draw(place) {
  plots.get(place)?.destroy()
  const { options, data } = optionsOf(JSON.parse(place.dataset.chart ?? ''), place.clientWidth)
  plots.set(place, new uPlot(options, data, place))
}

const places = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[data-chart]')])
const drawAll = () => places.forEach(draw)
drawAll()
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll)
addEventListener('resize', drawAll)
