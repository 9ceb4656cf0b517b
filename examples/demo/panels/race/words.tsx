import type { ContestantId, Lane, MeasuredCell } from '../../race.ts'
import { cellOf, contestantOf, fastest, laneOf, timesFaster } from '../../state/race-figures.ts'

export function CellWords({ cell }: { readonly cell: MeasuredCell }) {
  const original = fastest(cell, 'original')
  const once = fastest(cell, 'once')
  if (!original || !once) return null
  const each =
    cell.annotators === 1
      ? `the original style, which hashes and signs for each annotation, with ${libraryOf(original)}`
      : `signing each of the ${cell.annotators} annotations with ${libraryOf(original)}`
  return (
    <ul class="race-words">
      <Sentence cell={cell} id="sdk" against={original} what={each} />
      <Sentence cell={cell} id="sdk-batch" against={original} what={each} />
      <Sentence
        cell={cell}
        id="sdk-together"
        against={once}
        what={`the fastest without the SDK that signs once per call (${contestantOf(once.id).short})`}
      />
    </ul>
  )
}

interface SentenceProps {
  readonly cell: MeasuredCell
  readonly id: ContestantId
  readonly against: Lane
  readonly what: string
}

function Sentence({ cell, id, against, what }: SentenceProps) {
  const lane = laneOf(cell, id)
  if (!lane || lane.samples.length === 0) return null
  return (
    <li>
      <strong>{contestantOf(id).name}</strong>: {comparison(timesFaster(lane, against))} {what}.
    </li>
  )
}

/** Describes the result of the report's first table: the cost of one more annotator. */
export function GrowthWords({ cells }: { readonly cells: readonly MeasuredCell[] }) {
  const few = cellOf(cells, { annotators: 1, payloadBytes: 20_000 })
  const many = cellOf(cells, { annotators: 10, payloadBytes: 20_000 })
  const original = many && fastest(many, 'original')
  const [ours, theirs] = [growth(few, many, 'sdk'), original && growth(few, many, original.id)]
  if (!many || !original || !ours || !theirs) return null
  return (
    <p class="race-words">
      Ten annotators cost <strong>{timesText(ours)} times</strong> as much as one with alvarium-sdk, and{' '}
      <strong>{timesText(theirs)} times</strong> as much in the original style with {libraryOf(original)}. At
      ten, a call of the SDK is {comparison(timesFaster(laneOf(many, 'sdk') as Lane, original))} signing each
      annotation.
    </p>
  )
}

function libraryOf({ id }: Lane): string {
  return id.endsWith('noble') ? '@noble' : 'WebCrypto'
}

function growth(few: MeasuredCell | undefined, many: MeasuredCell | undefined, id: ContestantId) {
  const [before, after] = [few, many].map((cell) => cell && laneOf(cell, id))
  if (!before?.samples.length || !after?.samples.length) return undefined
  return timesFaster(before, after)
}

/** Formats a ratio with two significant digits, which already exceed the precision of a browser's timings. */
export function timesText(ratio: number): string {
  if (ratio >= 100) return String(Math.round(ratio / 10) * 10)
  return ratio >= 10 ? String(Math.round(ratio)) : ratio.toFixed(ratio < 1 ? 2 : 1)
}

function comparison(ratio: number): string {
  if (ratio >= 1.05) return `${timesText(ratio)} times as fast as`
  return ratio > 0.95 ? 'as fast as' : `takes ${timesText(1 / ratio)} times as long as`
}
