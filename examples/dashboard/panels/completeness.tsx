import { Problem } from '../../demo/ui/controls.tsx'
import { Empty, Panel } from '../../demo/ui/panel.tsx'
import { count, short } from '../../demo/ui/text.ts'
import type { Gap, Missing } from '../api.ts'
import { missing, missingTrouble } from '../state.ts'
import { shownTime } from '../time.ts'
import { silentSince } from './signers.tsx'

/** Maximum number of items shown, so that the panel stays short. */
const MOST = 3

/** Shows messages that signers list in their checkpoints and the store does not have. */
export function CompletenessPanel() {
  return (
    <Panel
      id="completeness"
      title="Completeness"
      lead="What signers list in their checkpoints, and whether it is here. By what the database says: alvarium store audit verifies it. Looked at once a minute."
    >
      {missingTrouble.value && (
        <Problem code={missingTrouble.value.code} message={missingTrouble.value.message} />
      )}
      <Signers />
    </Panel>
  )
}

function Signers() {
  const { signers, next } = missing.value ?? {}
  if (!signers) return <Empty title="Not known yet" />
  if (signers.length === 0)
    return (
      <Empty title="No checkpoints yet">
        Signers that publish checkpoints are compared with what is here: see the guide, Find what was left
        out.
      </Empty>
    )
  return (
    <>
      <ul class="heard complete">
        {signers.map((one) => (
          <Signer key={one.signer} report={one} />
        ))}
      </ul>
      {next && <p class="absent">More signers have checkpoints here, and are not shown.</p>}
    </>
  )
}

/** Class and text of each verdict, by its outcome (crate/FORMAT.md, Words of verdicts). */
const MARKS = {
  complete: ['yes', '✓ complete'],
  unknown: ['unsure', '? unknown'],
  incomplete: ['no', '✗ incomplete'],
}

function Signer({ report }: { readonly report: Missing }) {
  const { signer, name, verdict, messages } = report
  const [mark, word] = MARKS[verdict]
  const until = report.runs
    .map((run) => run.until)
    .sort()
    .at(-1)
  const silent = silentSince(signer)
  return (
    <li>
      <span title={signer}>{name ?? <code>{short(signer)}</code>}</span>
      <span class={mark}>{word}</span>
      <span class="age quiet numbers">{count(messages)} messages</span>
      <ul class="why">
        {[...faultsOf(report), ...reasonsOf(report)].map((text) => (
          <li key={text}>{text}</li>
        ))}
        {until !== undefined && <li class="quiet">last checkpoint {shownTime(until)}</li>}
        {silent !== undefined && <li class="silent">silent since {shownTime(silent)}</li>}
      </ul>
    </li>
  )
}

function faultsOf({ missing, missingInGaps, forks, unlisted }: Missing): string[] {
  const more = missing.length - MOST
  return [
    ...missing.slice(0, MOST).map((gap) => `${count(gap.last - gap.first + 1)} missing, ${placeOf(gap)}`),
    ...(more > 0 ? [`${count(more)} more places where some are missing`] : []),
    ...(missingInGaps > 0
      ? [`at least ${count(missingInGaps)} missing where checkpoints are missing too`]
      : []),
    ...forks.slice(0, MOST).map(({ size }) => `forked: two logs from size ${count(size)} on`),
    ...(unlisted.length > 0
      ? [`${count(unlisted.length)} in no log, such as of ${shownTime(unlisted[0]?.timestamp ?? '')}`]
      : []),
  ]
}

function reasonsOf({ gaps, runs, refused, pending, unknown, prunedOrMissing, isWhole }: Missing): string[] {
  const before = runs.reduce((sum, run) => sum + run.before, 0)
  const counts: [number, string][] = [
    [refused, 'not here: their signer says that they were refused'],
    [pending, 'not here, and perhaps still on their way'],
    [unknown, 'present, but in no given checkpoint'],
    [before, 'before the first given checkpoint'],
    [prunedOrMissing, 'not here: pruned, or missing'],
  ]
  return [
    ...gaps.slice(0, MOST).map((gap) => `no checkpoint ${placeOf(gap)}`),
    ...counts.flatMap(([number, text]) => (number > 0 ? [`${count(number)} ${text}`] : [])),
    ...(isWhole ? [] : ['there is more than is looked at here']),
  ]
}

function placeOf({ first, last, since, until }: Gap): string {
  const place = first === last ? `at position ${count(first)}` : `between ${count(first)} and ${count(last)}`
  return `${place}, ${shownTime(since)} to ${shownTime(until)}`
}
