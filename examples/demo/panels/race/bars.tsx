import { signal } from '@preact/signals'
import type { Lane, MeasuredCell } from '../../race.ts'
import { contestantOf, type Figures, fastest, figuresOf, timesFaster } from '../../state/race-figures.ts'
import { Button } from '../../ui/controls.tsx'
import { PublishedNote } from './published.tsx'
import { inUnit, scale, spreadText, unit, unitText } from './view.tsx'
import { CellWords, timesText } from './words.tsx'

/** True if all contestants are shown. */
const isAll = signal(false)

/** Shows the race for one setting: a table with a bar for each of two contestants, or of all on request. */
export function Bars({ cell }: { readonly cell: MeasuredCell }) {
  const original = fastest(cell, 'original')
  const part = partsOf(cell)
  return (
    <>
      <CellWords cell={cell} />
      <table class="race-table race-bars">
        <caption class="hidden">
          Each contestant’s median with the quartiles, and how many times as fast it is as a signature per
          annotation
        </caption>
        <thead>
          <tr>
            <th scope="col">Contestant</th>
            <th scope="col">{unit.value === 'rate' ? 'Calls per second' : 'Time per call'}</th>
            <th scope="col">Against original</th>
          </tr>
        </thead>
        <tbody>
          {shownOf(cell, original).map((lane) => (
            <Row key={lane.id} lane={lane} original={original} part={part} />
          ))}
        </tbody>
      </table>
      {cell.lanes.length > 2 && (
        <div class="row">
          <Button
            kind="quiet"
            onClick={() => {
              isAll.value = !isAll.value
            }}
          >
            {isAll.value
              ? 'Show two of them'
              : `Show the other ${SMALL[cell.lanes.length - 2] ?? 'contestants'}`}
          </Button>
        </div>
      )}
      <PublishedNote cell={cell} />
    </>
  )
}

const SMALL = ['', 'one', 'two', 'three', 'four', 'five', 'six']

/** Returns the fastest contestant with a signature per annotation, and the SDK; all contestants on request. */
function shownOf({ lanes }: MeasuredCell, original: Lane | undefined): readonly Lane[] {
  if (isAll.value) return lanes
  return lanes.filter(({ id }) => id === (original?.id ?? lanes[0]?.id) || id === 'sdk')
}

interface RowProps {
  readonly lane: Lane
  readonly original: Lane | undefined
  readonly part: (microsPerCall: number) => number
}

function Row({ lane, original, part }: RowProps) {
  const { name, style } = contestantOf(lane.id)
  const figures = figuresOf(lane)
  return (
    <tr class={`race-${style}`} data-contestant={lane.id}>
      <th scope="row">
        {name}
        <span class="race-bar" style={{ '--part': figures ? part(figures.median) : 0 }} aria-hidden="true" />
      </th>
      {lane.absent ? (
        <td colSpan={2} class="race-absent">
          Not here: {lane.absent}.
        </td>
      ) : (
        <>
          <td>{figures ? <Value figures={figures} /> : '…'}</td>
          <td>{original && figures ? `${timesText(timesFaster(lane, original))} ×` : '…'}</td>
        </>
      )}
    </tr>
  )
}

function Value({ figures }: { readonly figures: Figures }) {
  const { median, lower, upper } = figures
  const [from, to] = [lower, upper].sort((a, b) => inUnit(a) - inUnit(b)) as [number, number]
  return (
    <>
      <strong>{unitText(median)}</strong>
      <span class="race-spread">
        {spreadText(from)} – {spreadText(to)}
      </span>
    </>
  )
}

/**
 * Returns a function that converts a time per call to the length of its bar, from 0 to 1. On a logarithmic
 * scale, bars begin at the power of ten below the smallest value.
 */
function partsOf({ lanes }: MeasuredCell): (microsPerCall: number) => number {
  const values = lanes.flatMap((lane) => figuresOf(lane) ?? []).map((figures) => inUnit(figures.median))
  const most = Math.max(...values)
  if (scale.value === 'linear') return (micros) => inUnit(micros) / most
  const first = Math.ceil(Math.log10(Math.min(...values))) - 1
  return (micros) => (Math.log10(inUnit(micros)) - first) / (Math.log10(most) - first)
}
