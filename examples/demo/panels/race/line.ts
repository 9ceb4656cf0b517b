import { CONTESTANTS, type ContestantId, type MeasuredCell, type Style } from '../../race.ts'
import { cellOf, figuresOf, laneOf } from '../../state/race-figures.ts'
import type { Experiment } from './experiments.ts'

/** Results of a contestant in the cells of an experiment, as a line of a chart. */
export interface Line {
  readonly id: ContestantId
  readonly name: string
  readonly style: Style
  /** Dash pattern of the line in pixels; empty for a solid line. */
  readonly dash: readonly number[]
  /** Microseconds per call, one value per cell; null for a missing value. */
  readonly values: readonly (number | null)[]
  /** True if the line may exceed a linear chart, so that the other lines can be distinguished. */
  readonly mayLeave: boolean
  /** Reason why the contestant cannot run in this browser. */
  readonly absent?: string
}

/** Dash pattern of each contestant. Contestants of one style have the same colour. */
const DASHES: Readonly<Record<ContestantId, readonly number[]>> = {
  'each-webcrypto': [],
  'each-noble': [6, 3],
  'once-webcrypto': [],
  'once-webcrypto-together': [2, 2],
  'once-noble': [6, 3],
  sdk: [],
  'sdk-together': [6, 3],
  'sdk-batch': [2, 2],
}

/** Returns a line for each contestant: microseconds per call in the experiment's cells. */
export function linesOf({ cells: wanted }: Experiment, cells: readonly MeasuredCell[]): Line[] {
  const measured = wanted.flatMap((cell) => cellOf(cells, cell) ?? [])
  const hasWebCrypto = measured.every((cell) => !laneOf(cell, 'each-webcrypto')?.absent)
  return CONTESTANTS.map(({ id, style, short }) => {
    const lanes = measured.map((cell) => laneOf(cell, id))
    const absent = lanes.find((lane) => lane?.absent)?.absent
    const values = lanes.map((lane) => (lane && figuresOf(lane)?.median) ?? null)
    const mayLeave = hasWebCrypto && id.endsWith('noble')
    return { id, name: short, style, dash: DASHES[id], values, mayLeave, ...(absent && { absent }) }
  })
}

/** Returns the greatest value of all lines; 0 without values. */
export function mostOf(lines: readonly Pick<Line, 'values'>[]): number {
  return Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)))
}
