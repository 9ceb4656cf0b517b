import { Empty, Panel } from '../../demo/ui/panel.tsx'
import { count } from '../../demo/ui/text.ts'
import type { Hour } from '../api.ts'
import { answers, askedAt } from '../state.ts'

const HOUR = 3_600_000
const HOURS = 24

/** Shows unsatisfied annotations of the last day, by kind, host and hour. */
export function AnswersPanel() {
  const { hours, isWhole = true } = answers.value ?? {}
  const rows = rowsOf(hours ?? [])
  return (
    <Panel
      id="answers"
      title="Not satisfied"
      lead="In each of the last 24 hours, in UTC, by kind and host, the newest hour first: how many annotations said no. Darker means a larger share."
    >
      {!isWhole && (
        <p class="absent">There are more answers than are looked at here: the oldest hours are not whole.</p>
      )}
      {rows.length > 0 && <Table rows={rows} />}
      {rows.length === 0 && isWhole && (
        <Empty title={hours ? 'Everything was satisfied' : 'Not known yet'}>
          {hours && 'Or nothing was said in the last 24 hours.'}
        </Empty>
      )}
    </Panel>
  )
}

interface Row {
  readonly kind: string
  readonly host: string
  readonly no: number
  readonly byHour: ReadonlyMap<number, Hour>
}

/** Returns the kinds and hosts with any negative answer, most frequent first. */
function rowsOf(all: readonly Hour[]): Row[] {
  const rows = new Map<string, { kind: string; host: string; no: number; byHour: Map<number, Hour> }>()
  for (const one of all) {
    const name = JSON.stringify([one.kind, one.host])
    const row = rows.get(name) ?? { kind: one.kind, host: one.host, no: 0, byHour: new Map() }
    row.no += one.no
    row.byHour.set(Date.parse(one.hour), one)
    rows.set(name, row)
  }
  return [...rows.values()].filter(({ no }) => no > 0).sort((a, b) => b.no - a.no)
}

function Table({ rows }: { readonly rows: readonly Row[] }) {
  const last = Math.floor(askedAt.value / HOUR) * HOUR
  const columns = Array.from({ length: HOURS }, (_, at) => last - at * HOUR)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by keys
    <section class="heat" tabIndex={0} aria-label="Not satisfied, by hour">
      <table>
        <thead>
          <tr>
            <th scope="col">Kind, host</th>
            <th scope="col">All</th>
            {columns.map((hour) => (
              <th key={hour} scope="col" class="numbers">
                {String(new Date(hour).getUTCHours()).padStart(2, '0')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ kind, host, no, byHour }) => (
            <tr key={`${kind} ${host}`}>
              <th scope="row">
                <code>{kind}</code> {host}
              </th>
              <td class="numbers">{count(no)}</td>
              {columns.map((hour) => (
                <Cell key={hour} answers={byHour.get(hour)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Shows the answers of an hour, not only by colour. */
function Cell({ answers }: { readonly answers: Hour | undefined }) {
  if (!answers) return <td class="numbers quiet">·</td>
  const { yes, no } = answers
  const level = no === 0 ? 0 : Math.ceil((4 * no) / (yes + no))
  return (
    <td class={`numbers level-${level}`} title={`${no} of ${yes + no} not satisfied`}>
      {no === 0 ? '0' : count(no)}
    </td>
  )
}
