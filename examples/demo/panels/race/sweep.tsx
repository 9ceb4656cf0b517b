import type { MeasuredCell } from '../../race.ts'
import { EXPERIMENTS, type Experiment } from './experiments.ts'
import { Figure } from './figure.tsx'
import { linesOf, mostOf } from './line.ts'
import { LineTable } from './line-table.tsx'
import { inUnit, scale, unit } from './view.tsx'
import { GrowthWords } from './words.tsx'

export function Sweep({ cells }: { readonly cells: readonly MeasuredCell[] }) {
  return (
    <>
      <GrowthWords cells={cells} />
      <div class="race-figures">
        {EXPERIMENTS.map((experiment) => (
          <section key={experiment.title} class="race-experiment" aria-label={experiment.title}>
            <h3>{experiment.title}</h3>
            <ExperimentView experiment={experiment} cells={cells} />
          </section>
        ))}
      </div>
    </>
  )
}

interface Props {
  readonly experiment: Experiment
  readonly cells: readonly MeasuredCell[]
}

function ExperimentView({ experiment, cells }: Props) {
  const lines = linesOf(experiment, cells)
  const drawn = lines.map((line) => ({ ...line, values: line.values.map((value) => value && inUnit(value)) }))
  const isCut = scale.value === 'linear' && mostOf(drawn) > mostOf(drawn.filter(({ mayLeave }) => !mayLeave))
  const measure = unit.value === 'rate' ? 'calls per second' : 'µs per call'
  return (
    <>
      <Figure
        label={`${experiment.title}: ${measure}. The table below has the numbers.`}
        xs={experiment.cells.map(experiment.x)}
        xTexts={experiment.cells.map(experiment.text)}
        xScale={experiment.xScale}
        xTitle={experiment.axis}
        yTitle={measure}
        lines={drawn}
      />
      {isCut && (
        <p class="quiet small">
          On this scale, the lines of @noble leave the chart at its top: see the table, or the logarithmic
          scale.
        </p>
      )}
      <LineTable experiment={experiment} lines={lines} />
    </>
  )
}
