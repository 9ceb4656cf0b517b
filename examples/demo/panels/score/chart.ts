/** Chart of scores. Import this file lazily, because it imports uPlot. */
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

const HEIGHT = 170

/** Lines of the chart; equal indexes belong to the same message. */
export interface Lines {
  /** Numbers of the messages, with gaps if only a sample was stored. The chart shows no gaps. */
  readonly at: readonly number[]
  /** Scores in per cent. */
  readonly scores: number[]
  /** Mean scores in per cent. */
  readonly means: number[]
}

/** Chart that shows scores as dots and their mean as a line, in the page's colours. */
export class ScoreChart {
  readonly #box: HTMLElement
  readonly #plot: UPlot
  readonly #resized: ResizeObserver
  readonly #darkness = matchMedia('(prefers-color-scheme: dark)')
  #at: readonly number[] = []
  readonly #darkened = () => this.recolour()

  constructor(box: HTMLElement) {
    this.#box = box
    this.#plot = new UPlot(this.#options(), [[], [], []], box)
    this.#resized = new ResizeObserver(() => this.#plot.setSize({ width: box.clientWidth, height: HEIGHT }))
    this.#resized.observe(box)
    this.#darkness.addEventListener('change', this.#darkened)
  }

  draw({ at, scores, means }: Lines): void {
    this.#at = at
    this.#plot.setData([at.map((_, position) => position), scores, means])
    // Redraw the axis, because other message numbers can have the same positions.
    this.#plot.redraw(false, true)
  }

  recolour(): void {
    this.#plot.redraw(false, true)
  }

  close(): void {
    this.#resized.disconnect()
    this.#darkness.removeEventListener('change', this.#darkened)
    this.#plot.destroy()
  }

  #options(): UPlot.Options {
    const axis = {
      stroke: this.#colour('--quiet'),
      font: '12px system-ui, sans-serif',
      ticks: { show: false },
    }
    const grid = { stroke: this.#colour('--line'), width: 1 }
    return {
      width: this.#box.clientWidth,
      height: HEIGHT,
      padding: [8, 8, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false }, y: { range: [0, 102] } },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 28,
          space: 70,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200],
          values: (_, splits) => splits.map((position) => this.#at[position]?.toLocaleString('en') ?? ''),
        },
        {
          ...axis,
          grid,
          size: 48,
          splits: [0, 50, 100],
          values: (_, splits) => splits.map((per) => `${per} %`),
        },
      ],
      series: [{}, this.#dots(), { stroke: this.#colour('--accent'), width: 2, points: { show: false } }],
    }
  }

  #dots(): UPlot.Series {
    const colour = this.#colour('--line-strong')
    return { paths: () => null, points: { show: true, size: 5, width: 0, stroke: colour, fill: colour } }
  }

  /** Returns a function that reads a token's colour from an element, because a canvas cannot resolve `var()`. */
  #colour(token: string): () => string {
    return () => {
      this.#box.style.color = `var(${token})`
      return getComputedStyle(this.#box).color
    }
  }
}
