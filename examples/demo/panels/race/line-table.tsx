import type { Cell } from '../../race.ts'
import { PUBLISHED, publishedMicros } from '../../state/race-published.ts'
import type { Experiment } from './experiments.ts'
import type { Line } from './line.ts'
import { PUBLISHED_TITLE } from './published.tsx'
import { unitText } from './view.tsx'

/** Shows the numbers, and the legend of the figure. Scrolls inside its box if it does not fit. */
export function LineTable({
  experiment,
  lines,
}: {
  readonly experiment: Experiment
  readonly lines: readonly Line[]
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section class="race-scroll" tabIndex={0} aria-label={`${experiment.title}: the numbers`}>
      <table class="race-table race-lines">
        <thead>
          <tr>
            <th scope="col">{experiment.axis}</th>
            {experiment.cells.map((cell) => (
              <th scope="col" key={experiment.text(cell)}>
                {experiment.text(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <LineRow key={line.id} line={line} />
          ))}
        </tbody>
        <PublishedRows cells={experiment.cells} />
      </table>
    </section>
  )
}

function LineRow({ line }: { readonly line: Line }) {
  return (
    <tr class={`race-${line.style}`} data-contestant={line.id}>
      <th scope="row">
        <svg class="race-swatch" viewBox="0 0 24 4" aria-hidden="true">
          <path d="M0 2h24" stroke-dasharray={line.dash.join(' ')} />
        </svg>
        {line.name}
      </th>
      {line.absent ? (
        <td class="race-absent" colSpan={line.values.length}>
          Not here: {line.absent}.
        </td>
      ) : (
        line.values.map((value, at) => <td key={at}>{value === null ? '…' : unitText(value)}</td>)
      )}
    </tr>
  )
}

function PublishedRows({ cells }: { readonly cells: readonly Cell[] }) {
  return (
    <tbody class="race-elsewhere">
      <tr>
        <th scope="rowgroup" colSpan={cells.length + 1}>
          {PUBLISHED_TITLE}
        </th>
      </tr>
      {PUBLISHED.map((name) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          {cells.map((cell) => {
            const published = publishedMicros(name, cell)
            return (
              <td key={`${cell.annotators} ${cell.payloadBytes}`}>
                {published === undefined ? '–' : unitText(published)}
              </td>
            )
          })}
        </tr>
      ))}
    </tbody>
  )
}
