/** Draws plots with uPlot, which no other file of the race imports. */
import { effect } from '@preact/signals'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { theme } from '../../state/theme.ts'
import { count } from '../../ui/text.ts'
import { type Line, mostOf } from './line.ts'

export interface Drawing {
  readonly xs: readonly number[]
  readonly xTexts: readonly string[]
  readonly xScale: 'linear' | 'log'
  readonly xTitle: string
  readonly yTitle: string
  readonly lines: readonly Line[]
}

export interface Plot {
  draw(lines: readonly Line[]): void
  close(): void
}

const HEIGHT = 300

/** Draws a plot as wide as its box. Redraws it when the width or the theme changes. */
export function openPlot(box: HTMLElement, drawing: Drawing, yScale: 'linear' | 'log'): Plot {
  const colour = colours(box)
  const plot = new uPlot(optionsOf(box, drawing, yScale, colour), dataOf(drawing.xs, drawing.lines), box)
  const size = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: HEIGHT }))
  size.observe(box)
  const repaint = () => plot.redraw(false)
  const endTheme = effect(() => {
    theme.value
    repaint()
  })
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', repaint)
  return {
    draw: (lines) => plot.setData(dataOf(drawing.xs, lines)),
    close: () => {
      size.disconnect()
      endTheme()
      system.removeEventListener('change', repaint)
      plot.destroy()
    },
  }
}

type Colour = (name: string) => string

/** Returns the page's colours. The browser computes them: a canvas does not resolve custom properties. */
function colours(box: HTMLElement): Colour {
  const probe = box.appendChild(document.createElement('span'))
  return (name) => {
    probe.className = name
    return getComputedStyle(probe).color
  }
}

function optionsOf(
  box: HTMLElement,
  drawing: Drawing,
  yScale: 'linear' | 'log',
  colour: Colour,
): uPlot.Options {
  const { xs, lines, xScale } = drawing
  const y = yScale === 'linear' ? { range: fromZero(lines) } : { distr: 3 as const }
  return {
    width: box.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, distr: xScale === 'log' ? 3 : 1, range: () => ends(xs) },
      y,
    },
    axes: [xAxis(drawing, colour), yAxis(drawing, colour)],
    series: [{}, ...lines.map((line) => seriesOf(line, colour))],
  }
}

/** Returns the range from zero to the greatest value, ignoring lines that may exceed the chart. */
function fromZero(lines: readonly Line[]): uPlot.Scale.Range {
  return ({ data }) => {
    const values = data.slice(1).filter((_values, at) => !lines[at]?.mayLeave)
    return [
      0,
      1.05 * (mostOf(values.map((line) => ({ values: Array.from(line, (value) => value ?? null) }))) || 1),
    ]
  }
}

function ends(xs: readonly number[]): uPlot.Range.MinMax {
  return [xs[0] ?? 0, xs.at(-1) ?? 1]
}

function seriesOf({ style, dash }: Line, colour: Colour): uPlot.Series {
  return {
    stroke: () => colour(`race-${style}`),
    width: style === 'sdk' ? 2.5 : 1.75,
    dash: [...dash],
    points: { show: true, size: 5, fill: () => colour(`race-${style}`) },
  }
}

function xAxis({ xs, xTexts, xTitle }: Drawing, colour: Colour): uPlot.Axis {
  return {
    ...axis(colour),
    label: xTitle,
    size: 32,
    splits: () => [...xs],
    // Keep all ticks: on a log axis, uPlot would show only powers of ten.
    filter: (_plot, splits) => splits,
    values: () => [...xTexts],
  }
}

function yAxis({ yTitle }: Drawing, colour: Colour): uPlot.Axis {
  return {
    ...axis(colour),
    label: yTitle,
    size: 64,
    values: (_plot, splits) => splits.map((value) => (value === null ? '' : count(value))),
  }
}

function axis(colour: Colour): uPlot.Axis {
  const { fontFamily } = getComputedStyle(document.body)
  const lines = { stroke: () => colour('race-grid'), width: 1 }
  const font = `12px ${fontFamily}`
  return {
    stroke: () => colour('race-axis'),
    font,
    labelFont: font,
    labelSize: 20,
    grid: lines,
    ticks: lines,
  }
}

function dataOf(xs: readonly number[], lines: readonly Line[]): uPlot.AlignedData {
  return [[...xs], ...lines.map(({ values }) => [...values])]
}
