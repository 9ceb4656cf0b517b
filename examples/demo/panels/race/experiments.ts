import type { Cell } from '../../race.ts'

export interface Experiment {
  readonly title: string
  readonly axis: string
  readonly cells: readonly Cell[]
  readonly x: (cell: Cell) => number
  readonly text: (cell: Cell) => string
  readonly xScale: 'linear' | 'log'
}

export const EXPERIMENTS: readonly Experiment[] = [
  {
    title: 'By number of annotators, payload of 20 kB',
    axis: 'annotators',
    cells: [1, 3, 5, 7, 10].map((annotators) => ({ annotators, payloadBytes: 20_000 })),
    x: ({ annotators }) => annotators,
    text: ({ annotators }) => String(annotators),
    xScale: 'linear',
  },
  {
    title: 'By size of the payload, 5 annotators',
    axis: 'size of the payload',
    cells: [100, 1000, 20_000, 80_000].map((payloadBytes) => ({ annotators: 5, payloadBytes })),
    x: ({ payloadBytes }) => payloadBytes,
    text: ({ payloadBytes }) => (payloadBytes < 1000 ? `${payloadBytes} B` : `${payloadBytes / 1000} kB`),
    xScale: 'log',
  },
]
