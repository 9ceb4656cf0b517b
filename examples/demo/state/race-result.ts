/** Makes the file with the result of a race. */
import { BY_ANNOTATORS, BY_PAYLOAD } from '../../../bench/report/published.mjs'
import {
  AT_ONCE,
  BATCH,
  type Lane,
  type MeasuredCell,
  type Race,
  SLICE_MS,
  type Surroundings,
} from '../race.ts'
import { contestantOf, figuresOf } from './race-figures.ts'

const ABOUT =
  'Microseconds per call, measured in a worker of this browser. Each sample is a slice of calls that took at least ' +
  'settings.sliceMs; samples of the same round were taken one after another, in rotated order. lower and upper: quartiles.'

export function resultOf(race: Race, surroundings: Surroundings) {
  const { rounds, cells } = race.settings
  return {
    format: 'alvarium-race/1',
    about: ABOUT,
    date: new Date().toISOString(),
    ...surroundings,
    settings: { cells, rounds, sliceMs: SLICE_MS, callsAtOnce: AT_ONCE, callsPerBatch: BATCH },
    outcome: race.phase,
    rounds: race.rounds,
    cells: race.cells.map(cellResult),
    publishedElsewhere: { byAnnotators: BY_ANNOTATORS, byPayload: BY_PAYLOAD },
  }
}

function cellResult({ annotators, payloadBytes, lanes }: MeasuredCell) {
  return { annotators, payloadBytes, contestants: lanes.map(laneResult) }
}

function laneResult(lane: Lane) {
  const { name, style } = contestantOf(lane.id)
  const { absent, verified, samples } = lane
  if (absent) return { id: lane.id, name, style, absent }
  const figures = figuresOf(lane)
  return {
    id: lane.id,
    name,
    style,
    verified,
    microsPerCall: figures && { median: figures.median, lower: figures.lower, upper: figures.upper },
    samples,
  }
}
