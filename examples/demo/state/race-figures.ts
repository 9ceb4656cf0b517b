/** Statistics of a race's samples. */
import { median } from '../../../bench/report/statistics.mjs'
import type { Cell, ContestantId, Lane, MeasuredCell, Sample, Style } from '../race.ts'
import { CONTESTANTS } from '../race.ts'

/** Microseconds per call. */
export interface Figures {
  readonly median: number
  /** Lower quartile. Half of the samples are between `lower` and `upper`. */
  readonly lower: number
  readonly upper: number
  readonly samples: readonly number[]
}

export function microsOf({ calls, ms }: Sample): number {
  return (ms * 1000) / calls
}

/** Returns the statistics of a contestant; undefined without samples. */
export function figuresOf({ samples }: Lane): Figures | undefined {
  if (samples.length === 0) return undefined
  const micros = samples.map(microsOf)
  const sorted = [...micros].sort((a, b) => a - b)
  const at = (part: number) => sorted[Math.round(part * (sorted.length - 1))] as number
  return { median: median(micros), lower: at(0.25), upper: at(0.75), samples: micros }
}

export function laneOf(cell: MeasuredCell, id: ContestantId): Lane | undefined {
  return cell.lanes.find((lane) => lane.id === id)
}

export function cellOf(cells: readonly MeasuredCell[], wanted: Cell): MeasuredCell | undefined {
  return cells.find(
    ({ annotators, payloadBytes }) =>
      annotators === wanted.annotators && payloadBytes === wanted.payloadBytes,
  )
}

export function fastest(cell: MeasuredCell, style: Style): Lane | undefined {
  const lanes = cell.lanes.filter((lane) => styleOf(lane.id) === style && lane.samples.length > 0)
  const micros = (lane: Lane) => figuresOf(lane)?.median ?? Number.POSITIVE_INFINITY
  return lanes.sort((a, b) => micros(a) - micros(b))[0]
}

export function styleOf(id: ContestantId): Style {
  return contestantOf(id).style
}

export function contestantOf(id: ContestantId) {
  return CONTESTANTS.find((one) => one.id === id) as (typeof CONTESTANTS)[number]
}

/** Returns the median time of `slow` divided by the median time of `fast`. */
export function timesFaster(fast: Lane, slow: Lane): number {
  return median(slow.samples.map(microsOf)) / median(fast.samples.map(microsOf))
}
